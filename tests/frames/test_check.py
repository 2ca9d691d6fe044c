"""Bad files: each gets one line that names the file and the fault; the run goes on without it; nothing hangs."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import av
import pytest

from actor_observer.errors import TakeError
from actor_observer.frames import check_manifest, check_take, frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.quick_look import look_quickly
from actor_observer.pairs import Take, read_manifest
from tiny import audio_only, number_of, numbered_frame, write_csv, write_frames, write_video

pytestmark = pytest.mark.timeout(300)  # each is a matter of milliseconds: none may hang


def empty(path: Path) -> None:
    path.write_bytes(b"")


def not_a_video(path: Path) -> None:
    path.write_text("this is a text, not a video\n" * 50)


def cut_without_index(path: Path) -> None:
    content = write_video(path, frames=120).read_bytes()
    path.write_bytes(content[: len(content) // 2])


def cut_after_index(path: Path) -> None:
    content = write_video(path, frames=120, container_options={"movflags": "faststart"}).read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def lying_header(path: Path) -> None:
    """Count of frames in the AVI header made three times as large."""
    content = bytearray(write_video(path.with_suffix(".avi"), 60, codec="mpeg4").read_bytes())
    for tag, offset in ((b"avih", 8 + 16), (b"strh", 8 + 32)):
        place = content.index(tag) + offset
        assert int.from_bytes(content[place : place + 4], "little") == 60
        content[place : place + 4] = (180).to_bytes(4, "little")
    path.write_bytes(content)


def glued(path: Path) -> None:
    """Two recordings in one file: time runs backwards in the middle."""
    part = write_video(path.with_suffix(".ts"), frames=40).read_bytes()
    path.write_bytes(part + part)


def still_picture(path: Path) -> None:
    write_frames(path.with_suffix(""), frames=1)
    (picture,) = path.with_suffix("").iterdir()
    path.write_bytes(picture.read_bytes())


def playlist(path: Path) -> None:
    """A text that makes some readers open other files and addresses."""
    other = write_video(path.with_name("other.mp4"))
    path.write_text(f"ffconcat version 1.0\nfile '{other}'\n")


def damaged_inside(path: Path) -> None:
    content = bytearray(write_video(path, frames=120, gop=120).read_bytes())
    start, end = len(content) // 10, len(content) * 6 // 10
    content[start:end] = bytes(end - start)
    path.write_bytes(content)


BROKEN: dict[Callable[[Path], None], str] = {
    empty: "empty",
    not_a_video: "not a readable video",
    cut_without_index: "not a readable video, or cut short",
    cut_after_index: "cut short",
    lying_header: "promises 180 frames, the file holds 60",
    glued: "out of order",
    audio_only: "no video stream in it .only audio",
    still_picture: "not a readable video",
    playlist: "not a readable video",
}


@pytest.mark.parametrize("make", BROKEN, ids=lambda make: make.__name__)
def test_one_line_names_file_and_fault(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "broken.mp4"
    make(path)
    (fault,) = check_take(Take("a", "third", path, length=5.0))
    assert fault.left_out
    assert str(fault).startswith(str(path))
    assert re.search(BROKEN[make], str(fault)), str(fault)
    assert "\n" not in str(fault)
    with pytest.raises(TakeError, match=r"broken\.mp4"):
        frames_at(path, [0.0, 3.0, 4.9])


@pytest.mark.parametrize("fill", [bytes, lambda count: b"\x9c\x11" * (count // 2)], ids=["zeros", "rubbish"])
def test_an_mp4_whose_end_is_not_video_is_found(tmp_path: Path, fill: Callable[[int], bytes]) -> None:
    """A download that reserved its space and was broken off: the table of frames is whole, the frames are not."""
    path = write_video(tmp_path / "a.mp4", frames=120, container_options={"movflags": "faststart"})
    assert look_quickly(path) is not None
    content = path.read_bytes()
    tail = len(content) // 40 * 2
    path.write_bytes(content[:-tail] + fill(tail))
    (fault,) = check_take(Take("a", "third", path, length=10.0))
    assert fault.left_out and "damaged" in str(fault)


def test_a_quick_look_agrees_with_reading_the_file(tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mov", "c.mkv"):
        path = write_video(tmp_path / name, frames=50, gop=20)
        quick, read = look_quickly(path), index_video(path)
        assert (quick is None) == (name == "c.mkv")  # which has no table of all frames
        assert quick is None or (abs(quick.end - read.end) < 0.01 and quick.video_streams == 1)
        assert check_take(Take("a", "third", path, length=read.end)) == []


def test_damage_in_the_middle_is_found_when_its_frames_are_wanted(tmp_path: Path) -> None:
    damaged_inside(tmp_path / "a.mp4")
    with pytest.raises(TakeError, match=r"a\.mp4: damaged: decoding fails after"):
        frames_at(tmp_path / "a.mp4", [0.0, 3.0, 4.9])


def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    with pytest.raises(TakeError, match="not a regular file"):
        frames_at(tmp_path / "pipe.mp4", [0.0])


def test_metadata_that_is_not_utf8_does_no_harm(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.avi", 24, codec="mpeg4", metadata={"title": "XXXXXXXX"})
    path.write_bytes(path.read_bytes().replace(b"XXXXXXXX", b"caf\xe9\xff\xfe\xe9\xe9"))
    assert b"caf\xe9" in path.read_bytes()
    assert check_take(Take("a", "third", path, length=2.0)) == []
    assert number_of(frames_at(path, [1.0])[0]) == 12


def test_several_video_streams_use_the_first_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "two.mp4"
    with av.open(str(path), "w") as container:
        streams = [container.add_stream("libx264", rate=12) for _ in range(2)]
        for stream in streams:
            stream.width, stream.height, stream.pix_fmt = 96, 48, "yuv420p"
        for number in range(24):
            for offset, stream in zip((0, 1000), streams, strict=True):
                frame = av.VideoFrame.from_ndarray(numbered_frame(number + offset), format="rgb24")
                container.mux(stream.encode(frame))
        for stream in streams:
            container.mux(stream.encode())
    (fault,) = check_take(Take("a", "third", path, length=2.0))
    assert not fault.left_out
    assert "2 video streams" in str(fault)
    assert number_of(frames_at(path, [1.0])[0]) == 12


def test_folders_with_a_gap_a_cut_frame_or_nothing(tmp_path: Path) -> None:
    gap = write_frames(tmp_path / "gap", frames=9)
    (gap / "gap-000005.jpg").unlink()
    cut = write_frames(tmp_path / "cut", frames=3)
    (cut / "cut-000003.jpg").write_bytes(b"")
    (tmp_path / "none").mkdir()
    for name, complaint in (("gap", "1 gap"), ("cut", "empty"), ("none", "no frames")):
        (fault,) = check_take(Take("a", "third", tmp_path / name, length=0.3, frame_rate=24.0))
        assert fault.left_out and complaint in str(fault)


def test_a_length_that_does_not_match_is_told(tmp_path: Path) -> None:
    (fault,) = check_take(Take("a", "third", write_video(tmp_path / "a.mp4", frames=24), length=31.0))
    assert "annotated as 31.0 s long, the file lasts 2.0 s" in str(fault)


def test_the_run_goes_on_without_the_broken_takes(tmp_path: Path) -> None:
    rows = []
    for number, make in enumerate((None, cut_after_index, None, glued)):
        for view in ("third", "first"):
            write_video(tmp_path / f"{number}.{view}.mp4", frames=60)
        if make:
            make(tmp_path / f"{number}.first.mp4")
        rows.append({"id": number, "third": f"{number}.third.mp4", "first": f"{number}.first.mp4"})
    write_csv(tmp_path / "pairs.csv", rows, ["id", "third", "first"])
    seen: list[None] = []
    manifest = check_manifest(read_manifest(tmp_path), lambda: seen.append(None))
    assert len(seen) == 8
    assert {pair.id for pair in manifest.pairs} == {"0", "2"}
    assert sorted(Path(fault.path).name for fault in manifest.faults) == ["1.first.mp4", "3.first.mp4"]
