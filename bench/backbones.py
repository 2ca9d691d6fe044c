"""What works with each class of network that `hf:` loads: small networks of these classes, made on the spot.

    python bench/backbones.py [--only CLASS …]     # what docs/results/words.md says; a few minutes

How fast they are: bench/clip_speed.py.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import actor_observer as ao
from actor_observer.errors import UserError, first_line
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.look import Look
from actor_observer.features.models import frozen_network
from actor_observer.features.running import phi_at
from actor_observer.frames.at import frames_at
from actor_observer.model.export import export_onnx
from actor_observer.pairs.manifest import Take
from actor_observer.training import recipe_named, train, with_settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from tiny import write_charades_ego, write_video
from tiny_networks import CLASSES, WORDS, make_network

PAPER = ["size=32", "decode=36", "epochs=2", "batch=4", "labelled_share=0.5", "labelled_apart=", "look_rate=1"]
PAPER += ["anchor_rate=0.125", "workers=0", "save_minutes=0", "optimiser.lr=0.001", "network.selector_scale=0.5"]


class Bench:
    """One class of network, tried in every way."""

    def __init__(self, name: str, folder: Path, data: Path) -> None:
        self.name, self.folder, self.data = name, folder, data
        self.backbone = f"hf:{make_network(name, folder / 'network')}"
        self.videos = [
            write_video(folder / f"{name}.mp4", frames, 4, size=size)
            for name, frames, size in (("a", 52, (96, 48)), ("b", 60, (84, 60)))
        ]

    def frozen(self) -> None:
        """φ of a whole video, and of a moment of it alone: the same."""
        network = frozen_network(self.backbone)
        take = Take("a", "third", self.videos[0], 13.0)
        look = Look.of_network(network.config, 3.0)
        [(_, found)] = extract(network.backbone, [take], look)
        assert isinstance(found, TakeEmbedding), found
        one = phi_at(
            network.backbone, look, lambda at: frames_at(take, at, look.decode_size), found.times[7:8], 13.0, "cpu"
        )
        assert np.abs(one - found.features[7:8]).max() < 1e-5

    def trained(self) -> None:
        self._train("whole")

    def resumed(self) -> None:
        """Killed (SIGKILL) after a few steps, and continued: the same losses and weights, bit for bit."""
        child = os.fork()
        if child == 0:
            self._train("cut")
            os._exit(0)
        log = self.folder / "cut" / "log.jsonl"
        while not (log.exists() and log.read_bytes().count(b"\n") >= 2):
            time.sleep(0.01)
            if os.waitpid(child, os.WNOHANG)[0]:
                break
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        assert self._train("cut") == self._train("whole")
        one, other = (ao.load(self.folder / name).state_dict() for name in ("whole", "cut"))
        assert all(torch.equal(one[key], other[key]) for key in one)

    def exported(self) -> None:
        export_onnx(ao.load(self.folder / "whole"), self.folder / "network.onnx")

    def indexed(self) -> None:
        ao.index(self.videos, self.folder / "index", "first", backbone=self.backbone)

    def searched(self) -> None:
        found = ao.search(self.folder / "index", f"{self.videos[1]}@4.5", backbone=self.backbone, view="third")
        assert (Path(found.hits[0].video), found.hits[0].time) == (self.videos[1], 4.5), found

    def worded(self) -> None:
        if self.name not in WORDS:
            raise UserError("has no words")
        assert ao.search(self.folder / "index", "pours water", backbone=self.backbone).hits

    def aligned(self) -> None:
        assert np.isfinite(ao.align(self.videos[0], self.videos[1], backbone=self.backbone).offset)

    def _train(self, name: str) -> list[Any]:
        recipe = with_settings(recipe_named("paper-transfer"), [*PAPER, f"network.backbone={self.backbone}"])
        train(recipe, self.data, self.folder / name, cache=self.folder / "cache", device="cpu", quiet=True)
        lines = [json.loads(line) for line in (self.folder / name / "log.jsonl").read_text().splitlines()]
        return [[line.get(key) for key in ("step", "loss", "lr", "validation")] for line in lines]


COLUMNS: dict[str, Callable[[Bench], None]] = {
    "frozen features": Bench.frozen,
    "training, 2 epochs": Bench.trained,
    "resume after a kill": Bench.resumed,
    "export (ONNX)": Bench.exported,
    "index": Bench.indexed,
    "search": Bench.searched,
    "words": Bench.worded,
    "`align --backbone`": Bench.aligned,
}


def tried(bench: Bench, work: Callable[[Bench], None]) -> str:
    """What to write into a cell: works, or one line why not."""
    try:
        work(bench)
    except UserError as error:
        if "has no words" in str(error):
            return "–"
        return f"no: {str(error).replace(bench.backbone, 'it')}"
    except AssertionError as error:
        return f"**wrong** {first_line(error)[:60]}"
    except Exception as error:  # a bench tells what happened
        return f"**{type(error).__name__}** {first_line(error)[:60]}"
    return "works"


def table(only: list[str]) -> None:
    """Try everything with every class, and print the table."""
    print(f"| network | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    with tempfile.TemporaryDirectory() as place:
        data = write_charades_ego(Path(place) / "data", train=8, test=1, seconds=13, fps=4)
        for name in only or CLASSES:
            bench = Bench(name, Path(place) / name, data)
            cells = [tried(bench, work) for work in COLUMNS.values()]
            print(f"| `{name}Model` | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], choices=list(CLASSES))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    table(asked.only)


if __name__ == "__main__":
    main()
