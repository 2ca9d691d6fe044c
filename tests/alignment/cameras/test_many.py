"""Several cameras on one clock, cut to what they share; and what cannot be, in one line."""

import json
import shutil
from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.alignment.calibration import EventCalibration, ViewsCalibration
from actor_observer.alignment.cameras.join import join_cameras
from actor_observer.alignment.cameras.many import compare_all
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.kinds.motion import HEAD, ROOM, USED, MotionEvidence
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.cli import main
from actor_observer.frames import frames_at
from actor_observer.pairs.manifest import View
from made_motion import made_motion, recording_of
from same_scene import write_scene

SIGNALS = {*ROOM, *HEAD}
EVERY = ViewsCalibration(
    {f"{one}/{other}/{how}": 0.5 for one in SIGNALS for other in SIGNALS for how in USED},
    (-2.0, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0),
    (-2.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0),
    0.01,
    (2.0, 1.0, 0.02),
)
PLAIN = EventCalibration(dict.fromkeys(("room and head", "room and room", "head and head"), EVERY), 0.9, 0.5)
OFFSETS = {"room1": 0.0, "room2": 3.0, "head": 2.0}


@pytest.fixture(scope="module")
def model(scene_model: Path) -> Path:
    return scene_model


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("videos")
    lengths, rates = (22, 19, 18), (10, 12, 15)
    return [
        write_scene(folder / f"{name}.mp4", length, fps, start=start)
        for (name, start), length, fps in zip(OFFSETS.items(), lengths, rates, strict=True)
    ]


def test_every_camera_gets_the_common_clock_and_the_cuts_are_in_step(
    model: Path, videos: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head_first = [videos[2], videos[0], videos[1]]
    options = ["--model", str(model), "--trim", str(tmp_path / "cut"), "--out", str(tmp_path), "--json"]
    main(["align", *map(str, head_first), "--first", str(videos[2]), *options])
    answer = json.loads(capsys.readouterr().out)
    assert answer == json.loads((tmp_path / "alignment.json").read_text())
    assert [Path(camera["path"]) for camera in answer["cameras"]] == head_first
    assert [camera["view"] for camera in answer["cameras"]] == ["first", "third", "third"]
    for camera in answer["cameras"]:
        truth = OFFSETS[Path(camera["path"]).stem] - OFFSETS["head"]  # the reference is the first named
        assert abs(camera["offset"] - truth) < 0.1
        assert camera["verdict"] == "in step"
        assert (camera["via"] is None) == (camera["path"] == answer["reference"])
    cuts = [tmp_path / "cut" / f"{name}.mp4" for name in OFFSETS]
    with av.open(str(cuts[0])) as one, av.open(str(cuts[1])) as other, av.open(str(cuts[2])) as third:
        counts = {file.streams.video[0].frames for file in (one, other, third)}
        assert len(counts) == 1 and counts.pop() == pytest.approx(17 * 15, abs=3)  # from 3 s to 20 s, 15 a second
    at = np.arange(1, 16, 1.3)
    pictures = [frames_at(cut, at).float() for cut in cuts]  # (T, 3, H, W): the scenes differ only in when
    assert (pictures[0] - pictures[1]).abs().mean() < 12 and (pictures[0] - pictures[2]).abs().mean() < 12
    assert (pictures[0][1:] - pictures[1][:-1]).abs().mean() > 30


def made(start: float, seed: int, salt: int, view: View = "third") -> Recording:
    return recording_of(made_motion(30, 15, start=start, seed=seed, salt=salt), view)


def joined(*recordings: Recording) -> Cameras:
    comparer = Comparer(kinds=(MotionEvidence(),), calibration=PLAIN)
    return join_cameras(recordings, compare_all(recordings, comparer), comparer.calibration)


def test_clocks_add_up_whatever_the_order() -> None:
    found = joined(made(0.0, 0, 1), made(5.0, 0, 2), made(3.0, 0, 3, "first"))
    assert [camera.offset for camera in found.cameras] == pytest.approx([0.0, 5.0, 3.0], abs=0.05)
    assert found.verdict == "in step" and found.reference == 0 and not found.warnings
    assert [camera.via is None for camera in found.cameras] == [True, False, False]
    turned = joined(made(3.0, 0, 3, "first"), made(0.0, 0, 1), made(5.0, 0, 2))
    assert [camera.offset for camera in turned.cameras] == pytest.approx([0.0, -3.0, 2.0], abs=0.05)


def test_one_stranger_does_not_spoil_the_clock_of_the_others() -> None:
    found = joined(made(0.0, 9, 1), made(0.0, 0, 2), made(4.0, 0, 3), made(2.0, 0, 4, "first"))
    assert found.reference == 1
    assert [camera.verdict == "in step" for camera in found.cameras] == [False, True, True, True]
    assert found.cameras[0].offset_error is None and found.cameras[2].offset == pytest.approx(4.0, abs=0.05)
    assert "best guess" in found.warnings[-1]


@pytest.mark.parametrize("seed", [1, 3])
def test_cameras_of_another_event_are_not_believed_however_sure_they_are_of_each_other(seed: int) -> None:
    found = joined(made(0.0, seed, 1), made(5.0, seed, 2), made(0.0, 0, 3), made(4.0, 0, 4), made(2.0, 0, 5, "first"))
    assert found.reference == 2 and len(found.in_step) == 3
    assert all(camera.confidence <= 0.5 and camera.offset_error is None for camera in found.cameras[:2])


def test_a_camera_that_stops_halfway_is_put_in_step_by_what_it_has() -> None:
    short = recording_of(made_motion(15, 15, start=4.0, seed=0, salt=2), "third")
    found = joined(made(0.0, 0, 1), short, made(3.0, 0, 3, "first"))
    assert [camera.offset for camera in found.cameras] == pytest.approx([0.0, 4.0, 3.0], abs=0.05)
    assert found.verdict == "in step" and found.cameras[1].length == 15


def test_two_strangers_are_not_put_in_step() -> None:
    found = joined(made(0.0, 1, 1), made(0.0, 2, 2))
    assert not found.in_step and found.reference == 0


def test_what_cannot_be_aligned_is_one_line(
    videos: list[Path], model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copy(videos[0], tmp_path / "copy.mp4"))
    three = [str(path) for path in videos]
    cases = [
        ([], "at least two videos"),
        (three[:1], "at least two videos"),
        ([*three, str(copy)], "are the same recording"),
        ([three[0], three[1], three[0]], "are the same recording"),
        ([*three, "--first", str(tmp_path / "other.mp4")], "not among the videos"),
        ([*three, "--side-by-side", str(videos[1])], "would overwrite the recording"),
        ([*three, "--trim", str(videos[0].parent)], "would overwrite the recording"),
        ([*three, "--max-offset", "-1"], "max offset -1: give seconds"),
    ]
    for arguments, line in cases:
        with pytest.raises(SystemExit) as stop:
            main(["align", *arguments, "--model", str(model)])
        said = capsys.readouterr()
        assert stop.value.code == 2 and said.out == ""
        assert line in said.err and len(said.err.strip().splitlines()) == 1
