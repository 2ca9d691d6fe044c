"""A sound recorder's file is a recording, too: sound alone puts it on the cameras' clock."""

import json
from pathlib import Path

import pytest

from actor_observer.alignment.align import align
from actor_observer.alignment.cameras.many import align_many
from actor_observer.alignment.recordings.recording import open_recorder
from actor_observer.cli import main
from actor_observer.errors import TakeError, UserError
from tiny import audio_only, write_video
from tiny_sound import write_recorder, write_sounding
from two_cameras import RATE, random_event

EVENT = random_event(30.0, seed=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cameras and a recorder on one event; they start at 0, 3 and 5 s of it."""
    folder = tmp_path_factory.mktemp("recorder")
    write_sounding(folder / "room.mp4", EVENT.knocks(0.0, 26.0, salt=1), RATE)
    write_sounding(folder / "room2.mp4", EVENT.knocks(3.0, 22.0, salt=2), RATE)
    write_recorder(folder / "recorder.wav", EVENT.knocks(5.0, 20.0, salt=3), RATE)
    return folder


def aligned(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, tuple[float, str]]:
    """Each file's offset and verdict."""
    main(["align", *map(str, arguments), "--json"])
    cameras = json.loads(capsys.readouterr().out)["cameras"]
    return {Path(camera["path"]).name: (camera["offset"], camera["verdict"]) for camera in cameras}


def test_a_recorder_and_a_camera(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = aligned(capsys, folder / "room.mp4", folder / "recorder.wav")
    assert found["room.mp4"] == (0.0, "in step")
    assert found["recorder.wav"] == (pytest.approx(5.0, abs=0.05), "in step")
    main(["align", str(folder / "room.mp4"), str(folder / "recorder.wav")])
    said = capsys.readouterr().out
    assert "room.mp4      room" in said and "recorder.wav  recorder" in said and "head" not in said


def test_what_is_heard_alone_has_the_error_bar_of_what_is_heard(folder: Path) -> None:
    later = write_recorder(folder / "later.wav", EVENT.knocks(7.0, 18.0, salt=6), RATE)
    _, found = align_many([folder / "recorder.wav", later]).cameras
    assert found.verdict == "in step" and abs(found.offset - 2.0) <= found.offset_error < 0.1


def test_two_recordings_of_which_one_has_no_pictures_are_pointed_to_the_right_call(folder: Path) -> None:
    with pytest.raises(UserError, match=r"recorder.wav has no pictures: align_many"):
        align(folder / "room.mp4", folder / "recorder.wav")


def test_among_several_and_in_other_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flac = write_recorder(folder / "lapel.flac", EVENT.knocks(1.0, 24.0, salt=4), RATE, "flac")
    m4a = write_recorder(folder / "phone.m4a", EVENT.knocks(4.0, 21.0, salt=5), RATE, "aac")
    cameras = [folder / "room.mp4", folder / "room2.mp4"]
    found = aligned(capsys, *cameras, flac, m4a, "--first", "none")
    truth = {"room.mp4": 0.0, "room2.mp4": 3.0, "lapel.flac": 1.0, "phone.m4a": 4.0}
    assert {name: offset for name, (offset, _) in found.items()} == pytest.approx(truth, abs=0.1)
    assert {verdict for _, verdict in found.values()} == {"in step"}


def test_what_cannot_be_heard_is_one_line(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silent = write_video(tmp_path / "silent.mp4", frames=60)
    recorder = folder / "recorder.wav"
    cases = [
        ([silent, recorder], "no other recording has sound: nothing to compare"),
        ([folder / "room.mp4", recorder, "--first", recorder], "it has no pictures, so it is no head camera's"),
    ]
    for arguments, line in cases:
        with pytest.raises(SystemExit) as stop:
            main(["align", *map(str, arguments)])
        assert stop.value.code == 2 and line in capsys.readouterr().err
    audio_only(tmp_path / "short.m4a")
    assert open_recorder(tmp_path / "short.m4a").motion.still
    with pytest.raises(TakeError, match="no sound in it"):
        open_recorder(silent)
