"""Sound at another rate and with fewer channels, whatever layout of channels a recorder wrote."""

from __future__ import annotations

from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from numpy.typing import NDArray

__all__ = ["Resampled"]

PATIENCE = 50  # frames in a row that cannot be used, after which no more are tried


class Resampled:
    """A resampler that also takes layouts FFmpeg cannot mix: more than eight channels, or ambisonic ones.

    Of those, the mean of all channels is used. A frame that cannot be used at all gives nothing.

    >>> sound = Resampled("s16", "mono", 16_000)
    >>> frame = av.AudioFrame.from_ndarray(np.zeros((1, 9 * 4800), np.int16), format="s16", layout="9 channels")
    >>> frame.sample_rate = 48_000
    >>> sum(made.samples for made in [*sound.add(frame), *sound.flush()])
    1600
    """

    def __init__(self, form: str, layout: str, rate: int) -> None:
        self._target = form, layout, rate
        self._resampler = AudioResampler(*self._target)
        self._folds = False  # channels, before resampling
        self._useless = 0  # frames in a row

    def add(self, frame: AudioFrame) -> list[AudioFrame]:
        """What a frame becomes; its stamp is not looked at."""
        if self._useless >= PATIENCE:
            return []
        frame.pts = None  # the resampler must not fill gaps by rules of its own
        for folds in (self._folds, False, True):  # as before; a track that changes its form; one that cannot be mixed
            try:
                self._folds = folds
                made = self._through(folded(frame) if folds else frame)
                self._useless = 0
                return made
            except (av.FFmpegError, ValueError, IndexError):
                self._resampler = AudioResampler(*self._target)
        self._useless += 1
        return []

    def flush(self) -> list[AudioFrame]:
        """What is left in it; afterwards it begins anew."""
        try:
            return self._through(None)
        except (av.FFmpegError, ValueError):
            return []  # nothing ever went in
        finally:
            self._resampler, self._folds = AudioResampler(*self._target), False

    def _through(self, frame: AudioFrame | None) -> list[AudioFrame]:
        return [made for made in self._resampler.resample(frame) if made is not None]  # it may hand a None back


def folded(frame: AudioFrame) -> AudioFrame:
    """The mean of all channels of a frame, as one channel of floats.

    >>> frame = av.AudioFrame.from_ndarray(np.array([[100, 300, 0, 200]], np.int16), format="s16", layout="stereo")
    >>> (folded(frame).to_ndarray() * 32768).tolist()
    [[200.0, 100.0]]
    """
    if frame.format.is_planar:  # PyAV crashes where it copies eight planes or more
        (frame,) = AudioResampler(frame.format.packed.name, frame.layout, frame.sample_rate).resample(frame)
    values: NDArray[Any] = frame.to_ndarray().reshape(-1, frame.layout.nb_channels).T  # (channels, N)
    if values.dtype.kind == "u":
        scaled = values.astype(np.float32) / 128 - 1
    else:
        scaled = values / np.float32(1 if values.dtype.kind == "f" else -float(np.iinfo(values.dtype).min))
    mixed = scaled.mean(axis=0, dtype=np.float32)[None]
    made = AudioFrame.from_ndarray(np.ascontiguousarray(mixed), format="fltp", layout="mono")
    made.sample_rate = frame.sample_rate
    return made
