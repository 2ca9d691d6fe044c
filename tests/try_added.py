"""Run by `test_extending.py` in a copy of the package with one of each added: does each of them work?"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from actor_observer.alignment.compare import Comparer
from actor_observer.cli import main
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.judge import judge
from actor_observer.frames.motion import Motion
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import read_manifest
from actor_observer.pictures import gallery
from actor_observer.searching.engines import engine_at, open_engine
from actor_observer.searching.engines.engine import Filter
from actor_observer.training import recipe_named, with_settings
from actor_observer.training.objectives import objective_of
from actor_observer.web.data import open_data
from made_motion import made_motion, recording_of
from served import serving
from tiny import write_video
from tiny_embeddings import embedded_pairs
from tiny_index import walk, write_flat


def a_data_set(folder: Path) -> None:
    for name in ("room.mp4", "head.mp4"):
        write_video(folder / name, frames=8)
    (folder / "list.txt").write_text("room.mp4 head.mp4\n")
    assert [pair.first for pair in read_manifest(folder).pairs] == ["head.mp4"]
    assert open_data([folder]).pairs == read_manifest(folder).pairs  # the studio knows it too


def an_objective(folder: Path) -> None:
    assert type(objective_of(with_settings(recipe_named("quick"), ["objective=tea"]))).__name__ == "Tea"


def evidence(folder: Path) -> None:
    still = made_motion(20, 10)
    still = Motion(still.times, np.zeros_like(still.whole), np.zeros_like(still.cells), still.length)
    found = Comparer().compare(recording_of(still, "third"), recording_of(still, "first"))
    assert found.belief.kinds["clap"] > 0 and abs(found.belief.offset - 5.0) < 0.2


def a_backbone(folder: Path) -> None:
    network = ActorObserverNet(NetworkConfig(backbone="mean_colour"), pretrained=False).eval()
    assert network.backbone(torch.rand(2, 3, 8, 8)).shape == (2, 3)


def a_search_engine(folder: Path) -> None:
    flat = write_flat(folder / "flat", range(2))
    for place, engine in (("other", "json"), ("back", "flat")):
        source = folder / ("flat" if engine == "json" else "other")
        main(["convert", str(source), "--engine", engine, "--out", str(folder / place)])
        assert engine_at(folder / place) == engine
        found = open_engine(folder / place).nearest(walk(1)[7], Filter(), 3)
        wanted = flat.nearest(walk(1)[7], Filter(), 3)
        assert [(near.entry, near.time) for near in found] == [(near.entry, near.time) for near in wanted]


def a_table(folder: Path) -> None:
    manifest, truth = embedded_pairs(3, lambda view, n, times: times[:, None] + n, length=8.0)
    tables = judge([Method("truth", truth)], manifest, "test", protocol=Protocol(per_pair=2)).tables
    assert tables["takes"].rows == {"truth": (6,)}


def a_figure(folder: Path) -> None:
    for name in ("_nearest", "_extremes", "_activations", "_similarity", "_weight", "alignment_plate", "spread"):
        setattr(gallery, name, lambda *things: [None])  # they need a whole run
    run: Any = SimpleNamespace(pairs=[])
    (plate,) = (plate for plate in gallery.plates(run) if isinstance(plate, gallery.Plate))
    assert plate.name == "7-blank" and not plate.draw().axes


def a_room(folder: Path) -> None:
    with serving(folder) as studio:
        client = studio.client(name="ann")
        assert client.good("GET", "/api/hello") == {"hello": "ann"}
        assert ["hello", "Hello", "look"] in client.good("GET", "/api/me")["rooms"]
        assert b"/api/hello" in client.raw("GET", "/static/js/hello.js")[1]


def a_command(folder: Path) -> None:
    main(["hello"])


def tried(check: Callable[[Path], None]) -> str:
    """What is wrong with one of them; empty where it works."""
    try:
        with tempfile.TemporaryDirectory() as name:
            check(Path(name))
    except (Exception, SystemExit):
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    checks = [a_data_set, an_objective, evidence, a_backbone, a_search_engine, a_table, a_figure, a_room, a_command]
    Path(sys.argv[1]).write_text(json.dumps({check.__name__: tried(check) for check in checks}))
