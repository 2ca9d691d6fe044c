"""What is done to a signal of motion before it is compared, so that when something happens counts, not how much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.special import ndtri

__all__ = ["TREATMENTS", "loudness", "onsets", "ranks", "resampled", "standardised", "whitened"]

Array = NDArray[np.float64]
TREND = 3.0  # seconds: slower changes say more about the camera than about the action
TOP = 12.0  # Hz: above it there is only noise
BAND = 0.5  # Hz over which a spectrum is smoothed before it is divided by


def resampled(times: Array, values: NDArray[np.float32], length: float, per_second: float) -> Array:
    """A signal at equal steps from 0 on, in the middle of each step.

    >>> resampled(np.array([0.0, 1.0]), np.array([0.0, 2.0]), 1.0, 2.0).tolist()
    [0.5, 1.5]
    """
    grid = (np.arange(max(1, int(length * per_second))) + 0.5) / per_second
    return np.interp(grid, times, values.astype(np.float64))


def loudness(values: Array) -> Array:
    """The logarithm of an amount of motion, with a floor where hardly anything moves.

    >>> loudness(np.array([0.0, 1.0, 1.0, 1.0])).round(2).tolist()
    [-1.9, 0.14, 0.14, 0.14]
    """
    floor = max(float(np.percentile(values, 5)), 0.02 * float(values.mean()), 1e-6)
    return np.log(np.maximum(values, 0) + floor)


def ranks(signal: Array, per_second: float) -> Array:
    """Normal scores of the ranks: a burst counts by its place among all, not by its size. Equal values rank alike."""
    smooth = _smooth(_without_trend(_smooth(signal, 1), per_second), 1)
    place = _ranks(smooth.round(9))  # from 1 on; without rounding, noise of 1e-16 would be ranked
    return standardised(ndtri((place - 0.5) / len(place)))


def onsets(signal: Array, per_second: float) -> Array:
    """Where motion begins or grows: the positive part of the derivative."""
    smooth = _smooth(signal, max(1, round(0.05 * per_second)))
    return standardised(_without_trend(_smooth(np.maximum(np.diff(smooth, prepend=smooth[0]), 0), 1), per_second))


def whitened(power: float, top: float = TOP, edge: int = 4) -> Callable[[Array, float], Array]:
    """Divide the spectrum by its own smoothed size to this power: rhythms that repeat stop drowning what does not.

    Above `top` Hz nothing is left; the higher the `edge`, the less is lost below it.
    """

    def treat(signal: Array, per_second: float) -> Array:
        count = len(signal)
        spectrum = np.fft.rfft(standardised(_without_trend(signal, per_second)), 2 * count)
        size = np.abs(spectrum)
        smooth = uniform_filter1d(size, max(3, round(BAND * 2 * count / per_second)), mode="nearest")
        frequency = np.fft.rfftfreq(2 * count, 1 / per_second)
        spectrum *= np.exp(-((frequency / top) ** edge)) / np.maximum(smooth, 1e-6 * max(smooth.max(), 1e-12)) ** power
        return standardised(np.fft.irfft(spectrum)[:count])

    return treat


TREATMENTS: dict[str, Callable[[Array, float], Array]] = {
    "ranks": ranks,
    "onsets": onsets,
    "whitened": whitened(0.7),
    "white": whitened(1.0),
}


def standardised(signal: Array) -> Array:
    """With mean 0 and spread 1; zeros where there is nothing but rounding, which would be taken for evidence.

    >>> standardised(np.array([1.0, 3.0])).tolist(), standardised(np.array([2.0, 2.0])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    centred = signal - signal.mean()
    spread = float(centred.std())
    return (
        centred / spread if spread > 1e-6 * max(float(np.abs(signal).max(initial=0)), 1e-6) else np.zeros_like(centred)
    )


def _smooth(signal: Array, radius: int) -> Array:
    return uniform_filter1d(signal, 2 * radius + 1, mode="nearest")


def _without_trend(signal: Array, per_second: float) -> Array:
    return signal - _smooth(signal, max(1, round(TREND * per_second / 2)))


def _ranks(values: Array) -> Array:
    """The rank of each value from 1 on; equal ones share the mean of theirs. `scipy.stats` takes a second to import.

    >>> _ranks(np.array([3.0, 1.0, 3.0, 7.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    shared: Array = (np.cumsum(count) - (count - 1) / 2)[place]
    return shared
