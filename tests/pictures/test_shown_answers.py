"""Every answer of the front door shows itself in a notebook, as rows, and in a viewer."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import actor_observer as ao
from actor_observer.alignment.cameras.pairing import Pairing
from actor_observer.alignment.cameras.result import Camera, Cameras
from actor_observer.alignment.result import Alignment
from actor_observer.answers.recognise import Recognised
from actor_observer.answers.select import Selected
from actor_observer.console import Answer
from actor_observer.errors import UserError
from actor_observer.features.embed_videos import Embedded
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import ROBOTS
from actor_observer.pictures.explain import Explained
from actor_observer.pictures.rerun_file import check_rerun, write_rerun
from actor_observer.searching.index import Indexed
from actor_observer.searching.search import Answers

CLIP = "1_L_S_6_horizontal_n_4_regrasp"


@pytest.fixture(scope="module")
def found() -> Alignment:
    small = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)
    return ao.align(*(ROBOTS / f"videos/{CLIP}.{view}.mp4" for view in ("third", "first")), model=small)


@pytest.fixture
def cameras() -> Cameras:
    names = ("room <b>.mp4", "head.mp4")
    made = [
        Camera(name, "third", 9.0, 2.0 * place, 1.0, None, "in step", 0.97, None) for place, name in enumerate(names)
    ]
    return Cameras(tuple(made), 0, ())


def test_every_answer_is_one() -> None:
    for kind in (Alignment, Cameras, Pairing, Recognised, Selected, Answers, Explained, Embedded, Indexed):
        assert issubclass(kind, Answer) and "to_dict" in vars(kind), kind


def test_an_alignment_shows_its_picture_its_verdict_and_its_path(found: Alignment) -> None:
    page = found._repr_html_()
    assert "data:image/webp" in page and "verdict     " in page and "<th>third</th>" in page
    rows = found.rows()
    assert rows == found.to_dict()["path"] and set(rows[0]) == {"third", "first", "confidence"}
    assert isinstance(found.plot(), Figure)


def test_cameras_are_bars_on_the_common_clock(cameras: Cameras) -> None:
    (axes,) = cameras.plot().axes
    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches] == [(0.0, 9.0), (2.0, 9.0)]
    assert [row["offset"] for row in cameras.rows()] == [0.0, 2.0]
    assert "room &lt;b&gt;.mp4" in cameras._repr_html_(), "names of files are text"


def test_what_has_no_picture_is_a_table() -> None:
    done = Indexed(Path("moments"))
    with pytest.raises(UserError, match="no picture of Indexed"):
        done.plot()
    assert "<img" not in done._repr_html_() and done.rows() == [done.to_dict()]


def test_rerun_reads_what_was_written(found: Alignment, tmp_path: Path) -> None:
    rerun: Any = pytest.importorskip("rerun")
    importlib.import_module("rerun.chunk")
    path = write_rerun(found, tmp_path / "out.rrd", anyway=True)
    assert path.stat().st_size > sum(Path(one).stat().st_size for one in (found.third, found.first))  # they are in it
    with pytest.raises(UserError, match="--force"):
        check_rerun(path)
    with pytest.raises(UserError, match="no two recordings are in step"):
        found.to_rerun()
    (recording,) = rerun.chunk.RrdReader(path).recordings()
    schema = rerun.chunk.RrdReader(path).store(store=recording).schema()
    names = [str(column) for column in schema.component_columns()]
    for part in ("videos/1-room", "videos/2-head", "curves/confidence", "belief-over-offsets"):
        assert any(part in name for name in names), part


def test_without_rerun_it_is_one_line(found: Alignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rerun", None)
    with pytest.raises(UserError, match="a recording for Rerun needs the extra `rerun`"):
        found.to_rerun(anyway=True)
    assert np.isfinite(found.offset)
