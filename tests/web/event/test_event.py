"""More than two cameras of one event: which belong to it, by which clock, and what was measured beside them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actor_observer.disk.sealed_json import sealed_json
from actor_observer.pairs.read import read_manifest
from actor_observer.web.event.curves import curves_of
from actor_observer.web.rooms.event import _kept
from served import Client, serving
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
        assert client.good("GET", "/api/curves?id=rh")["result"] == {"curves": [], "signals": []}


def test_signals_beside_a_pair_are_drawn_by_a_guess_until_align_is_sure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "takes" / "tea"
    folder.mkdir(parents=True)
    for name in ("third", "first"):
        write_video(folder / f"{name}.mp4", 60, 6)
    rows = "".join(f"{number / 50},{np.sin(number / 9)},{np.cos(number / 7)}\n" for number in range(400))
    (folder / "imu.csv").write_text(f"time,gyro_x,gyro_y\n{rows}")
    (folder / "notes.csv").write_text("no numbers here\nat all\n")
    opened: list[object] = []
    monkeypatch.setattr("actor_observer.pairs.probe.av.open", lambda path, *_, **__: opened.append(path))
    with serving(tmp_path / "studio", tmp_path / "takes", apart=True) as served:
        client = served.client("look", "ann")
        assert client.good("GET", "/api/ready?take=tea.third")["fps"] == 6 and not opened, "not in the server's process"
        assert client.good("GET", "/api/event?id=tea") == {"others": [], "measured": True}
        imu, notes = until_done(client, "/api/curves?id=tea")["result"]["signals"]
        assert [one["name"] for one in imu["curves"]] == ["gyro_x", "gyro_y"] and imu["curves"][0]["times"][-1] > 7.9
        assert (imu["verdict"], imu["clock"]) == ("", [[0.0, 0.0], [1.0, 1.0]])
        assert notes["error"] and not notes["curves"]
        pair = served.studio.pair("tea")
        place = _kept(served.studio, pair, pair.signals[0])
        place.parent.mkdir(parents=True)
        for verdict, clock in (("in step", [[2.0, 0.0], [3.0, 1.0]]), ("cannot tell", [[0.0, 0.0], [1.0, 1.0]])):
            place.write_bytes(sealed_json({"clock": "2:0", "verdict": verdict, "offset_error": 0.02}))
            imu = client.good("GET", "/api/curves?id=tea")["result"]["signals"][0]
            assert (imu["verdict"], imu["clock"]) == (verdict, clock)
        listed = client.raw("GET", "/api/export/pairs.csv")[1].decode()
        assert str(folder / "imu.csv") in listed
    monkeypatch.undo()
    (tmp_path / "pairs.csv").write_text(
        "id,third,first,signals\ntea,takes/tea/third.mp4,takes/tea/first.mp4,takes/tea/imu.csv; gone.csv\n"
    )
    manifest = read_manifest(tmp_path / "pairs.csv")
    assert [path.name for path in manifest.pairs[0].signals] == ["imu.csv"]
    assert [fault.what for fault in manifest.faults] == ["no such signal; the pair is shown without it"]


def until_done(client: Client, path: str) -> Any:
    while (state := client.good("GET", path))["state"] != "done":
        assert state["state"] != "failed", state
        time.sleep(0.05)
    return state


def test_what_was_measured_beside_the_cameras_becomes_curves(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from lookalikes import write_lerobot

    folder = write_lerobot(tmp_path / "set", episodes=1)
    event = next(iter(read_manifest(folder).takes.values())).event
    curves = curves_of(folder, event)
    assert curves and all(len(one["times"]) == len(one["low"]) == len(one["high"]) > 1 for one in curves)
    assert all(low <= high for one in curves for low, high in zip(one["low"], one["high"], strict=True))
    assert curves_of(folder, "no such event") == []
