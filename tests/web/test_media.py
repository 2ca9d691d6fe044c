"""Videos that browsers cannot play are converted; recordings without a length get one."""

from __future__ import annotations

import time
from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.disk.sealed_json import read_sealed_json
from actor_observer.errors import TakeError
from actor_observer.frames import frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.web.media.convert import convert
from actor_observer.web.media.playable import examine
from actor_observer.web.media.wave import write_wave
from served import serving
from tiny import number_of, write_frames, write_video
from tiny_sound import clicks, match_sound, write_sounding

KINDS = {
    "plain.mp4": ("libx264", "yuv420p", True),
    "plain.webm": ("libvpx", "yuv420p", True),
    "hevc.mp4": ("libx265", "yuv420p", False),
    "ten-bit.mp4": ("libx264", "yuv420p10le", False),
    "old.avi": ("mpeg4", "yuv420p", False),
    "wrapped.mkv": ("libx264", "yuv420p", False),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_browsers_cannot_play_is_made_playable_with_the_same_frames(tmp_path: Path, name: str) -> None:
    codec, pixels, plays = KINDS[name]
    options = {"x265-params": "log-level=none"} if codec == "libx265" else {}
    path = write_video(tmp_path / name, 24, 12, codec, pixels, size=(192, 96), options=options)
    assert examine(path).plays is plays
    out = tmp_path / "out" / "made.mp4"
    if plays:
        return
    shares: list[float] = []
    convert(path, out, None, shares.append)
    facts = examine(out)
    assert facts.plays and facts.length == pytest.approx(2.0, abs=0.1)
    assert [number_of(frame) for frame in frames_at(out, [0.0, 0.5, 1.95])] == [0, 6, 23]
    assert shares and all(0 <= share <= 1 for share in shares)
    assert [path.name for path in out.parent.iterdir()] == ["made.mp4"], "nothing half is left"


@pytest.mark.parametrize(
    ("name", "codec", "at_first"),
    [("new.mp4", "libsvtav1", "av1"), ("new.mkv", "libsvtav1", "av1"), ("old.mkv", "libvpx", "h264")],
)
def test_a_browser_that_cannot_play_av1_gets_h264(tmp_path: Path, name: str, codec: str, at_first: str) -> None:
    other = write_video(tmp_path / "room.mp4", 4, 4)
    options = {"preset": "12"} if codec == "libsvtav1" else {}
    path = write_video(tmp_path / name, 24, 12, codec, size=(192, 96), options=options)
    with serving(tmp_path / "studio", other, path) as served:
        client, studio = served.client(), served.studio

        def given(force: str) -> str:
            """The codec of what the page gets."""
            while (state := client.good("GET", f"/api/ready?take={name}{force}"))["state"] != "done":
                assert state["state"] != "failed", state["error"]
                time.sleep(0.05)
            (tmp_path / "given.mp4").write_bytes(client.raw("GET", f"/media/video?take={name}")[1])
            return examine(tmp_path / "given.mp4").video

        assert given("") == at_first, "as it is, or its pictures in a container that browsers know; mp4 holds no VP8"
        assert given("&force=true") == "h264"
        assert [number_of(frame) for frame in frames_at(tmp_path / "given.mp4", [0.0, 1.95])] == [0, 23]
        assert studio.prepare(studio.take(name), force=True) is None, "once"


def test_what_is_encoded_again_keeps_its_sound_in_step(tmp_path: Path) -> None:
    times = np.cumsum(np.random.default_rng(0).uniform(0.2, 0.9, 16))
    source = write_sounding(tmp_path / "mpeg4.mp4", clicks(10.0, times.tolist()), start=0.3)  # MPEG-4 pictures
    convert(source, tmp_path / "out.mp4", None)
    with av.open(str(tmp_path / "out.mp4")) as made:
        assert made.streams.video[0].codec_context.name == "h264"
    match = match_sound(source, tmp_path / "out.mp4")
    assert match is not None and match.sure and abs(match.offset) < 0.01


def test_a_folder_of_frames_becomes_a_video(tmp_path: Path) -> None:
    convert(write_frames(tmp_path / "A", 12), tmp_path / "made.mp4", 6.0)
    assert examine(tmp_path / "made.mp4").length == pytest.approx(2.0, abs=0.2)


def test_a_browser_recording_gets_a_length_and_times_that_increase(tmp_path: Path) -> None:
    """As MediaRecorder writes it: a stream without a length or an index, two frames at one millisecond."""
    path = tmp_path / "recorded.webm"
    stamps = [0, 33, 67, 67, 100, 133, 200, 233, 267, 300]
    with path.open("wb") as file:

        class Pipe:  # a target that cannot seek back to write the length
            def write(self, content: bytes) -> int:
                return file.write(content)

        with av.open(Pipe(), "w", format="webm", options={"live": "1"}) as container:  # type: ignore[call-overload]
            stream = container.add_stream("libvpx", rate=30)
            stream.width, stream.height, stream.pix_fmt = 96, 48, "yuv420p"
            from tiny import numbered_frame

            packets = []
            for number in range(len(stamps)):
                frame = av.VideoFrame.from_ndarray(numbered_frame(number), format="rgb24")
                frame.pts = number
                packets += stream.encode(frame)
            packets += stream.encode()
            for packet, stamp in zip(packets, stamps, strict=True):
                packet.pts = packet.dts = stamp
                packet.time_base = __import__("fractions").Fraction(1, 1000)
                container.mux(packet)
    assert not examine(path).plays
    convert(path, tmp_path / "made.webm", None)
    facts = examine(tmp_path / "made.webm")
    assert facts.plays and facts.video == "vp8" and facts.length > 0.3
    assert len(index_video(tmp_path / "made.webm").times) == len(stamps)


def test_a_text_named_mp4_is_a_clear_fault(tmp_path: Path) -> None:
    (tmp_path / "notes.mp4").write_text("not a video")
    with pytest.raises(TakeError, match="not a readable video"):
        examine(tmp_path / "notes.mp4")


def test_loudness_is_drawn_where_the_sound_is(tmp_path: Path) -> None:
    source = write_sounding(tmp_path / "clap.mp4", clicks(8.0, [6.0]), start=0.5)
    write_wave(source, 10.0, tmp_path / "wave" / "a.json")
    found = read_sealed_json((tmp_path / "wave" / "a.json").read_bytes())["peaks"]
    assert len(found) == 1200 and max(found) == 255
    assert abs(int(np.argmax(found)) / 120 - 6.5) < 0.1, "the clap, half a second after the sound begins"
    write_wave(write_video(tmp_path / "mute.mp4", 8, 4), 2.0, tmp_path / "b.json")
    assert read_sealed_json((tmp_path / "b.json").read_bytes()) == {"peaks": []}
