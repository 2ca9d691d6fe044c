"""`frames_at` gives the frame on screen at a time, exactly, whatever the file."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.errors import TakeError
from actor_observer.frames import frames_at
from actor_observer.pairs import Take
from tiny import number_of, write_frames, write_video

# Name, and how it is written: many group structures, containers and codecs.
KINDS = {
    "h264 with B-frames.mp4": {"options": {"bf": "3"}},
    "h264 long group.mp4": {"gop": 250, "options": {"bf": "3", "b-pyramid": "normal"}},
    "h264 open groups.mp4": {"options": {"x264-params": "open-gop=1:bframes=3:keyint=10:min-keyint=10"}},
    "h264.mkv": {"options": {"bf": "2"}},
    "h264.ts": {"options": {"bf": "2"}},
    "hevc.mp4": {"codec": "libx265", "options": {"x265-params": "bframes=3:log-level=none"}},
    "mpeg4.avi": {"codec": "mpeg4", "options": {"bf": "2", "q": "2"}},
    "every frame a keyframe.mp4": {"gop": 1},
    "10 bit.mp4": {"pix_fmt": "yuv420p10le"},
    "full colour.mp4": {"pix_fmt": "yuv444p"},
}


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("videos")
    return {name: write_video(folder / name, frames=60, fps=12, **how) for name, how in KINDS.items()}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_every_frame_of_every_kind_of_file(videos: dict[str, Path], name: str, threads: int) -> None:
    times = np.arange(60) / 12
    assert [number_of(frame) for frame in frames_at(videos[name], times, threads=threads)] == list(range(60))


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=15, deadline=None)
@given(wanted=st.lists(st.tuples(st.integers(0, 59), st.floats(0, 0.98)), min_size=1, max_size=8))
def test_any_times_in_any_order(videos: dict[str, Path], name: str, wanted: list[tuple[int, float]]) -> None:
    times = [(number + share) / 12 for number, share in wanted]
    assert [number_of(frame) for frame in frames_at(videos[name], times)] == [number for number, _ in wanted]


def test_pixels_equal_a_plain_decode(videos: dict[str, Path]) -> None:
    """Skipping frames nobody wants must not change the ones we keep."""
    path = videos["h264 long group.mp4"]
    with av.open(str(path)) as container:
        plain = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    picked = [3, 17, 18, 41, 59]
    ours = frames_at(path, np.array(picked) / 12)
    for frame, number in zip(ours, picked, strict=True):
        np.testing.assert_array_equal(frame.permute(1, 2, 0).numpy(), plain[number])


def test_variable_rate_goes_by_the_stamps(tmp_path: Path) -> None:
    stamps = [0, 40, 500, 520, 2000, 2010, 3000]
    path = write_video(tmp_path / "vfr.mp4", frames=7, stamps=stamps)
    times = [0.0, 0.039, 0.041, 0.499, 0.51, 1.99, 2.0, 2.5, 3.0]
    assert [number_of(frame) for frame in frames_at(path, times)] == [0, 0, 1, 1, 2, 3, 4, 5, 6]


def test_time_counts_from_the_first_frame_and_stops_at_the_ends(tmp_path: Path) -> None:
    path = write_video(tmp_path / "late.mkv", frames=5, stamps=[7000, 7100, 7200, 7300, 7400])
    assert [number_of(frame) for frame in frames_at(path, [-3.0, 0.0, 0.25, 99.0])] == [0, 0, 2, 4]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotation_is_applied_also_when_resized(tmp_path: Path, rotation: int) -> None:
    plain = frames_at(write_video(tmp_path / "plain.mp4", frames=2), [0.0])
    path = write_video(tmp_path / "turned.mp4", frames=2, rotation=rotation)
    (turned,) = frames_at(path, [0.0])
    assert torch.equal(turned, torch.rot90(plain[0], rotation // 90, (1, 2)))
    upright = (96, 48) if rotation in (90, 270) else (48, 96)
    assert frames_at(path, [0.0], size=24).shape[2:] == (upright[0] // 2, upright[1] // 2)
    assert frames_at(path, [0.0], size=(30, 20)).shape == (1, 3, 30, 20)


def test_a_video_that_changes_its_shape_has_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.ts"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=12)
        stream.width, stream.height, stream.pix_fmt = 96, 48, "yuv420p"
        for part, (width, height) in enumerate([(96, 48), (64, 64)]):
            encoder = av.CodecContext.create("libx264", "w")
            encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
            encoder.time_base, encoder.gop_size, encoder.options = Fraction(1, 12), 12, {"tune": "zerolatency"}
            for number in range(24):
                frame = av.VideoFrame.from_ndarray(np.zeros((height, width, 3), np.uint8), format="rgb24")
                frame.pts, frame.time_base = 24 * part + number, Fraction(1, 12)
                for packet in encoder.encode(frame):
                    packet.stream = stream
                    container.mux(packet)
    for threads in (1, 2, 4):
        assert frames_at(path, np.arange(0, 3.9, 0.25), size=32, threads=threads).shape == (16, 3, 32, 64)


def test_colours_survive_full_and_limited_range(tmp_path: Path) -> None:
    for pix_fmt in ("yuv420p", "yuvj420p", "yuv444p"):
        (frame,) = frames_at(write_video(tmp_path / f"{pix_fmt}.mp4", frames=1, pix_fmt=pix_fmt), [0.0])
        assert frame[:, 40, 80].float().sub(torch.tensor([90.0, 90, 90])).abs().max() < 8
        assert frame[:, 40, 8].float().sub(torch.tensor([200.0, 0, 40])).abs().max() < 30


def test_a_folder_of_frames_at_any_rate(tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "AB1CD", frames=20)
    assert number_of(frames_at(folder, [10 / 24])[0]) == 10  # Charades' 24 a second unless told
    take = Take("AB1CD", "third", folder, length=10.0, frame_rate=2.0)
    numbers = [number_of(frame) for frame in frames_at(take, [9.9, 0.0, 0.49, 0.5, 4.0, 4.0])]
    assert numbers == [19, 0, 0, 1, 8, 8]
    assert frames_at(take, [0.0, 1.0], size=24).shape == (2, 3, 24, 48)


def test_a_file_that_changes_is_indexed_again(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", frames=12)
    assert number_of(frames_at(path, [99.0])[0]) == 11
    write_video(path, frames=30)
    assert number_of(frames_at(path, [99.0])[0]) == 29


def test_no_times_and_impossible_times(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", frames=3)
    assert len(frames_at(path, [])) == 0
    with pytest.raises(ValueError, match="finite"):
        frames_at(path, [float("nan")])


def test_no_frame_is_larger_than_four_squares(tmp_path: Path) -> None:
    strip = write_video(tmp_path / "strip.mp4", frames=4, size=(4000, 16))
    pixels = frames_at(strip, [0.0, 0.2], size=160)
    assert pixels.shape[2] * pixels.shape[3] <= 4 * 160**2
    assert 200 < pixels.shape[3] / pixels.shape[2] < 300  # its shape is kept
    assert frames_at(write_video(tmp_path / "wide.mp4", frames=4, size=(192, 48)), [0.0], size=24).shape[2:] == (24, 96)


def test_frames_larger_than_8k_are_refused_before_they_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actor_observer.frames.folder.MOST_PIXELS", 96 * 48 - 1)
    folder = write_frames(tmp_path / "frames", 3)
    with pytest.raises(TakeError, match="or larger than 8K"):
        frames_at(folder, [0.0])
