"""Side by side, every frame shows the two videos in step."""

from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.alignment.cameras.captions import BAR
from actor_observer.alignment.cameras.side_by_side import GAP, write_side_by_side
from actor_observer.errors import UserError
from actor_observer.frames import frames_at
from actor_observer.frames.audio.sound import SOUND_RATE, read_sound
from actor_observer.pairs import Clock
from tiny import number_of, write_video
from tiny_sound import clicks, write_sounding


def test_both_play_in_step_at_the_right_times(tmp_path: Path) -> None:
    third = write_video(tmp_path / "third.mp4", frames=60, fps=10, size=(96, 48))
    first = write_video(tmp_path / "first.mp4", frames=60, fps=12, size=(48, 96))
    clock = Clock(((1.0, 0.0), (5.0, 4.4)))
    seconds = write_side_by_side(third, first, clock, tmp_path / "new" / "both.mp4")
    assert seconds == pytest.approx(clock.overlap(6.0, 5.0)[1] - 1.0)
    assert not list((tmp_path / "new").glob(".*"))
    with av.open(str(tmp_path / "new" / "both.mp4")) as file:
        stream = file.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert stream.height == BAR + 48 and stream.width == 96 + GAP + 24
    times = np.array([0.3, 1.2, 2.6, 3.4])
    for time, frame in zip(times, frames_at(tmp_path / "new" / "both.mp4", times), strict=True):
        left = number_of(frame[:, BAR:, :96])
        assert abs(left - (1.0 + time) * 10) <= 1.5
    pixels = np.repeat(np.arange(60, dtype=np.uint8)[:, None, None, None] * 4, 3, axis=3) * np.ones(
        (1, 32, 32, 1), "u1"
    )
    write_side_by_side(pixels, pixels, clock, tmp_path / "pixels.mp4", fps=(10.0, 12.0))
    for time, frame in zip(times, frames_at(tmp_path / "pixels.mp4", times), strict=True):
        assert abs(float(frame[:, BAR + 4 :, :16].float().mean()) / 4 - (1.0 + time) * 10) <= 1.5
        assert abs(float(frame[:, BAR + 4 :, -16:].float().mean()) / 4 - clock.to_first(1.0 + time) * 12) <= 1.5


def test_names_times_verdict_and_sound_are_in_it(tmp_path: Path) -> None:
    third = write_sounding(tmp_path / "room.mp4", clicks(6.0, [3.0]))
    first = write_video(tmp_path / "küche 猫.mp4", frames=60, fps=10, size=(96, 48))
    clock, both = Clock(((1.0, 0.0),)), tmp_path / "both.mp4"
    write_side_by_side(third, first, clock, both, title="in step: observer = 1.00 s + 1 · actor")
    start, later = frames_at(both, [0.1, 3.1]).float()
    assert start.shape[1] == BAR + 32 + BAR
    for part in (start[:, :BAR, :20], start[:, :BAR, -40:], start[:, -BAR:, :20]):
        assert part.max() > 120  # something is written on black
    assert (start[:, :BAR] - later[:, :BAR]).abs().max() > 60  # the times run
    assert (start[:, -BAR:] - later[:, -BAR:]).abs().max() < 40  # the verdict stays
    heard = read_sound(both)
    assert heard is not None
    assert heard.start + int(np.abs(heard.samples.astype(int)).argmax()) / SOUND_RATE == pytest.approx(2.0, abs=0.02)


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    video = write_video(tmp_path / "video.mp4")
    with pytest.raises(UserError, match="never meet"):
        write_side_by_side(video, video, Clock(((0.0, 100.0),)), tmp_path / "both.mp4")
    with pytest.raises(UserError, match=r"is written as .mp4"):
        write_side_by_side(video, video, Clock(((0.0, 0.0),)), tmp_path / "both.gif")
    with pytest.raises(UserError, match="cannot be written"):
        write_side_by_side(video, video, Clock(((0.0, 0.0),)), video / "both.mp4")
