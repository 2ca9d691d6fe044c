"""Several cameras on one clock, cut to what they share; and what cannot be, in one line."""

import json
import shutil
from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.alignment.cameras.many import Cameras, Link, join_cameras
from actor_observer.alignment.one_event import OneEvent
from actor_observer.alignment.recording import Recording
from actor_observer.alignment.result import Verdict
from actor_observer.cli import main
from actor_observer.frames import frames_at
from same_scene import plain_network, write_scene

OFFSETS = {"room1": 0.0, "room2": 3.0, "head": 2.0}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    plain_network().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("videos")
    lengths, rates = (22, 19, 18), (10, 12, 15)
    return [
        write_scene(folder / f"{name}.mp4", length, fps, start=start)
        for (name, start), length, fps in zip(OFFSETS.items(), lengths, rates, strict=True)
    ]


def link(one: int, other: int, offset: float, confidence: float, rate: float = 1.0, error: float = 0.03) -> Link:
    verdict: Verdict = "in step" if confidence >= 0.9 else "cannot tell"
    return Link(one, other, OneEvent(offset, rate, error, 0.0, (), 0.9, 9.0, {"motion": 9.0}), verdict, confidence)


def joined(*links: Link, count: int = 3) -> Cameras:
    views = ["third"] * (count - 1) + ["first"]
    recordings = [Recording(np.zeros(0, np.uint8), view, 60.0) for view in views]  # type: ignore[arg-type]
    return join_cameras(recordings, links)


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


def test_the_surest_comparisons_make_the_tree_and_clocks_add_up() -> None:
    found = joined(link(0, 1, 5.0, 0.95), link(1, 2, -2.0, 0.99, rate=1.0001), link(0, 2, 40.0, 0.2))
    assert [camera.via for camera in found.cameras] == [None, "camera 1", "camera 2"]
    assert found.cameras[2].offset == pytest.approx(3.0)
    assert found.cameras[2].rate == pytest.approx(1.0001)
    assert found.cameras[2].offset_error == pytest.approx(0.03 * 2**0.5)
    assert found.verdict == "in step" and not found.warnings
    turned = joined(link(1, 0, -5.0, 0.95), link(2, 1, 2.0, 0.99))
    assert [camera.offset for camera in turned.cameras] == pytest.approx([0.0, 5.0, 3.0])


def test_a_sure_comparison_that_contradicts_the_others_is_told() -> None:
    found = joined(link(0, 1, 5.0, 0.99), link(1, 2, -2.0, 0.98), link(0, 2, 4.0, 0.95))
    assert "camera 1 and camera 3, compared directly, are 1.00 s apart" in found.warnings[0]


def test_one_stranger_does_not_spoil_the_clock_of_the_others() -> None:
    found = joined(link(0, 1, 9.0, 0.3), link(1, 2, -2.0, 0.99), link(0, 2, 1.0, 0.4))
    assert found.reference == 1
    assert [camera.verdict for camera in found.cameras] == ["cannot tell", "in step", "in step"]
    assert [camera.path for camera in found.in_step] == ["camera 2", "camera 3"]
    alone = joined(link(0, 1, 9.0, 0.3), link(1, 2, -2.0, 0.2), link(0, 2, 1.0, 0.4))
    assert not alone.in_step and alone.reference == 0


def test_what_cannot_be_aligned_is_one_line(
    videos: list[Path], model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copy(videos[0], tmp_path / "copy.mp4"))
    three = [str(path) for path in videos]
    cases = [
        ([], "at least two videos"),
        (three[:1], "at least two videos"),
        ([*three, str(copy)], "are the same video"),
        ([three[0], three[1], three[0]], "are the same video"),
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
