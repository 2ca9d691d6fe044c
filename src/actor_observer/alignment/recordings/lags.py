"""Compare two signals at every lag: how well does one follow the other if it is shifted by so many seconds?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import shift as shifted
from scipy.ndimage import spline_filter1d

__all__ = ["Lags", "along_rates", "chunk_middles", "correlate", "lag_grid", "spread_under_chance"]

Array = NDArray[np.float64]
LEAST_SHARE = 0.2  # of the shorter recording must be shared: in a short overlap anything can agree
LEAST_SECONDS = 60.0  # but never more than this is asked for
FEW = 3.0  # seconds: scores of overlaps as short as this are drawn towards zero
ENOUGH = 8192  # samples that an autocorrelation is estimated from
CHUNK = 150.0  # seconds of the first-person signal compared at once; clocks drift by milliseconds meanwhile
LEAST_CHUNKS = 8  # of a recording, however short: what speaks for an offset should do so more than once


@dataclass(frozen=True)
class Lags:
    """All offsets at which two recordings may overlap: third-person time = offset + first-person time."""

    start: int  # the first offset, in samples
    count: int
    per_second: float
    bounded: bool = False  # somebody said that no other offset is possible

    @property
    def offsets(self) -> Array:
        """(L,) seconds."""
        return (self.start + np.arange(self.count)) / self.per_second


def lag_grid(third_length: float, first_length: float, per_second: float, max_offset: float | None = None) -> Lags:
    """The offsets that leave enough of both recordings shared; none further from 0 than `max_offset`, if given.

    >>> lag_grid(10.0, 5.0, 2.0).offsets[[0, -1]].tolist()
    [-4.0, 9.0]
    """
    least = min(LEAST_SHARE * min(third_length, first_length), LEAST_SECONDS)
    low, high = least - first_length, third_length - least
    if max_offset is not None:
        low, high = (float(np.clip(end, -max_offset, max_offset)) for end in (low, high))
    start = int(np.ceil(low * per_second - 1e-9))
    count = max(1, int(np.floor(high * per_second + 1e-9)) - start + 1)
    return Lags(start, count, per_second, max_offset is not None)


def chunk_edges(length: float) -> Array:
    """Seconds at which the first-person recording is cut into chunks, (C + 1,).

    >>> chunk_edges(40.0).tolist(), len(chunk_edges(3600.0)) - 1
    ([0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0], 24)
    """
    return np.linspace(0, length, max(LEAST_CHUNKS, round(length / CHUNK)) + 1)


def chunk_middles(length: float) -> Array:
    """The middle of each chunk, (C,) seconds."""
    edges = chunk_edges(length)
    return (edges[:-1] + edges[1:]) / 2


def correlate(third: Array, first: Array, lags: Lags) -> Array:
    """Correlation of two standardised signals at every lag, in units of its spread under chance.

    The sum of products over the root of the overlap, divided by what signals of the same spectra would give if they
    had nothing to do with each other (Bartlett's formula: √Σ ρ_third(l)·ρ_first(l)). Gives a row per chunk of the
    first-person signal, (C, L); they add up to the whole. Signals are (T,), or (D, T): then the products of all
    dimensions add up, so that large ones count more.

    >>> rng = np.random.default_rng(0)
    >>> third = rng.normal(size=300)
    >>> scores = correlate(third, third[60:260], lag_grid(30.0, 20.0, 10.0))
    >>> lag_grid(30.0, 20.0, 10.0).offsets[scores.sum(axis=0).argmax()], 10 < scores.sum(axis=0).max() < 18
    (np.float64(6.0), np.True_)
    """
    third, first = np.atleast_2d(third), np.atleast_2d(first)  # (D, T)
    ahead, behind = third.shape[1], first.shape[1]
    edges = np.round(chunk_edges(behind / lags.per_second) * lags.per_second).astype(int)
    shift = lags.start + np.arange(lags.count)  # (L,)
    shared = np.minimum(ahead, shift + behind) - np.maximum(0, shift)
    unit = np.sqrt(np.maximum(shared, 1) + FEW * lags.per_second) * spread_under_chance(third, first)
    longest = ahead + int(np.diff(edges).max())
    transform = 1 << (longest - 1).bit_length()
    # scipy.signal.correlate would transform the third person anew for every chunk: 58 ms instead of 38 for ten minutes
    # of 32 dimensions, the same for one, and the same numbers.
    spectra = np.fft.rfft(third, transform)  # (D, F)
    scores = np.zeros((len(edges) - 1, lags.count))
    for piece, (start, end) in enumerate(itertools.pairwise(edges)):
        product = np.zeros(spectra.shape[1], complex)
        for spectrum, signal in zip(spectra, first[:, start:end], strict=True):
            product += spectrum * np.conj(np.fft.rfft(signal, transform))
        summed = np.fft.irfft(product, transform)
        # third[i + s + start] against first[i + start]: the chunk sees the shift s + start
        own = shift + start
        inside = (own > start - end) & (own < ahead)
        scores[piece, inside] = summed[own[inside] % transform]
    return scores / unit


def spread_under_chance(third: Array, first: Array) -> float:
    """Of the normalised sum, for unrelated signals (D, T) with these autocorrelations, of some minutes at most."""
    third, first = (some[:, max(0, some.shape[1] - ENOUGH) // 2 :][:, :ENOUGH] for some in (third, first))
    lengths = third.shape[1], first.shape[1]
    size = 1 << (2 * max(lengths) - 1).bit_length()
    own = [
        np.fft.irfft(np.abs(np.fft.rfft(some, size)) ** 2, size) / max(length, 1)
        for some, length in zip((third, first), lengths, strict=True)
    ]
    reach = min(*lengths, size // 2)
    both = own[0][:, :reach] * own[1][:, :reach]  # (D, R)
    squared = np.maximum(both[:, 0] + 2 * both[:, 1:].sum(axis=1), np.maximum(0.05 * both[:, 0], 1e-12))
    return float(np.sqrt(squared.sum()))


def along_rates(
    scores: Array, middles: Array, lags: Lags, rates: Sequence[float], centre: float | None = None
) -> Array:
    """The sum over chunks for each rate near 1, (R, L): a chunk's offset moves by (rate − 1) times its middle.

    Offsets are those at the centre, in the middle of all chunks if not given, so that the rate hardly moves them.

    >>> scores = np.zeros((2, 9)); scores[0, 3] = scores[1, 5] = 1.0
    >>> total = along_rates(scores, np.array([1000.0, 3000.0]), Lags(0, 9, 1.0), [1.0, 1.001])
    >>> total.max(axis=1).round(6).tolist()
    [1.0, 2.0]
    """
    centre = float(middles.mean()) if centre is None else centre
    total = np.zeros((len(rates), scores.shape[1]))
    for row, middle in zip(scores, middles, strict=True):
        moved = [(rate - 1) * (middle - centre) * lags.per_second for rate in rates]
        # Splines, since straight lines between samples would flatten every peak but that of rate 1, which needs none.
        smooth = spline_filter1d(row, mode="nearest") if any(abs(by) >= 1e-3 for by in moved) else row
        for number, by in enumerate(moved):
            total[number] += row if abs(by) < 1e-3 else shifted(smooth, -by, mode="nearest", prefilter=False)
    return total
