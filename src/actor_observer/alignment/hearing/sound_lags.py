"""Where two sounds fit: loudness patterns compared at every lag, in chunks, along lines of steady drift."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.ndimage import uniform_filter1d

from actor_observer.frames.audio.sound import SOUND_RATE, Sound

__all__ = ["CELLS", "Lag", "Pattern", "find_lags", "listen"]

CELLS = 50  # a second
BANDS = 32  # between the lowest and the highest frequency, equally wide to the ear
LOWEST, HIGHEST = 100.0, 7600.0  # Hz
WINDOW, HOP = 512, SOUND_RATE // CELLS  # samples
TREND = 25  # cells: what changes slower than this is the microphone, or steady noise
LOUDEST = 3.0  # spreads: one bang counts no more than this

CHUNK = 60 * CELLS  # at 500 ppm, the ends of a chunk are 15 ms off its middle
MOST_CHUNKS = 60  # longer recordings have longer chunks, to bound the memory
DRIFT = 500e-6  # cameras' clocks differ by tens to hundreds of ppm
LEAST = 2 * CELLS  # cells shared: fewer are weighed as if they were this many
APART = 0.3  # seconds: closer than this it is the same lag

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Pattern:
    """How loud each band is at each time, over its own average; zero where there is nothing to hear."""

    cells: Array  # (N, B)
    start: float  # seconds: middle of the first cell


@dataclass(frozen=True)
class Lag:
    """One way to put two sounds in step: third = offset + rate · first."""

    offset: float  # seconds
    rate: float
    peak: float  # how far it stands out among all lags, in units of their spread


def listen(sound: Sound) -> Pattern:
    """The pattern of a sound, block by block: an hour of sound gives 23 MB.

    >>> noise = np.random.default_rng(0).normal(0, 1000, 3 * SOUND_RATE).astype(np.int16)
    >>> listen(Sound(noise, start=1.0)).cells.shape
    (149, 32)
    """
    count = max(0, (len(sound.samples) - WINDOW) // HOP + 1)
    energy = np.empty((count, BANDS), np.float32)
    mel, window = _mel(), np.hanning(WINDOW + 1)[:-1].astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(sound.samples, WINDOW)[::HOP] if count else None
    for at in range(0, count, 2048):
        assert frames is not None
        spectrum = rfft(frames[at : at + 2048] * window, axis=1)
        energy[at : at + 2048] = (spectrum.real**2 + spectrum.imag**2) @ mel
    return Pattern(_stand_out(energy), sound.start + WINDOW / 2 / SOUND_RATE)


def _mel() -> Array:
    """Triangular bands, equally wide to the ear; (WINDOW / 2 + 1, BANDS)."""
    edges = 700 * np.expm1(np.linspace(math.log1p(LOWEST / 700), math.log1p(HIGHEST / 700), BANDS + 2))
    bins = np.arange(WINDOW // 2 + 1)[:, None] * SOUND_RATE / WINDOW
    up = (bins - edges[:-2]) / np.diff(edges)[:-1]
    down = (edges[2:] - bins) / np.diff(edges)[1:]
    return np.maximum(0, np.minimum(up, down)).astype(np.float32)


def _stand_out(energy: Array) -> Array:
    """Log energy less its trend, each band with the same spread; in place of what filters, gains and hum do."""
    heard = energy.sum(axis=1) > WINDOW  # a digital zero, or an unused last bit, is no sound
    if heard.sum() < 2:
        return np.zeros_like(energy)
    floor = 0.1 * np.quantile(energy[heard], 0.2, axis=0) + 1.0
    level = np.log(energy + floor)
    level -= uniform_filter1d(level, TREND, axis=0, mode="nearest")
    spread = level[heard].std(axis=0) + 1e-6
    level = np.clip(level / spread, -LOUDEST, LOUDEST)
    level -= level[heard].mean(axis=0)
    return level * heard[:, None]


def find_lags(third: Pattern, first: Pattern, most: int = 6, max_offset: float | None = None) -> list[Lag]:
    """The best lags, best first: every offset is tried (up to `max_offset` seconds), with every drift up to DRIFT.

    >>> cells = np.random.default_rng(0).normal(size=(1000, BANDS)).astype(np.float32)
    >>> best = find_lags(Pattern(cells[200:], 0.0), Pattern(cells[:700], 0.0))[0]
    >>> round(best.offset, 2), best.peak > 10
    (-4.0, True)
    """
    if min(len(third.cells), len(first.cells)) < CELLS // 2:
        return []
    peaks, rates = _along_drifts(_chunks(third.cells, first.cells), len(first.cells), len(third.cells), DRIFT)
    peaks = (peaks - peaks.mean()) / max(float(peaks.std()), 1e-9)
    if max_offset is not None:
        offsets = third.start - first.start + (np.arange(len(peaks)) - len(first.cells) + 1) / CELLS
        peaks[np.abs(offsets) > max_offset] = -np.inf
    return [_lag(third, first, peaks, float(rates[place]), place) for place in _tops(peaks, most)]


def _tops(peaks: Array, most: int) -> list[int]:
    """Places of the highest peaks, none near a higher one."""
    reach = round(APART * CELLS)
    left = peaks.copy()
    found: list[int] = []
    while len(found) < most and np.isfinite(top := left[place := int(left.argmax())]) and top > 0:
        found.append(place)
        left[max(0, place - reach) : place + reach + 1] = -np.inf
    return found


def _lag(third: Pattern, first: Pattern, peaks: Array, rate: float, place: int) -> Lag:
    """A place among the lags as a clock; lags are counted in the middle of the first recording, where drift is none."""
    middle = (len(first.cells) - 1) / 2
    cell = middle + place + _between(peaks, place) - (len(first.cells) - 1)  # of the third recording
    offset = third.start + cell / CELLS - rate * (first.start + middle / CELLS)
    return Lag(float(offset), rate, float(peaks[place]))


Chunk = tuple[int, Array, Array]  # its first cell; products and their expected squares, lag by lag


def _chunks(third: Array, first: Array) -> list[Chunk]:
    """Each chunk of the first recording against all of the third, by FFT."""
    length = min(max(CHUNK, math.ceil(len(first) / MOST_CHUNKS)), len(first))
    size = next_fast_len(len(third) + length - 1, real=True)
    spectra, power = rfft(third.T, size), rfft((third**2).mean(axis=1), size)  # (B, F), (F,)
    found = []
    for at in range(0, len(first), length):
        part = first[at : at + length][::-1]
        total = np.zeros(spectra.shape[1], np.complex64)
        for band in range(BANDS):
            total += spectra[band] * rfft(part[:, band], size)
        squares = power * rfft((part**2).mean(axis=1), size)
        count = len(third) + len(part) - 1  # lag n - (len(part) - 1), n = 0 …
        found.append((at, irfft(total, size)[:count], irfft(squares, size)[:count].clip(0)))
    return found


def _along_drifts(chunks: list[Chunk], first: int, third: int, drift: float) -> tuple[Array, Array]:
    """For each lag in the middle of the first recording, the most that speaks for it over all drifts, and the rate."""
    lags = first + third - 1
    middles = [at + (len(product) - third) / 2 - (first - 1) / 2 for at, product, _ in chunks]
    steps = math.ceil(drift * (middles[-1] - middles[0]))  # half a cell at either end, each
    best, rates = np.full(lags, -np.inf, np.float32), np.ones(lags, np.float32)
    for step in sorted(range(-steps, steps + 1), key=abs):  # of equals, the least drift
        rate = 1 + drift * step / max(steps, 1)
        products, squares = np.zeros(lags, np.float32), np.zeros(lags, np.float32)
        for (at, product, square), middle in zip(chunks, middles, strict=True):
            # a chunk's first lag has its last cell on the third's first; so has the first lag of all
            shift = first - at - (len(product) - third + 1) - round((rate - 1) * middle)
            low, high = max(0, shift), min(lags, shift + len(product))
            products[low:high] += product[low - shift : high - shift]
            squares[low:high] += square[low - shift : high - shift]
        peaks = products / np.sqrt(squares + LEAST)
        better = peaks > best
        best[better], rates[better] = peaks[better], rate
    return best, rates


def _between(peaks: Array, place: int) -> float:
    """By how much the top of the parabola through a peak and its neighbours lies beside it, in cells."""
    if not 0 < place < len(peaks) - 1:
        return 0.0
    left, top, right = peaks[place - 1 : place + 2]
    bend = left - 2 * top + right
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < 0 else 0.0
