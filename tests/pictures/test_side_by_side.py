"""Side by side, every frame shows the recordings in step."""

from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.alignment.cameras.clocked import Clocked
from actor_observer.alignment.cameras.trim import trim
from actor_observer.errors import UserError
from actor_observer.frames import frames_at
from actor_observer.frames.audio.sound import SOUND_RATE, read_sound
from actor_observer.pairs import Clock
from actor_observer.pictures.captions import BAR
from actor_observer.pictures.side_by_side import GAP, side_by_side
from tiny import number_of, write_video
from tiny_sound import clicks, write_recorder, write_sounding

SAME = Clock(((0.0, 0.0),))


def two(third: Path, first: Path, clock: Clock, lengths: tuple[float, float] = (6.0, 5.0)) -> list[Clocked]:
    return [Clocked(third, "third", lengths[0], SAME), Clocked(first, "first", lengths[1], clock)]


def test_both_play_in_step_at_the_right_times(tmp_path: Path) -> None:
    third = write_video(tmp_path / "third.mp4", frames=60, fps=10, size=(96, 48))
    first = write_video(tmp_path / "first.mp4", frames=60, fps=12, size=(48, 96))
    clock = Clock(((1.0, 0.0), (5.0, 4.4)))
    stretch = side_by_side(two(third, first, clock), tmp_path / "new" / "both.mp4")
    assert (stretch.start, stretch.end) == (1.0, pytest.approx(clock.overlap(6.0, 5.0)[1], abs=1 / 12))
    assert not list((tmp_path / "new").glob(".*"))
    with av.open(str(tmp_path / "new" / "both.mp4")) as file:
        stream = file.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert stream.average_rate == 12  # the faster one's
        assert stream.height == BAR + 48 and stream.width == 96 + GAP + 24
    times = np.array([0.3, 1.2, 2.6, 3.4])
    for time, frame in zip(times, frames_at(tmp_path / "new" / "both.mp4", times), strict=True):
        assert abs(number_of(frame[:, BAR:, :96]) - (1.0 + time) * 10) <= 1.5
    pixels = np.repeat(np.arange(60, dtype=np.uint8)[:, None, None, None] * 4, 3, axis=3) * np.ones(
        (1, 32, 32, 1), "u1"
    )
    both = [Clocked(pixels, "third", 6.0, SAME, fps=10.0), Clocked(pixels, "first", 5.0, clock, fps=12.0)]
    side_by_side(both, tmp_path / "pixels.mp4")
    for time, frame in zip(times, frames_at(tmp_path / "pixels.mp4", times), strict=True):
        assert abs(float(frame[:, BAR + 4 :, :16].float().mean()) / 4 - (1.0 + time) * 10) <= 1.5
        assert abs(float(frame[:, BAR + 4 :, -16:].float().mean()) / 4 - clock.to_first(1.0 + time) * 12) <= 1.5


