"""LeRobot data sets of every version are read as they are; what is wrong with one is a line, and the rest goes on."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.errors import TakeError, UserError
from actor_observer.frames import check_manifest, frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.pairs import ROBOTS, Manifest, read_manifest
from actor_observer.pairs.lerobot.cameras import first_cameras
from actor_observer.pairs.read import is_data, open_signals
from lookalikes import FPS, robots, write_lerobot

VERSIONS = ("v2.0", "v2.1", "v3.0")
WRIST, OUTSIDE = "observation.images.cam_wrist", "observation.images.cam_exterior"


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One of each version, the same four episodes in it."""
    return {version: write_lerobot(tmp_path_factory.mktemp("sets") / version, 4, version) for version in VERSIONS}


@pytest.fixture
def copy(sets: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of one of them, to be spoilt."""
    return lambda version: shutil.copytree(sets[version], tmp_path / "set", symlinks=True)


def change_info(folder: Path, **changes: Any) -> None:
    place = folder / "meta/info.json"
    info = json.loads(place.read_text())
    place.write_text(json.dumps(info | changes))


def change_episodes(folder: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    place = folder / "meta/episodes/chunk-000/file-000.parquet"
    rows = pq.read_table(place).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows), place)


def left_out(manifest: Manifest) -> list[str]:
    return [str(fault) for fault in manifest.faults if fault.left_out]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_episode_is_an_event_and_its_cameras_are_a_pair_in_step(sets: dict[str, Path], version: str) -> None:
    assert is_data(sets[version])
    manifest = check_manifest(read_manifest(sets[version]))
    assert not manifest.faults
    assert [pair.id for pair in manifest.pairs] == [f"episode_{n:06d}" for n in range(4)]
    for (_, originals), pair in zip(robots(4), manifest.pairs, strict=True):
        for view, id in (("third", pair.third), ("first", pair.first)):
            take, frames = manifest.takes[id], index_video(originals[view].path).times
            assert (take.view, take.event, take.script.startswith("do it")) == (view, pair.id, True)
            assert take.length == pytest.approx(len(frames) / FPS)
            assert len(index_video(take.path).times) == len(frames)
            times = [0.0, 1.0, take.length]
            assert (frames_at(take, times) == frames_at(originals[view], times)).all(), "the very same pictures"
        assert pair.clock.to_first(1.5) == 1.5


@pytest.mark.parametrize("version", VERSIONS)
def test_tasks_become_scripts_and_labels_each_from_when_to_when(sets: dict[str, Path], version: str) -> None:
    manifest = read_manifest(sets[version])
    one, two = (manifest.takes[f"episode_00000{n}.cam_wrist"] for n in (0, 3))
    assert one.script == "do it" and [action.label for action in one.actions] == ["do it"]
    assert two.script == "do it do it again"
    frames = round(two.length * FPS)
    assert [(action.label, action.end * FPS) for action in two.actions] == [
        ("do it", frames // 2),
        ("do it again", frames),
    ]
    assert {*manifest.classes} == {"do it", "do it again"}


@pytest.mark.parametrize("version", VERSIONS)
def test_signals_of_an_episode_have_a_column_for_each_number(sets: dict[str, Path], version: str) -> None:
    signals = open_signals(sets[version])
    assert signals is not None
    table = signals("episode_000002")
    joints = [f"joint_{n}" for n in range(1, 8)] + ["gripper_width"]
    assert [*table.columns] == [f"{key}.{name}" for key in ("observation.state", "action") for name in joints]
    frames = len(index_video(robots(3)[2][1]["third"].path).times)
    assert np.allclose(table.times, np.arange(frames) / FPS) and len(table.columns["action.joint_3"]) == frames
    true = np.cumsum(np.random.default_rng(2).normal(size=(frames, 8)), axis=0)
    assert np.allclose(table.columns["observation.state.gripper_width"], true[:, 7], atol=1e-5)
    with pytest.raises(UserError, match="no episode_000099 in it"):
        signals("episode_000099")


def test_which_camera_is_the_actors() -> None:
    def first(*names: str, asked: str = "") -> list[str]:
        return [
            key.rpartition(".")[2] for key in first_cameras([f"observation.images.{name}" for name in names], asked)
        ]

    assert first("cam_high", "cam_left_wrist", "cam_right_wrist") == ["cam_left_wrist", "cam_right_wrist"]
    assert first("overhead", "category_view", "handheld_phone") == []
    assert first("headCam", "egocentric", "eye_in_hand", "wrist_1") == [
        "headCam",
        "egocentric",
        "eye_in_hand",
        "wrist_1",
    ]
    assert first("laptop", "phone", asked="phone") == ["phone"]
    assert first("a", "b", "c", asked="observation.images.a, c") == ["a", "c"]
    with pytest.raises(UserError, match="--first nose: no such camera in this data set; there are laptop, phone"):
        first("laptop", "phone", asked="nose")


def test_three_cameras_make_a_pair_for_each_of_the_others_and_none_makes_no_pair(copy: Callable[[str], Path]) -> None:
    folder = copy("v2.1")
    videos = folder / "videos/chunk-000"
    shutil.copytree(videos / OUTSIDE, videos / "observation.images.top", symlinks=True)
    features = json.loads((folder / "meta/info.json").read_text())["features"]
    change_info(folder, features=features | {"observation.images.top": features[OUTSIDE]})
    pairs = [pair.id for pair in read_manifest(folder).pairs]
    assert pairs[:2] == ["episode_000000.cam_exterior", "episode_000000.top"] and len(pairs) == 8
    other = read_manifest(folder, first="top")
    assert [pair.id for pair in other.pairs][:2] == ["episode_000000.cam_exterior", "episode_000000.cam_wrist"]
    del features[WRIST]
    change_info(folder, features=features)
    none = read_manifest(folder)
    assert not none.pairs and len(none.takes) == 4
    assert (
        "no camera is the actor's by its name (cam_exterior), so there are no pairs: say which, --first"
        in none.notes[0]
    )


def test_a_data_set_that_says_its_views_itself_takes_no_first() -> None:
    with pytest.raises(UserError, match=r"--first wrist: a pairs\.csv says itself which recordings are first-person"):
        read_manifest(ROBOTS, first="wrist")


def test_a_stated_test_part_is_kept_and_one_task_is_split_by_episode(copy: Callable[[str], Path]) -> None:
    folder = copy("v2.1")
    splits = {take.event: take.split for take in read_manifest(folder).takes.values()}
    assert set(splits.values()) == {"train", "validation", "test"} and len(splits) == 4
    change_info(folder, splits={"train": "0:2", "val": "2:3", "test": "3:4"})
    takes = read_manifest(folder).takes
    assert [takes[f"episode_00000{n}.cam_wrist"].split for n in range(4)] == ["train", "train", "validation", "test"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"codebase_version": "v1.6"}, r"codebase version v1.6 is not known here \(v2.0, v2.1, v3.0 are\)"),
        ({"fps": 0}, "fps is '0'; it should be the frames a second"),
        ({"features": None}, "no features in it, so no cameras"),
        ({"features": {"a": {"dtype": "image"}}}, "none of its features is a video .a: its pictures lie in the tables"),
    ],
)
def test_a_description_that_cannot_be_is_one_line(
    copy: Callable[[str], Path], changes: dict[str, Any], said: str
) -> None:
    folder = copy("v2.1")
    change_info(folder, **changes)
    with pytest.raises(UserError, match=said):
        read_manifest(folder)
    (folder / "meta/info.json").write_text("[" * 100_000)
    with pytest.raises(UserError, match="not JSON"):
        read_manifest(folder)


@pytest.mark.parametrize(
    "path",
    [
        "../../{video_key}.mp4",
        "/etc/{video_key}",
        "{video_key.__class__}",
        "{episode_index:999999999d}.mp4",
        "{other}",
        "",
    ],
)
def test_no_path_leaves_the_folder(copy: Callable[[str], Path], path: str) -> None:
    folder = copy("v2.1")
    change_info(folder, video_path=path)
    manifest = read_manifest(folder)
    assert not manifest.takes and all("does not name a file of the data set" in line for line in left_out(manifest))


def test_promised_files_that_are_not_there_and_bad_lines_leave_the_rest(copy: Callable[[str], Path]) -> None:
    folder = copy("v2.1")
    (folder / f"videos/chunk-000/{WRIST}/episode_000001.mp4").unlink()
    lines = (folder / "meta/episodes.jsonl").read_text().splitlines()
    more = ["{nonsense", "[]", '{"episode_index": 0, "length": 5}', '{"episode_index": 9, "length": 0}']
    more += ['{"episode_index": -1, "length": 5}', '{"episode_index": 10, "length": 1}']
    (folder / "meta/episodes.jsonl").write_text("\n".join([*lines, *more]))
    manifest = read_manifest(folder)
    assert [pair.id for pair in manifest.pairs] == ["episode_000000", "episode_000002", "episode_000003"]
    said = "\n".join(left_out(manifest))
    for words in ("no such file", "not JSON", "not an episode", "episode 0 appears twice", "episode 9 has no frames"):
        assert words in said
    assert "'-1' is not an episode's number" in said and "episode_000010 has a single frame" in said


def test_windows_outside_the_file_are_left_out_by_name(copy: Callable[[str], Path]) -> None:
    folder = copy("v3.0")

    def spoil(rows: list[dict[str, Any]]) -> None:
        rows[0][f"videos/{WRIST}/to_timestamp"] = 99.0
        rows[1][f"videos/{WRIST}/from_timestamp"] = float("nan")
        rows[2][f"videos/{OUTSIDE}/file_index"] = 7

    change_episodes(folder, spoil)
    manifest = read_manifest(folder)
    assert [pair.id for pair in manifest.pairs] == ["episode_000003"]
    said = left_out(manifest)
    assert any("episode_000000 ends at 99.00 s, but the file lasts" in line for line in said)
    assert any(f"episode 1: {WRIST} goes from nan to" in line for line in said)
    assert any("file-007.mp4" in line and "no such file" in line for line in said)


@pytest.mark.parametrize("version", ["v2.1", "v3.0"])
def test_pictures_texts_and_ragged_lists_in_a_table_are_no_signals(copy: Callable[[str], Path], version: str) -> None:
    folder = copy(version)
    place = next((folder / "data/chunk-000").glob("*0.parquet"))
    table, count = pq.read_table(place), pq.read_table(place).num_rows
    odd: dict[str, Any] = {
        "picture": [{"bytes": b"\xff\xd8", "path": None}] * count,
        "words": ["do it"] * count,
        "ragged": [[1.0] * (n % 3) for n in range(count)],
        "wide": [[0.0] * 1000] * count,
        "grid": [[[1.0, 2.0], [3.0, 4.0]]] * count,
        "done": [False] * count,
    }
    for name, values in odd.items():
        table = table.append_column(name, pa.array(values))
    pq.write_table(table, place)
    features = json.loads((folder / "meta/info.json").read_text())["features"]
    change_info(folder, features=features | {name: {"dtype": "float32", "names": ["a"]} for name in odd})
    signals = open_signals(folder)
    assert signals is not None
    found = signals("episode_000000").columns
    assert {*found} - {name for name in found if name.startswith(("action", "observation"))} == {
        "grid.0", "grid.1", "grid.2", "grid.3", "done"
    }  # fmt: skip
    place.write_bytes(b"PAR1 but not really")
    with pytest.raises(TakeError, match="not a readable parquet file"):
        signals("episode_000000")
    assert len(read_manifest(folder).takes) == 8, "pictures are there all the same"


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(
    PLAIN, lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=8), some, max_size=3)
)


@settings(max_examples=15)
@given(
    info=st.dictionaries(
        st.sampled_from(("fps", "features", "data_path", "video_path", "splits", "chunks_size")), ANYTHING
    ),
    row=st.dictionaries(st.sampled_from(("episode_index", "length", "tasks")), ANYTHING),
)
def test_whatever_a_stranger_writes_is_read_or_refused_in_a_line(
    tmp_path_factory: pytest.TempPathFactory, info: dict[str, Any], row: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("strange")
    (folder / "meta").mkdir()
    good = {"codebase_version": "v2.1", "fps": 12, "features": {WRIST: {"dtype": "video"}}}
    (folder / "meta/info.json").write_text(json.dumps(good | info))
    (folder / "meta/episodes.jsonl").write_text(json.dumps({"episode_index": 0, "length": 9} | row))
    try:
        assert not read_manifest(folder).takes, "there are no videos"
    except UserError as error:
        assert "\n" not in str(error)


def test_depth_maps_and_odd_names_are_left_out(copy: Callable[[str], Path]) -> None:
    folder = copy("v2.1")
    features = json.loads((folder / "meta/info.json").read_text())["features"]
    depth = features[WRIST] | {"info": {"video.is_depth_map": True}}
    change_info(folder, features=features | {"observation.images.depth": depth, "a/b": features[WRIST]})
    manifest = read_manifest(folder)
    assert len(manifest.pairs) == 4 and len(manifest.takes) == 2 * 4
    assert [line.split(": ", 1)[1] for line in left_out(manifest)] == [
        "observation.images.depth: a depth map, not a picture (left out)",
        "'a/b' cannot be part of an id (left out)",
    ]


def test_without_the_extra_it_says_which(sets: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UserError, match="needs the extra `data`"):
        read_manifest(sets["v3.0"])
