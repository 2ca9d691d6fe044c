"""The sound of a file: one channel at 16 kHz, on the same time axis as its frames."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.container import InputContainer
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames.audio.resampled import Resampled
from actor_observer.frames.frame_index import zero_of
from actor_observer.pairs.probe import open_media
from actor_observer.pairs.window import is_window, window_of

__all__ = ["SOUND_RATE", "Sound", "read_sound"]

SOUND_RATE = 16_000  # samples a second: two bytes each, 115 MB an hour
SILENCE = 4.0  # of 32768: nothing in a recording that stays below this (RMS of 0.1 s) can be heard

# Stamps jitter by a tick of the container, and drift when the microphone's clock is not the camera's.
JUMP = 0.05  # seconds: a stamp this far off is a gap or an overlap, mended at once
DRIFT = 0.002  # seconds: stamps this far off on average are followed
EARLY = 1.0  # seconds before a stretch at which its sound is read from
PATIENCE = 1.0  # seconds over which that average is taken
MOST_HOURS = 24  # of sound: 2.8 GB. A few bytes can claim any length, by their stamps or by samples that last long
LEAST_RATE = 2000  # samples a second; no recorder takes fewer
MOST_GAP = 3600.0  # seconds: a stamp further off than this is a fault of the file and is ignored


@dataclass(frozen=True, eq=False)
class Sound:
    """What a file sounds like: `samples[n]` is heard at `start + n / SOUND_RATE` seconds after the first frame.

    >>> sound = Sound(np.zeros(32_000, np.int16), start=-0.5)
    >>> sound.end, sound.silent
    (1.5, True)
    """

    samples: NDArray[np.int16]  # (N,) one channel
    start: float  # seconds since the first frame is shown; negative where the sound begins earlier

    @property
    def end(self) -> float:
        """Seconds after the first frame at which the sound ends."""
        return self.start + len(self.samples) / SOUND_RATE

    @property
    def silent(self) -> bool:
        """Nothing can be heard anywhere."""
        block = SOUND_RATE // 10
        minute = 600 * block
        for at in range(0, len(self.samples), minute):
            part = self.samples[at : at + minute].astype(np.float32)
            whole = part[: len(part) // block * block].reshape(-1, block) if len(part) >= block else part[None]
            if np.sqrt((whole**2).mean(axis=1)).max() > SILENCE:
                return False
        return True


def read_sound(path: Path) -> Sound | None:
    """The sound of a file's first sound track; None where there is none, or none that can be decoded.

    In a file without pictures, such as a recorder's, the first sample is heard at 0.
    Read in one pass; an hour takes 115 MB. What an edit list hides, and the silence an encoder puts first, is left
    out; where stamps leave a gap there are zeros; packets that cannot be decoded are such gaps.

    >>> read_sound(Path("no-such.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    with open_media(path) as (container, video):
        if not container.streams.audio:
            return None
        if is_window(path):
            return _stretch(path, container, zero_of(path, container, video))
        stream = container.streams.audio[0]
        tape = _Tape()
        zero: float | None = None  # when the first frame is shown, by the container's clock
        try:
            for packet in container.demux(*([video] if video else []), stream):
                if packet.stream is stream:
                    _decode(packet, tape)
                elif packet.size and not packet.is_discard:
                    stamp = packet.pts if packet.pts is not None else packet.dts
                    if stamp is not None and packet.time_base is not None:
                        time = float(stamp * packet.time_base)
                        zero = time if zero is None else min(zero, time)
        except av.FFmpegError:
            pass  # cut short: what came before is kept
        except _TooLong:
            raise TakeError(path, f"more than {MOST_HOURS} hours of sound, or stamps that claim so") from None
        return tape.finish(zero or 0.0 if video else None)


def _stretch(path: Path, container: InputContainer, zero: float) -> Sound | None:
    """The sound of a stretch of a file: read from a little before its start to its end, and cut to it."""
    length = window_of(path)[1] - window_of(path)[0]
    tape, stream = _Tape(), container.streams.audio[0]
    try:
        container.seek(int(max(0.0, zero - EARLY) * av.time_base))
        for packet in container.demux(stream):
            if packet.pts is not None and packet.time_base and float(packet.pts * packet.time_base) > zero + length:
                break
            _decode(packet, tape)
    except av.FFmpegError:
        pass  # cut short: what came before is kept
    except _TooLong:
        raise TakeError(path, f"more than {MOST_HOURS} hours of sound, or stamps that claim so") from None
    found = tape.finish(zero)
    if found is None:
        return None
    begin = max(0, round(-found.start * SOUND_RATE))
    end = len(found.samples) if length == math.inf else max(0, round((length - found.start) * SOUND_RATE))
    samples = found.samples[begin:end]
    return Sound(samples, found.start + begin / SOUND_RATE) if len(samples) else None


def _decode(packet: av.Packet[Any], tape: _Tape) -> None:
    try:
        for frame in packet.decode():
            if isinstance(frame, AudioFrame) and frame.samples and frame.sample_rate >= LEAST_RATE:
                tape.add(frame)
    except (av.FFmpegError, ValueError):
        return  # damaged, or of a kind the resampler does not know: the next stamp shows the gap


class _TooLong(Exception):
    """More sound than memory should hold."""


class _Tape:
    """Decoded frames joined into one signal, each at the place its stamp says."""

    def __init__(self) -> None:
        self._samples = bytearray()
        self._resampled = Resampled("s16", "mono", SOUND_RATE)
        self._kind: tuple[str, str, int] | None = None
        self._start: float | None = None  # stamp of the first sample
        self._due = 0.0  # stamp the next frame should have, by counting samples
        self._late = 0.0  # by how much stamps run behind the count, on average

    def add(self, frame: AudioFrame) -> None:
        stamped = frame.pts is not None and frame.time_base is not None
        time = float(frame.pts * frame.time_base) if stamped else self._due  # type: ignore[operator]
        if self._start is None:
            self._start = self._due = time
        late = time - self._due
        if abs(late) > MOST_GAP:
            late = 0.0
        self._late += min(1.0, frame.samples / frame.sample_rate / PATIENCE) * (late - self._late)
        if abs(late) > JUMP:
            self._move(late)
        elif abs(self._late) > DRIFT:
            self._move(self._late)
        kind = (frame.format.name, frame.layout.name, frame.sample_rate)
        if kind != self._kind:
            self._flush()
            self._kind = kind
        self._due += frame.samples / frame.sample_rate
        self._write(self._resampled.add(frame))

    def _move(self, seconds: float) -> None:
        """Go on `seconds` later (zeros between) or earlier (what was there is overwritten)."""
        self._flush()
        self._due, self._late = self._due + seconds, 0.0
        place = 2 * max(0, round((self._due - (self._start or 0.0)) * SOUND_RATE))
        self._refuse(place)
        del self._samples[place:]
        self._samples.extend(bytes(place - len(self._samples)))

    def _flush(self) -> None:
        self._write(self._resampled.flush())

    def _write(self, frames: list[AudioFrame]) -> None:
        for frame in frames:
            self._refuse(len(self._samples))
            self._samples.extend(frame.to_ndarray().astype("<i2", copy=False).tobytes())

    def _refuse(self, length: int) -> None:
        if length > 2 * MOST_HOURS * 3600 * SOUND_RATE:
            raise _TooLong

    def finish(self, zero: float | None) -> Sound | None:
        """The signal; `zero` is the stamp of the first frame, None without pictures."""
        self._flush()
        if self._start is None or not self._samples:
            return None
        return Sound(np.frombuffer(self._samples, "<i2"), 0.0 if zero is None else self._start - zero)
