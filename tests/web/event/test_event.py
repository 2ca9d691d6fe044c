"""More than two cameras of one event: which belong to it, by which clock, and what was measured beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from actor_observer.web.event.curves import curves_of
from served import serving
from tiny import write_video

ROWS = (
    "rh,room.mp4,head.mp4,0:1;8:9",
    "dh,door.mp4,head.mp4,0:0.5;8:8.5",
    "ro,room.mp4,other.mp4,",
    "zz,far.mp4,away.mp4,0:1;8:9",
)


def test_cameras_that_share_a_take_are_shown_with_it(tmp_path: Path) -> None:
    for name in ("room", "door", "head", "other", "far", "away"):
        write_video(tmp_path / f"{name}.mp4", 60, 6)
    (tmp_path / "pairs.csv").write_text("\n".join(("id,third,first,clock", *ROWS)) + "\n")
    with serving(tmp_path / "studio", tmp_path) as served:
        client = served.client("look", "ann")
        found = client.good("GET", "/api/event?id=rh")["others"]
        assert [(one["name"], one["view"], one["by"], one["guess"]) for one in found] == [
            ("other.mp4", "first", "third", True),
            ("door.mp4", "third", "first", False),
        ]
        assert found[1]["clock"] == [[0.0, 0.5], [8.0, 8.5]]
        assert client.good("GET", "/api/event?id=zz")["others"] == []
        assert client.good("GET", "/api/curves?id=rh")["result"] == {"curves": []}


def test_what_was_measured_beside_the_cameras_becomes_curves(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from actor_observer.pairs.read import read_manifest
    from lookalikes import write_lerobot

    folder = write_lerobot(tmp_path / "set", episodes=1)
    event = next(iter(read_manifest(folder).takes.values())).event
    curves = curves_of(folder, event)
    assert curves and all(len(one["times"]) == len(one["low"]) == len(one["high"]) > 1 for one in curves)
    assert all(low <= high for one in curves for low, high in zip(one["low"], one["high"], strict=True))
    assert curves_of(folder, "no such event") == []
