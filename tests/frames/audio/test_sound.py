"""Sound is read whole, in one channel, at the time it was heard."""

from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import TakeError
from actor_observer.frames.audio.sound import SOUND_RATE, Sound, read_sound
from actor_observer.frames.audio.sound_clip import CLIP_RATE, sound_channels, sound_clip
from actor_observer.pairs.probe import only_sound
from tiny import write_video
from tiny_sound import clicks, write_channels, write_planes, write_recorder, write_sounding

TIMES = (0.5, 1.4, 2.25)


def onsets(sound: Sound) -> list[float]:
    """Times at which it becomes loud after at least 0.3 s of quiet."""
    loud = np.flatnonzero(np.abs(sound.samples.astype(np.int32)) > 2500) / SOUND_RATE
    return [float(time + sound.start) for time in loud[np.diff(loud, prepend=-1.0) > 0.3]]


def read(path: Path) -> Sound:
    sound = read_sound(path)
    assert sound is not None
    return sound


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.mov", "a.ts"])
@pytest.mark.parametrize("start", [0.0, 0.4])
def test_the_encoders_delay_and_a_late_start_are_known(tmp_path: Path, name: str, start: float) -> None:
    sound = read(write_sounding(tmp_path / name, clicks(3, TIMES), start=start))
    assert onsets(sound) == pytest.approx([time + start for time in TIMES], abs=0.003)
    assert not sound.silent


def test_time_zero_is_the_first_frame(tmp_path: Path) -> None:
    sound = read(write_sounding(tmp_path / "late.mkv", clicks(3, TIMES), shown=2.0))
    assert onsets(sound) == pytest.approx(TIMES, abs=0.003)


def test_an_edit_list_that_hides_the_beginning(tmp_path: Path) -> None:
    sound = read(write_sounding(tmp_path / "cut.mp4", clicks(3, TIMES), start=-0.3))
    assert onsets(sound) == pytest.approx([time - 0.3 for time in TIMES], abs=0.003)


@pytest.mark.parametrize("name", ["gap.mp4", "gap.mkv"])
def test_a_gap_in_the_stamps_is_silence(tmp_path: Path, name: str) -> None:
    sound = read(write_sounding(tmp_path / name, clicks(3, TIMES), gaps=[(1.0, 0.7)]))
    assert onsets(sound) == pytest.approx([0.5, 2.1, 2.95], abs=0.003)
    assert sound.end == pytest.approx(3.7, abs=0.05)


def test_stamps_that_drift_are_followed(tmp_path: Path) -> None:
    times = np.arange(1, 20, 2.0)
    sound = read(write_sounding(tmp_path / "drift.mkv", clicks(20, list(times), 8000), 8000, stretch=1e-3))
    assert onsets(sound) == pytest.approx(list(times * 1.001), abs=0.006)  # 20 ms off at the end if not followed


@pytest.mark.parametrize("rate", [8000, 16_000, 44_100])
def test_any_rate_and_number_of_channels(tmp_path: Path, rate: int) -> None:
    track = clicks(3, TIMES, rate)
    one = read(write_sounding(tmp_path / "one.mp4", track, rate))
    two = read(write_sounding(tmp_path / "two.mp4", np.stack([track, track]), rate))
    for sound in (one, two):
        assert onsets(sound) == pytest.approx(TIMES, abs=0.003)


def test_no_sound_and_silence_are_two_things(tmp_path: Path) -> None:
    assert read_sound(write_video(tmp_path / "mute.mp4")) is None
    assert read(write_sounding(tmp_path / "silent.mp4", np.zeros(48_000))).silent


def test_a_file_cut_short_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write_sounding(tmp_path / "whole.mkv", clicks(3, TIMES))
    data = path.read_bytes()
    (tmp_path / "half.mkv").write_bytes(data[: len(data) * 2 // 3])
    assert 0.2 < read(tmp_path / "half.mkv").end < 3


@pytest.mark.parametrize("channels", [9, 64])
def test_any_number_of_channels_is_heard(tmp_path: Path, channels: int) -> None:
    """FFmpeg mixes no more than eight."""
    file = write_channels(tmp_path / "many.wav", clicks(1, [0.6], rate=8000), channels, rate=8000)
    assert onsets(read(file)) == pytest.approx([0.6], abs=0.003)
    clip = np.concatenate(list(sound_clip(file, 0.2, 1.0)), axis=1)
    assert clip.shape == (sound_channels(file), 0.8 * CLIP_RATE)
    assert int(np.argmax(np.abs(clip).max(axis=0) > 0.1)) / CLIP_RATE == pytest.approx(0.4, abs=0.003)


@pytest.mark.parametrize(("channels", "heard"), [(9, True), (64, True), (65, False)])
def test_many_planes_neither_crash_nor_stop_anything(tmp_path: Path, channels: int, heard: bool) -> None:
    """FFmpeg takes no more than 64 planes apart."""
    sound = read_sound(write_planes(tmp_path / "many.mka", clicks(1, [0.6]), channels))
    assert (onsets(sound) == pytest.approx([0.6], abs=0.003)) if heard and sound else sound is None


@pytest.mark.parametrize(("name", "codec"), [("a.wav", "pcm_s16le"), ("a.flac", "flac"), ("a.m4a", "aac")])
def test_a_recorders_file_begins_with_its_first_sample(tmp_path: Path, name: str, codec: str) -> None:
    file = write_recorder(tmp_path / name, clicks(3, TIMES), codec=codec)
    sound = read(file)
    assert sound.start == 0.0 and sound.end == pytest.approx(3.0, abs=0.03)
    assert onsets(sound) == pytest.approx(TIMES, abs=0.003)
    assert only_sound(file)


def test_a_claimed_length_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps that jump by nearly an hour, in a file of 3 s; and a sample that lasts a second."""
    monkeypatch.setattr("actor_observer.frames.audio.sound.MOST_HOURS", 1)
    gaps = [(0.5 * number, 3500.0) for number in range(1, 4)]
    file = write_sounding(tmp_path / "gaps.mkv", clicks(3, TIMES), gaps=gaps)
    with pytest.raises(TakeError, match="more than 1 hours of sound"):
        read_sound(file)
    assert read_sound(write_recorder(tmp_path / "slow.wav", clicks(3, TIMES)[:4000], rate=1)) is None
