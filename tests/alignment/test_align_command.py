"""`align` as people use it, and what they may hand it by mistake: one clear line each."""

import importlib
import json
import os
import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from actor_observer.cli import main
from actor_observer.pairs import read_manifest
from forked import Forked
from same_scene import write_scene
from tiny import write_video
from two_cameras import write_frames


@pytest.fixture(scope="module")
def model(scene_model: Path) -> Path:
    return scene_model


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("videos")
    third = write_scene(folder / "room.mp4", 18, fps=8)
    return third, write_scene(folder / "head.mp4", 14, fps=12, start=2.0)


def mistake(capsys: pytest.CaptureFixture[str], arguments: Sequence[object]) -> str:
    """The one line that a command says before it ends with exit code 2."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    assert stop.value.code == 2
    said = capsys.readouterr()
    (line,) = filter(None, said.err.splitlines())
    assert said.out == ""
    return line


def test_it_answers_people_and_programs(
    model: Path, videos: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["align", *map(str, videos), "--model", str(model), "--side-by-side", str(tmp_path / "both.mp4")])
    said = capsys.readouterr().out
    assert "observer    room.mp4, 18.0 s" in said
    assert "clock       observer = " in said
    assert read_length(tmp_path / "both.mp4") == pytest.approx(14, abs=1)
    main(["align", *map(str, videos), "--model", str(model), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert abs(answer["offset"] - 2.0) < 0.4
    assert answer["calibrated"] == (answer["hypothesis"] == "one event")  # motion was; this model was not


def test_the_order_of_two_files_does_not_matter_where_one_moves_like_a_head_camera(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (72, 96), dtype=np.uint8)
    steps = np.random.default_rng(1).integers(-9, 10, 70).cumsum()
    still = np.repeat(noise[None], 70, axis=0)
    for number in range(70):
        still[number, 30:40, 20 + number // 2 : 30 + number // 2] = 250
    room = write_frames(tmp_path / "room.mp4", still, 10)
    head = write_frames(tmp_path / "head.mp4", np.stack([np.roll(noise, step, axis=1) for step in steps]), 10)
    answers = []
    for files in ((room, head), (head, room)):
        main(["align", *map(str, files), "--model", str(model), "--json"])
        said = capsys.readouterr()
        assert ("head.mp4 moves like a head camera" in said.err) == (files[0] == head)
        answers.append(json.loads(said.out))
    assert answers[0] == answers[1] and answers[0]["third"] == str(room)
    main(["align", str(head), str(room), "--first", str(room), "--model", str(model), "--json"])
    named = capsys.readouterr()
    assert json.loads(named.out)["first"] == str(room) and "moves like" not in named.err


def test_a_folder_gets_everything(model: Path, videos: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("actor_observer.pictures.figures.film_strips")
    main(["align", *map(str, videos), "--model", str(model), "--out", str(tmp_path / "out")])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "alignment.json",
        "alignment.png",
        "anchors.csv",
    ]
    (pair,) = read_manifest(tmp_path / "out" / "anchors.csv").pairs
    assert abs(pair.clock.to_third(4.0) - 6.0) < 0.6


def test_what_is_no_video(
    model: Path, videos: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.mp4").write_bytes(b"")
    one = write_video(tmp_path / "one.mp4", frames=1)
    cases = {
        write_picture(tmp_path / "picture.png"): "a single picture, not a video",
        one: "a single picture, not a video",
        tmp_path / "empty.mp4": "the file is empty",
        tmp_path / "missing.mp4": "no such file",
    }
    for path, why in cases.items():
        assert mistake(capsys, ["align", path, videos[1], "--model", model]) == f"actor-observer: {path}: {why}"
    assert "empty.mp4: the file is empty" in mistake(
        capsys, ["align", videos[0], tmp_path / "empty.mp4", "--model", model]
    )


def test_no_recording_is_overwritten(
    videos: Sequence[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = [Path(shutil.copy(video, tmp_path)) for video in videos]
    before = [copy.read_bytes() for copy in copies]
    for copy in copies:
        assert "would overwrite the recording" in mistake(capsys, ["align", *copies, "--side-by-side", copy])
    assert [copy.read_bytes() for copy in copies] == before


def test_the_same_video_twice_is_refused(
    videos: Sequence[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copy(videos[0], tmp_path / "copy.mp4"))
    for other in (videos[0], copy):
        assert "are the same recording" in mistake(capsys, ["align", videos[0], other])


def test_one_signal_alone_is_no_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imu = tmp_path / "imu.csv"
    imu.write_text("time_s,gyro_x\n" + "".join(f"{n / 100},{n % 7}\n" for n in range(500)))
    assert mistake(capsys, ["align", imu]).startswith(f"actor-observer: {imu}: alone it is in step with nothing")
    assert "no such file" in mistake(capsys, ["align", tmp_path / "pairs.csv"])
    (tmp_path / "pairs.csv").write_text("id,third,first\n")
    assert "is a data set: align needs --out" in mistake(capsys, ["align", tmp_path / "pairs.csv"])


def test_what_is_no_model(videos: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.safetensors").write_bytes(b"{}" * 20)
    assert "there is no model.safetensors in this folder" in mistake(
        capsys, ["align", *videos, "--model", tmp_path / "nothing"]
    )
    assert "not a whole safetensors file" in mistake(capsys, ["align", *videos, "--model", tmp_path / "broken"])
    assert "choose one" in mistake(capsys, ["align", *videos, "--model", tmp_path, "--backbone", "resnet18"])
    assert "no backbone 'resnet9'" in mistake(capsys, ["align", *videos, "--backbone", "resnet9"])
    assert "a rate above zero" in mistake(capsys, ["align", *videos, "--look-rate", "0"])


def test_a_folder_that_may_not_be_written(
    model: Path, videos: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for option in (["--out", tmp_path / "file" / "out"], ["--side-by-side", tmp_path / "file" / "both.mp4"]):
        assert "cannot be written" in mistake(capsys, ["align", *videos, "--model", model, *option])
    embed = ["embed", videos[0], "--view", "third", "--model", model, "--out", tmp_path / "file" / "e.npz"]
    assert "cannot be written" in mistake(capsys, embed)
    if os.geteuid() == 0:  # root may write anywhere: be nobody, who may not
        (tmp_path / "closed").mkdir(mode=0o755)
        assert (tmp_path / "closed").stat().st_uid == 0
        for path in (tmp_path, *tmp_path.parents, *videos, *(parent for video in videos for parent in video.parents)):
            path.chmod(path.stat().st_mode | 0o555)
        for path in (model, *model.parents, *model.iterdir()):
            path.chmod(path.stat().st_mode | 0o555)
        importlib.import_module("matplotlib.font_manager")  # whose cache is root's
        os.seteuid(65534)
        try:
            line = mistake(
                capsys, ["align", *videos, "--model", model, "--side-by-side", tmp_path / "closed" / "b.mp4"]
            )
        finally:
            os.seteuid(0)
        assert "b.mp4: cannot be written (Permission denied)" in line


ALIGN_AND_TELL_MEMORY = """
import re
from actor_observer.alignment import asked
from actor_observer.alignment.align import align
asked.MOST_FRAMES = 400  # or the test would take minutes
found = align(long, short, model=model)
peak = int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])  # not ru_maxrss
print(found.lengths[0], found.look_rate, peak // 1024)
"""


def test_twelve_hours_need_little_memory(model: Path, videos: tuple[Path, Path], tmp_path: Path) -> None:
    """Few frames that last long: every time still has a frame, and the matrix is as large as it may get."""
    long = tmp_path / "long.mp4"
    stamps = [number * 60_000 for number in range(12 * 60)]
    write_video(long, frames=len(stamps), stamps=stamps, gop=60)
    process = Forked(exec, ALIGN_AND_TELL_MEMORY, {"long": long, "short": videos[1], "model": model})
    said = process.wait()
    assert process.returncode == 0, said
    length, rate, megabytes = map(float, said.split())
    assert length == pytest.approx(12 * 3600, abs=120)
    assert rate < 0.01
    assert megabytes < 1024


def read_length(path: Path) -> float:
    with av.open(str(path)) as file:
        return float(file.duration or 0) / av.time_base


def write_picture(path: Path) -> Path:
    encoder: Any = av.CodecContext.create("png", "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = 48, 48, "rgb24", Fraction(1, 1)
    frame = av.VideoFrame.from_ndarray(np.zeros((48, 48, 3), dtype=np.uint8), format="rgb24")
    path.write_bytes(bytes(encoder.encode(frame)[0]))
    return path
