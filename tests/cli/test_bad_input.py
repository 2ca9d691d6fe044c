"""One clear line for everything that can be wrong with what one was given."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import av
import pytest
from PIL import Image

from actor_observer import index, search
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.model import ActorObserverNet
from asked import as_nobody, small_network
from tiny import audio_only, write_video


def no_frames(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=12)
        stream.width, stream.height, stream.pix_fmt = 96, 48, "yuv420p"
        container.start_encoding()


def still(path: Path) -> None:
    Image.new("RGB", (60, 40)).save(path)


def one_frame(path: Path) -> None:
    write_video(path, frames=1)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "sound.mp4": (audio_only, "no video stream in it (only audio)"),
    "photo.jpg": (still, "a single picture, not a video"),
    "single.mp4": (one_frame, "a single picture, not a video"),
    "empty.mp4": (Path.touch, "the file is empty"),
    "none.avi": (no_frames, "no frames in it"),
    "text.mp4": (lambda path: path.write_text("hello"), "not a readable video"),
    "missing.mp4": (lambda path: None, "no such file"),
}


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command that must fail says, on its one line."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert stop.value.code == 2
    assert said.out == ""
    (line,) = said.err.strip().splitlines()
    assert line.startswith("actor-observer: ")
    return line.removeprefix("actor-observer: ")


def test_the_parser_does_not_speak_about_itself(capsys: pytest.CaptureFixture[str]) -> None:
    said = complaint(capsys, "index", "--data", "SET", "--out", "moments")
    assert "no option --data" in said and "applied to" not in said and "subcommand" not in said


def test_a_port_that_is_none_is_named_alone(videos, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint(capsys, "studio", videos[0], "--port", "99999") == "--port 99999: give a number from 1 to 65535"


def test_what_is_no_video_is_named_with_its_fault(network: ActorObserverNet, videos, tmp_path: Path) -> None:
    for name, (make, _) in BAD.items():
        make(tmp_path / name)
    done = index([*(tmp_path / name for name in BAD), videos[0]], tmp_path / "i", "first", model=network)
    assert done.added == [str(videos[0])]
    faults = {Path(fault.path).name: fault.what for fault in done.faults}
    assert faults.keys() == BAD.keys()
    assert all(what in faults[name] for name, (_, what) in BAD.items())


def test_one_odd_file_does_not_stop_a_folder(network: ActorObserverNet, tmp_path: Path, monkeypatch) -> None:
    write_video(tmp_path / "a.mp4")
    write_video(tmp_path / "strip.mp4", frames=4, size=(4000, 16))
    done = index(tmp_path, tmp_path / "i", "first", model=network)
    assert len(done.added) == 2

    def odd(take: object, *rest: object, **more: object) -> None:
        raise MemoryError("Unable to allocate 48 GiB")

    monkeypatch.setattr(sys.modules["actor_observer.features.extract"], "frames_at", odd)
    with pytest.raises(UserError, match=r"none of 2 videos can be read; .*cannot be decoded \(Unable to allocate"):
        index(tmp_path, tmp_path / "j", "first", model=network)


@pytest.mark.parametrize("verb", ["index", "search", "recognise", "select"])
def test_a_command_says_so_in_one_line(
    verb: str, network: ActorObserverNet, model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if verb == "select":
        pytest.importorskip("actor_observer.pictures.figures.weight_curve")
    index(videos[0], tmp_path / "i", "first", model=network)
    for name in ("sound.mp4", "photo.jpg"):  # all verbs open videos in one way
        make, what = BAD[name]
        path = tmp_path / name
        make(path)
        arguments: list[object] = {
            "index": [path, "--view", "first", "--out", tmp_path / "new"],
            "search": [tmp_path / "i", f"{path}@0.5"],
            "recognise": [path, "--view", "first"],
            "select": [path, "--view", "first", "--out", tmp_path / "new"],
        }[verb]
        assert complaint(capsys, verb, *arguments, "--model", model) == f"{path}: {what}"


def test_queries_that_cannot_be(
    network: ActorObserverNet, model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index(videos[0], tmp_path / "i", "first", model=network)
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff nothing")
    (tmp_path / "notes.txt").touch()
    for query, what in {
        f"{videos[0]}@6.01": "the video ends at 6.00 s",
        f"{videos[0]}@soon": "soon",
        str(videos[0]): "a video; say which moment of it, in seconds",
        str(tmp_path / "broken.jpg"): "broken.jpg: not a picture that can be read",
        str(tmp_path / "gone.png"): "gone.png: no such file",
        str(tmp_path / "notes.txt"): "neither a picture (jpg, ",
    }.items():
        with pytest.raises(UserError, match=re.escape(what)):
            search(tmp_path / "i", query, model=network)
    line = complaint(capsys, "search", tmp_path / "i", f"{videos[0]}@99", "--model", model)
    assert line == f"{videos[0]}@99: the video ends at 6.00 s"


def test_an_index_of_another_model_is_refused_and_both_are_named(
    network: ActorObserverNet, model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    small_network(seed=1).save_pretrained(other)
    index(videos[0], tmp_path / "i", "first", model=model)
    for arguments in (
        ["search", tmp_path / "i", f"{videos[0]}@1"],
        ["index", videos[1], "--view", "first", "--out", tmp_path / "i"],
    ):
        line = complaint(capsys, *arguments, "--model", other)
        assert line.startswith(f"{tmp_path / 'i'}: made by {model} (")
        assert f"not by {other} (" in line


def test_what_is_no_index(model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = f"{videos[0]}@1"
    assert "no index there" in complaint(capsys, "search", tmp_path, query, "--model", model)
    assert "--moment-rate" in complaint(
        capsys, "index", videos[0], "--view", "first", "--out", "x", "--moment-rate", "soon"
    )
    assert "above zero" in complaint(capsys, "index", videos[0], "--view", "first", "--out", "x", "--moment-rate", "0")
    assert "above zero" in complaint(capsys, "recognise", videos[0], "--view", "first", "--look-rate", "-1")
    view = ["--view", "first"]
    for verb, option in (("embed", "--look-rate"), ("index", "--moment-rate")):
        out = tmp_path / f"{verb}.npz"
        for wrong in ([option, "nan"], [option, "inf"], ["--device", "toaster"]):
            said = complaint(capsys, verb, videos[0], *view, "--out", out, *wrong)
            assert "a rate above zero" in said or "device toaster: cannot be used here" in said
        assert not list(tmp_path.glob(f"{verb}*")), "nothing is begun"
    assert "no videos to index" in complaint(capsys, "index", "--view", "first", "--out", "x")
    assert "--view" in complaint(capsys, "index", videos[0], "--out", tmp_path / "i")


def test_a_folder_that_may_only_be_read(
    network: ActorObserverNet, model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked = tmp_path / "locked"
    index(videos[0], locked / "i", "first", model=network)
    for path in (*locked.rglob("*"), locked):
        path.chmod(0o555)
    with as_nobody(locked, model, videos[0]):
        for out in (locked / "i", locked / "new"):
            line = complaint(capsys, "index", videos[1], "--view", "first", "--out", out, "--model", model)
            assert line == f"{out}: cannot be written (Permission denied)"
        line = complaint(capsys, "search", locked / "i", f"{videos[0]}@1", "--out", locked / "found", "--model", model)
        assert line == f"{locked / 'found'}: cannot be written (Permission denied)"
        submission = locked / "submission.txt"
        line = complaint(
            capsys, "recognise", videos[0], "--view", "first", "--model", model, "--submission", submission
        )
        assert line == f"{submission}: cannot be written (Permission denied)"


def test_an_old_option_is_answered_with_its_new_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint(capsys, "select", "a.mp4", "--rate", "3") == "--rate: it is called --look-rate now"
    assert "frames looked at are --look-rate" in complaint(capsys, "align", "a.mp4", "b.mp4", "--rate", "3")
    assert complaint(capsys, "index", "a.mp4", "--rate=3") == "--rate: it is called --moment-rate now"


def test_explain_takes_a_device(model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["explain", f"{videos[0]}@1", "--model", model, "--out", tmp_path / "maps", "--device"]
    assert "device toaster: cannot be used here" in complaint(capsys, *command, "toaster")
    main([*map(str, command), "cpu", "--json"])
    assert "maps" in capsys.readouterr().out and list((tmp_path / "maps").glob("*.png"))