def test_in_rows_a_narrow_picture_stands_in_the_middle_of_its_place(tmp_path: Path) -> None:
    wide, narrow = np.full((6, 32, 64, 3), 255, "u1"), np.full((6, 32, 22, 3), 255, "u1")
    four = [Clocked(pixels, "third", 1.0, SAME, fps=6.0) for pixels in (wide, wide, narrow, wide)]
    side_by_side(four, tmp_path / "rows.mp4")
    frame = frames_at(tmp_path / "rows.mp4", [0.5])[0].float().mean(dim=0)  # (H, W)
    lit = np.flatnonzero(frame[-20, :].numpy() > 128)  # the last row of pictures: the narrow one on the left
    left = lit[lit < frame.shape[1] // 2 - GAP]
    assert abs((left.min() + left.max()) / 2 - (frame.shape[1] - GAP) / 4) <= 2
    assert len(left) < 0.6 * (frame.shape[1] - GAP) / 2


@pytest.mark.parametrize("rate", [None, 8.0])
def test_it_is_the_stretch_that_the_cuts_have(tmp_path: Path, rate: float | None) -> None:
    """Frame n of the video side by side shows frame n of every cut."""
    starts = {"a": 0.0, "b": 0.73, "c": 1.31}
    recordings = [
        Clocked(
            write_video(tmp_path / f"{name}.mp4", frames=20 + 10 * n, fps=10), "third", 2.0 + n, Clock(((at, 0.0),))
        )
        for n, (name, at) in enumerate(starts.items(), start=1)
    ]
    stretch = side_by_side(recordings, tmp_path / "all.mp4", rate=rate)
    cuts = trim(recordings, tmp_path / "cut", rate)
    assert stretch.start == 1.31 and stretch.fps == (rate or 10)
    films = [frames_at(path, (np.arange(len(stretch.times)) + 0.5) / float(stretch.fps)) for path in cuts]
    whole = frames_at(tmp_path / "all.mp4", (np.arange(len(stretch.times)) + 0.5) / float(stretch.fps))
    for path in (*cuts, tmp_path / "all.mp4"):
        with av.open(str(path)) as file:
            assert file.streams.video[0].frames == len(stretch.times)
    second = BAR + 48 + BAR  # where the second row's pictures begin
    cells = whole[:, :, BAR : BAR + 48, :96], whole[:, :, BAR : BAR + 48, 96 + GAP :], whole[:, :, second:, :96]
    for cell, film in zip(cells, films, strict=True):
        assert [number_of(frame) for frame in cell] == [number_of(frame) for frame in film]
    assert whole[:, :, second + 4 :, 100:].float().mean() < 3  # three of four places are taken


def test_names_times_verdict_and_sound_are_in_it(tmp_path: Path) -> None:
    third = write_sounding(tmp_path / "room.mp4", clicks(6.0, [3.0]))
    first = write_video(tmp_path / "küche 猫.mp4", frames=60, fps=10, size=(96, 48))
    both, path = two(third, first, Clock(((1.0, 0.0),)), (6.0, 6.0)), tmp_path / "both.mp4"
    side_by_side(both, path, title="in step: observer = 1.00 s + 1 · actor")
    start, later = frames_at(path, [0.1, 3.1]).float()
    assert start.shape[1] == BAR + 32 + BAR
    for part in (start[:, :BAR, :20], start[:, :BAR, -40:], start[:, -BAR:, :20]):
        assert part.max() > 120  # something is written on black
    assert (start[:, :BAR] - later[:, :BAR]).abs().max() > 60  # the times run
    assert (start[:, -BAR:] - later[:, -BAR:]).abs().max() < 40  # the verdict stays
    assert loudest(path) == pytest.approx(2.0, abs=0.02)
    recorder = write_recorder(tmp_path / "recorder.wav", clicks(6.0, [4.5]))
    side_by_side([*both, Clocked(recorder, "third", 6.0, SAME, recorder=True)], path)
    assert loudest(path) == pytest.approx(3.5, abs=0.02)  # a recorder hears better than a camera
    assert frames_at(path, [0.1]).shape[2] == BAR + 32


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    video = write_video(tmp_path / "video.mp4")
    with pytest.raises(UserError, match="never meet"):
        side_by_side(two(video, video, Clock(((0.0, 100.0),))), tmp_path / "both.mp4")
    with pytest.raises(UserError, match=r"is written as .mp4"):
        side_by_side(two(video, video, SAME), tmp_path / "both.gif")
    with pytest.raises(UserError, match="cannot be written"):
        side_by_side(two(video, video, SAME), video / "both.mp4")
    with pytest.raises(UserError, match="nothing to show"):
        side_by_side([Clocked(video, "third", 2.0, SAME, recorder=True)] * 2, tmp_path / "both.mp4")


def loudest(path: Path) -> float:
    heard = read_sound(path)
    assert heard is not None
    return heard.start + int(np.abs(heard.samples.astype(int)).argmax()) / SOUND_RATE
