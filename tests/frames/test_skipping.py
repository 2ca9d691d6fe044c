"""Frames that nobody refers to are skipped where they are not wanted: those that come out are the same to the bit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames import frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import frames_in_order
from tiny import write_video

FRAMES = 60
UNEVEN = np.cumsum(np.random.default_rng(0).integers(10, 200, FRAMES)).tolist()
PYRAMID = {"x264-params": "bframes=3:b-adapt=0:b-pyramid=normal:keyint=250:min-keyint=250:scenecut=0"}
OPEN = {"x264-params": "open-gop=1:bframes=3:b-adapt=0:keyint=10:min-keyint=10"}
HEVC = "log-level=none:bframes=4:b-adapt=0"

# Name, and how it is written.
KINDS: dict[str, dict[str, Any]] = {
    "no frame refers ahead.mp4": {"options": {"bf": "0"}},
    "pyramid.mp4": {"options": PYRAMID},
    "open groups.mp4": {"options": OPEN},
    "uneven.mp4": {"options": PYRAMID, "stamps": UNEVEN},
    "late.mkv": {"options": OPEN, "stamps": [7000 + 40 * number for number in range(FRAMES)]},
    "cut off.ts": {"options": PYRAMID},
    "hidden.mp4": {"options": PYRAMID},
    "two fields.mp4": {"options": {"x264-params": "tff=1:bframes=3:b-adapt=0"}, "size": (96, 64)},
    "hevc.mp4": {"codec": "libx265", "options": {"x265-params": f"{HEVC}:keyint=30"}},
    "hevc open groups.mkv": {"codec": "libx265", "options": {"x265-params": f"{HEVC}:open-gop=1:keyint=12"}},
    "hevc.ts": {"codec": "libx265", "options": {"x265-params": HEVC}},
    "hevc of three layers.mp4": {"codec": "libx265", "options": {"x265-params": f"{HEVC}:temporal-layers=3"}},
    "mpeg4.avi": {"codec": "mpeg4", "options": {"bf": "2", "q": "2"}},
    "mpeg2.ts": {"codec": "mpeg2video", "fps": 25, "options": {"bf": "2", "q": "2"}},
    "mpeg1.mpg": {"codec": "mpeg1video", "fps": 25, "options": {"bf": "2", "q": "2"}},
    "vp9.webm": {"codec": "libvpx-vp9", "options": {"cpu-used": "8", "lag-in-frames": "12"}},
    "av1.mp4": {"codec": "libsvtav1", "options": {"preset": "12"}},
    "every frame alone.mov": {"codec": "mjpeg", "pix_fmt": "yuvj420p"},
}
KINDS = {name: how for name, how in KINDS.items() if how.get("codec", "libx264") in av.codecs_available}
SAVED = ["pyramid.mp4", "open groups.mp4", "uneven.mp4", "hevc.mp4", "hevc open groups.mkv", "mpeg4.avi"]


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("skipped")
    made = {name: write_video(folder / name, **({"frames": FRAMES, "gop": 250} | how)) for name, how in KINDS.items()}
    cut = made["cut off.ts"]
    cut.write_bytes(cut.read_bytes()[: int(cut.stat().st_size * 0.7) // 188 * 188])
    hide_beginning(made["hidden.mp4"], made["pyramid.mp4"])
    return made


@pytest.fixture(scope="module")
def whole(videos: dict[str, Path]) -> dict[str, dict[int, NDArray[np.uint8]]]:
    """Every frame of every video by its stamp, decoded without skipping."""
    return {name: decoded(path) for name, path in videos.items()}


def decoded(path: Path) -> dict[int, NDArray[np.uint8]]:
    with av.open(str(path)) as container:
        return {int(frame.pts or 0): frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)}


def hide_beginning(path: Path, source: Path, count: int = 7) -> None:
    """The same packets, the first frames of which an edit list hides."""
    with av.open(str(source)) as old, av.open(str(path), "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for packet in old.demux(video=0):
            if packet.size:
                shift = count * packet.duration
                packet.pts, packet.dts, packet.stream = packet.pts - shift, packet.dts - shift, stream
                new.mux(packet)


def expected(path: Path, whole: dict[int, NDArray[np.uint8]], frames: Sequence[int]) -> list[NDArray[np.uint8]]:
    return [whole[int(index_video(path).pts[frame])] for frame in frames]


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=12, deadline=None)
@given(chosen=st.sets(st.integers(0, FRAMES - 1), min_size=1, max_size=9), threads=st.sampled_from([0, 1, 3]))
def test_whatever_is_wanted_comes_out_as_when_all_is_decoded(
    videos: dict[str, Path], whole: dict[str, dict[int, NDArray[np.uint8]]], name: str, chosen: set[int], threads: int
) -> None:
    path = videos[name]
    index = index_video(path)
    frames = sorted({number % len(index.times) for number in chosen})
    wanted = expected(path, whole[name], frames)
    at_random = frames_at(path, index.times[frames], threads=threads).permute(0, 2, 3, 1).numpy()
    np.testing.assert_array_equal(at_random, wanted)
    np.testing.assert_array_equal(list(frames_in_order(path, index.times[frames], threads=threads)), wanted)


@pytest.mark.parametrize("name", SAVED)
def test_a_frame_that_nobody_needs_is_not_decoded(
    videos: dict[str, Path], whole: dict[str, dict[int, NDArray[np.uint8]]], name: str, tmp_path: Path
) -> None:
    """It may as well be damaged."""
    path, harmed = videos[name], tmp_path / name
    index = index_video(path)
    frames = list(range(0, len(index.times), 5))
    needless = needless_packets(path, {int(index.pts[frame]) for frame in frames})
    assert len(needless) > FRAMES / 6
    content = bytearray(path.read_bytes())
    for payload in needless:
        at = content.index(payload)
        content[at + len(payload) // 2 : at + len(payload)] = b"\xff" * (len(payload) - len(payload) // 2)
    harmed.write_bytes(content)
    wanted = expected(path, whole[name], frames)
    np.testing.assert_array_equal(frames_at(harmed, index.times[frames]).permute(0, 2, 3, 1).numpy(), wanted)
    np.testing.assert_array_equal(list(frames_in_order(harmed, index.times[frames])), wanted)


def needless_packets(path: Path, wanted: set[int]) -> list[bytes]:
    """What is not wanted, and left out by a decoder that skips all that may be skipped."""
    with av.open(str(path)) as container:
        container.streams.video[0].codec_context.skip_frame = "NONREF"
        referred_to = {frame.pts for frame in container.decode(video=0)}
    with av.open(str(path)) as container:
        packets = {packet.pts: bytes(packet) for packet in container.demux(video=0) if packet.size}
    return [payload for stamp, payload in packets.items() if stamp not in referred_to | wanted]


@pytest.mark.parametrize("name", ["pyramid.mp4", "hevc.mp4", "mpeg2.ts"])
def test_a_damaged_file_says_so_or_gives_what_it_can(
    videos: dict[str, Path], whole: dict[str, dict[int, NDArray[np.uint8]]], name: str, tmp_path: Path
) -> None:
    """Frames before the damage are right; what a decoder makes up after it is nobody's."""
    rng, harmed = np.random.default_rng(0), tmp_path / name
    times = index_video(videos[name]).times[::5]
    with av.open(str(videos[name])) as container:  # harm in the table of an mp4 would move frames in time
        packets = [bytes(packet) for packet in container.demux(video=0) if packet.size][FRAMES // 3 :]
    for attempt in range(8):
        content = bytearray(videos[name].read_bytes())
        for place in rng.choice(len(packets), 3 + attempt, replace=False):
            at = content.find(packets[place])  # a transport stream has cut some into pieces
            if at >= 0:
                content[at + int(rng.integers(len(packets[place])))] ^= 0xFF
        harmed.write_bytes(content)
        for read in (frames_at, frames_in_order):
            try:
                found = [np.asarray(frame) for frame in read(harmed, times, threads=1)]
            except TakeError as error:
                assert str(error).startswith(str(harmed)) and "\n" not in str(error)
                continue
            assert len(found) == len(times)
            first = found[0] if read is frames_in_order else found[0].transpose(1, 2, 0)
            np.testing.assert_array_equal(first, expected(videos[name], whole[name], [0])[0])
