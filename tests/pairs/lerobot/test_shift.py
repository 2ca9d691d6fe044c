"""Cameras that were late are put right in a copy, by whole frames; the data set stays as it is."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from actor_observer.errors import UserError
from actor_observer.frames import check_manifest, frames_at
from actor_observer.pairs import read_manifest
from actor_observer.pairs.lerobot.shift import write_shifted
from actor_observer.pairs.read import open_signals
from lookalikes import FPS, write_lerobot


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four episodes, three of them in one file."""
    return write_lerobot(tmp_path_factory.mktemp("sets") / "v3", 4, "v3.0")


def state_of(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def rows_of(folder: Path) -> list[dict[str, float]]:
    return list(pq.read_table(folder / "meta/episodes/chunk-000/file-000.parquet").to_pylist())


def test_a_late_camera_is_moved_and_the_rows_without_its_pictures_are_dropped(data: Path, tmp_path: Path) -> None:
    before, old = state_of(data), read_manifest(data)
    done = write_shifted(data, tmp_path / "out", {("episode_000001", "cam_wrist"): 2.3 / FPS})
    assert state_of(data) == before, "the input is never touched"
    assert [(one.frames, round(one.remainder * FPS, 6)) for one in done.moved] == [(2, 0.3)]
    assert done.shortened == {"episode_000001": 2} and not done.refused
    new = check_manifest(read_manifest(tmp_path / "out"))
    assert not new.faults and len(new.pairs) == 4
    for camera, late in (("cam_wrist", 2), ("cam_exterior", 0)):
        one, other = (manifest.takes[f"episode_000001.{camera}"] for manifest in (new, old))
        assert one.length == pytest.approx(other.length - 2 / FPS)
        times = np.array([0.0, 1.0, one.length])
        shown, meant = frames_at(one, times), frames_at(other, np.minimum(times, one.length - 0.5 / FPS) + late / FPS)
        assert (shown == meant).all()
    same = new.takes["episode_000002.cam_wrist"], old.takes["episode_000002.cam_wrist"]
    assert same[0].path.name == same[1].path.name and same[0].path.parts[-4:] == same[1].path.parts[-4:]


def test_an_early_camera_costs_rows_at_the_start_and_all_counts_agree(data: Path, tmp_path: Path) -> None:
    late = {("episode_000000", "observation.images.cam_wrist"): -3 / FPS, ("episode_000002", "cam_exterior"): 1 / FPS}
    out = write_shifted(data, tmp_path / "out", late).path
    rows, old = rows_of(out), rows_of(data)
    assert [row["length"] - was["length"] for row, was in zip(rows, old, strict=True)] == [-3, 0, -1, 0]
    assert [row["dataset_from_index"] for row in rows[1:]] == [row["dataset_to_index"] for row in rows[:-1]]
    assert all(row["dataset_to_index"] - row["dataset_from_index"] == row["length"] for row in rows)
    assert json.loads((out / "meta/info.json").read_text())["total_frames"] == rows[-1]["dataset_to_index"]
    wrist, outside = (f"videos/observation.images.{name}/from_timestamp" for name in ("cam_wrist", "cam_exterior"))
    assert [round((rows[0][key] - old[0][key]) * FPS, 6) for key in (wrist, outside)] == [0, 3], (
        "later rows, older pictures"
    )
    signals, before = open_signals(out), open_signals(data)
    assert signals is not None and before is not None
    one, other = signals("episode_000000"), before("episode_000000")
    assert np.allclose(one.times, np.arange(len(one.times)) / FPS, atol=1e-6)
    assert np.allclose(one.columns["action.joint_2"], other.columns["action.joint_2"][3:])
    index = np.concatenate(
        [pq.read_table(path)["index"].to_numpy() for path in sorted((out / "data").glob("*/*.parquet"))]
    )
    assert (index == np.arange(len(index))).all()


def test_videos_are_links_unless_copies_are_asked_for_and_rows_too_where_none_is_lost(
    data: Path, tmp_path: Path
) -> None:
    for copy in (False, True):
        out = write_shifted(data, tmp_path / str(copy), {("episode_000001", "cam_wrist"): 0.4 / FPS}, copy).path
        files = [*(out / "videos").rglob("*.mp4"), *(out / "data").rglob("*.parquet")]
        assert len(files) == 6 and all(path.is_symlink() is not copy for path in files)
        assert rows_of(out) == rows_of(data), "less than half a frame moves nothing"
        assert len(read_manifest(out).pairs) == 4


def test_an_episode_that_would_lose_all_its_rows_is_refused_by_name(data: Path, tmp_path: Path) -> None:
    late = {("episode_000001", "cam_wrist"): 9.0, ("episode_000003", "cam_wrist"): 1 / FPS}
    done = write_shifted(data, tmp_path / "out", late)
    assert [str(fault) for fault in done.refused] == [
        "episode_000001: 0 of its 33 rows would be left: it stays as it is"
    ]
    assert [one.event for one in done.moved] == ["episode_000003"] and rows_of(done.path)[1]["length"] == 33


def test_places_and_names_that_cannot_be_are_refused(data: Path, tmp_path: Path) -> None:
    for out in (data, data / "fixed", data.parent):
        with pytest.raises(UserError, match="never written to"):
            write_shifted(data, out, {})
    (tmp_path / "full").mkdir()
    (tmp_path / "full/a.txt").write_text("mine")
    with pytest.raises(UserError, match="there is something already"):
        write_shifted(data, tmp_path / "full", {})
    for key, said in (
        (("episode_000009", "cam_wrist"), "no episode_000009"),
        (("episode_000000", "nose"), "no camera nose"),
    ):
        with pytest.raises(UserError, match=said):
            write_shifted(data, tmp_path / "out", {key: 0.1})
    assert not (tmp_path / "out").exists() and (tmp_path / "full/a.txt").read_text() == "mine"


def test_version_2_gets_a_table(tmp_path: Path) -> None:
    data = write_lerobot(tmp_path / "v2", 2, "v2.1")
    done = write_shifted(data, tmp_path / "out", {("episode_000001", "cam_wrist"): 0.1})
    assert done.path.read_text() == "event,camera,late,frames,remainder\nepisode_000001,cam_wrist,0.100000,1,0.016667\n"
