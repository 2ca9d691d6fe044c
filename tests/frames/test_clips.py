"""Stretches of a recording: its frames in order, its sound in step, written as one mp4."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.frames import frames_at
from actor_observer.frames.audio.sound import SOUND_RATE, read_sound
from actor_observer.frames.audio.sound_clip import CLIP_RATE, sound_channels, sound_clip
from actor_observer.frames.in_order import frames_in_order
from actor_observer.frames.writing.write_mp4 import VideoWriter
from tiny import number_of, write_frames, write_video
from tiny_sound import clicks, write_sounding


def test_frames_come_in_order_from_any_start(tmp_path: Path) -> None:
    video = write_video(tmp_path / "a.mp4", frames=40, fps=10, gop=8)
    for times in (np.array([0.0, 0.0, 0.35, 0.35, 3.9, 9.0]), np.array([2.15, 2.25, 2.25]), np.array([3.99])):
        pictures = list(frames_in_order(video, times))
        wanted = frames_at(video, times).permute(0, 2, 3, 1).numpy()
        assert len(pictures) == len(times)
        assert [number_of(np.moveaxis(one, 2, 0)) for one in pictures] == [
            number_of(np.moveaxis(one, 2, 0)) for one in wanted
        ]
    folder = write_frames(tmp_path / "frames", frames=12)
    assert len(list(frames_in_order(folder, np.arange(12) / 24))) == 12


@pytest.mark.parametrize("rate", [1.0, 1.01])
def test_sound_is_where_it_belongs(tmp_path: Path, rate: float) -> None:
    file = write_sounding(tmp_path / "a.mp4", clicks(9.0, [0.5, 4.0, 7.0]), start=0.25)
    assert sound_channels(file) == 1
    sound = np.concatenate(list(sound_clip(file, 3.0, 9.5, rate)), axis=1)  # the track ends at 9.25 s
    assert sound.shape == (1, round(6.5 * rate * CLIP_RATE))
    loud = np.abs(sound[0]) > 0.2
    starts = [int(at) for at in np.flatnonzero(loud) if not loud[max(0, at - CLIP_RATE // 4) : at].any()]
    assert np.array(starts) / CLIP_RATE == pytest.approx([1.25 * rate, 4.25 * rate], abs=0.005)


def test_a_clip_keeps_picture_and_sound_together(tmp_path: Path) -> None:
    file = write_sounding(tmp_path / "a.mp4", np.stack([clicks(6.0, [2.0, 4.0])] * 2))
    sound = sound_clip(file, 1.0, 5.0)
    with VideoWriter(tmp_path / "new" / "b.mp4", Fraction(10), sound, sound_channels(file)) as writer:
        for number in range(40):
            writer.add(np.full((32, 32, 3), number * 6, np.uint8))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["b.mp4"]
    with av.open(str(tmp_path / "new" / "b.mp4")) as written:
        assert (written.streams.video[0].frames, written.streams.audio[0].codec_context.channels) == (40, 2)
    heard = read_sound(tmp_path / "new" / "b.mp4")
    assert heard is not None
    loudest = heard.start + int(np.abs(heard.samples[: 2 * SOUND_RATE].astype(int)).argmax()) / SOUND_RATE
    assert loudest == pytest.approx(1.0, abs=0.02)


def test_a_clip_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), VideoWriter(tmp_path / "b.mp4", Fraction(10)) as writer:
        writer.add(np.zeros((32, 32, 3), np.uint8))
        raise RuntimeError
    assert not list(tmp_path.iterdir())
