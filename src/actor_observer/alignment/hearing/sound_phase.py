"""Two sounds in step to a fraction of a frame: the phases of short blocks compared (GCC-PHAT), a line through them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.ndimage import gaussian_filter1d

from actor_observer.alignment.hearing.sound_lags import DRIFT, Lag
from actor_observer.frames.audio.sound import SOUND_RATE, Sound

__all__ = ["Fine", "refine"]

BLOCK = 2 * SOUND_RATE  # samples: 100 ppm move the two ends 0.2 ms apart
MOST = 240  # blocks looked at, spread over all that is shared
REACH = SOUND_RATE // 16  # samples either side: three cells of the pattern
LOWEST, HIGHEST = 150.0, 7000.0  # Hz
WHITE = 0.8  # 1: every frequency counts alike; 0: as loud as it is
COARSE = 4  # samples: the step at which blocks are added up
BLUR = 12  # samples: the microphones may come nearer to what they hear by a foot
NEAR = SOUND_RATE // 100  # samples: a block's own peak is looked for this near to the line
WANDER = 5.0  # seconds within which a moving head stays about where it is
USUAL = 150e-6  # by how much the rates of two cameras usually differ
CLEAR = 5.0  # spreads: a block's peak below this may be chance

Array = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Fine:
    """A clock by phase: third = offset + rate · first, with the standard errors of both."""

    offset: float
    rate: float
    middle: float  # seconds of the first recording about which offset and rate hardly disturb each other
    middle_error: float  # seconds, at that time
    rate_error: float
    height: float  # how far the line stands out among lines nearby
    blocks: int  # looked at
    clear: int  # of them, with a clear peak of their own near the line


def refine(third: Sound, first: Sound, lag: Lag) -> Fine | None:
    """The clock near `lag` by which the phases of both sounds agree best; None where too little is shared.

    >>> noise = np.random.default_rng(0).normal(0, 3000, 9 * SOUND_RATE).astype(np.int16)
    >>> fine = refine(Sound(noise[4000:], 0.0), Sound(noise, 0.0), Lag(-0.24, 1.0, 20.0))
    >>> round(fine.offset, 4), fine.clear == fine.blocks
    (-0.25, True)
    """
    begin = max(first.start, (third.start - lag.offset) / lag.rate)
    end = min(first.end, (third.end - lag.offset) / lag.rate)
    length = BLOCK / SOUND_RATE
    if end - begin < length:
        return None
    count = int(np.clip(2 * (end - begin) / length - 1, 1, MOST))
    times = np.linspace(begin + length / 2, end - length / 2, count) if count > 1 else np.array([(begin + end) / 2])
    blocks = [_agreement(third, first, lag, float(time)) for time in times]
    heard = [place for place, block in enumerate(blocks) if block is not None]
    if not heard:
        return None
    strength = np.stack([block for block in blocks if block is not None])  # (C, 2 · REACH + 1)
    return _line(strength, times[heard], lag)


def _agreement(third: Sound, first: Sound, lag: Lag, time: float) -> Array | None:
    """How well one block's phases agree, shift by shift, in units of chance; None where either is silent."""
    ours = round((time - first.start) * SOUND_RATE) - BLOCK // 2
    theirs = round((lag.offset + lag.rate * time - third.start) * SOUND_RATE) - BLOCK // 2  # to half a sample
    pieces = [_piece(first, ours), _piece(third, theirs)]
    if any(not piece.any() for piece in pieces):
        return None
    spectra = [rfft(piece) for piece in pieces]
    cross = spectra[1] * spectra[0].conj()
    band = slice(int(LOWEST * BLOCK / SOUND_RATE), int(HIGHEST * BLOCK / SOUND_RATE))
    size = np.abs(cross[band])
    white = np.zeros_like(cross)
    white[band] = cross[band] / (size + 1e-6 * size.max() + 1e-20) ** WHITE
    likeness = irfft(white, BLOCK)
    chance = float(likeness[BLOCK // 8 : -BLOCK // 8].std())
    near: Array = np.concatenate([likeness[-REACH:], likeness[: REACH + 1]])
    return near / np.float32(max(chance, 1e-20))


_TAPER = np.hanning(BLOCK).astype(np.float32)


def _piece(sound: Sound, at: int) -> Array:
    """BLOCK samples from `at` on, tapered; zeros beyond the ends."""
    piece = np.zeros(BLOCK, np.float32)
    low, high = max(at, 0), min(at + BLOCK, len(sound.samples))
    if high > low:
        piece[low - at : high - at] = sound.samples[low:high]
    return (piece - piece.mean()) * _TAPER


def _line(strength: Array, times: Doubles, lag: Lag) -> Fine:
    """The line through all blocks on which they agree best, then through the peaks of the clear ones near it."""
    middle = float(times.mean())
    half = max(float(times[-1] - times[0]) / 2, 1e-3)
    power = gaussian_filter1d(strength**2, BLUR, axis=1, mode="nearest")  # chance: 1 everywhere
    power = np.minimum(power[:, REACH % COARSE :: COARSE], 50.0)  # one block does not outvote the others
    tilts = _tilts(lag, half) if len(times) > 1 else np.zeros(1)
    stacked = np.stack([_stack(power, tilt * (times - middle)) for tilt in tilts])  # (R, T)
    row, column = np.unravel_index(int(stacked.argmax()), stacked.shape)
    spread = max(float(stacked.std()), 1e-9)
    height = float(stacked.max() - np.median(stacked)) / spread
    line = (column * COARSE + REACH % COARSE - REACH) / SOUND_RATE + tilts[row] * (times - middle)
    peaks, heights = _peaks(strength, line)
    clear = heights > CLEAR
    shift, tilt, shift_error, tilt_error = _fit(times[clear] - middle, peaks[clear], 1 - lag.rate)
    if clear.sum() < 2:
        shift, tilt = float(line.mean()), float(tilts[row])
    offset = lag.offset + shift - tilt * middle
    return Fine(offset, lag.rate + tilt, middle, shift_error, tilt_error, height, len(clear), int(clear.sum()))


def _tilts(lag: Lag, half: float) -> Doubles:
    """Drifts to try besides the lag's own: what its pattern could not tell apart, no more than clocks drift."""
    most = 0.03 / half
    low, high = max(-most, 1 - 1.2 * DRIFT - lag.rate), min(most, 1 + 1.2 * DRIFT - lag.rate)
    count = int(np.ceil((high - low) * half / 5e-4))
    return np.linspace(low, high, max(count, 1) | 1)


def _stack(power: Array, shifts: Doubles) -> Array:
    """The blocks' mean, each read `shifts` seconds later."""
    cells = power.shape[1]
    places = np.arange(cells)[None] + np.rint(shifts * SOUND_RATE / COARSE).astype(np.int64)[:, None]
    inside = (places >= 0) & (places < cells)
    found = np.take_along_axis(power, places.clip(0, cells - 1), axis=1)
    return np.where(inside, found, 1.0).mean(axis=0, dtype=np.float32)


def _peaks(strength: Array, line: Doubles) -> tuple[Doubles, Doubles]:
    """Each block's own peak near the line, seconds from the lag, and its height."""
    power = np.sqrt(gaussian_filter1d(strength**2, 1.5, axis=1, mode="nearest"))
    places = np.arange(power.shape[1])[None] - REACH - line[:, None] * SOUND_RATE
    near = np.where(np.abs(places) <= NEAR, power, 0.0)
    peak = near.argmax(axis=1)
    heights = near[np.arange(len(near)), peak].astype(np.float64)
    return (peak - REACH) / SOUND_RATE, heights


def _fit(times: Doubles, values: Doubles, usual: float) -> tuple[float, float, float, float]:
    """A line that outliers do not bend (Cauchy weights): height in the middle, slope, and their standard errors.

    What bends it all the same is a head that moves, to and fro within some seconds: blocks nearby err alike and count
    as one. Where little is known, the slope is near the `usual` one.
    """
    if len(times) < 2:
        return 0.0, 0.0, 0.01, DRIFT
    columns = np.stack([np.ones_like(times), times], axis=1)
    alike = max(1.0, len(times) / max(2.0, (times[-1] - times[0]) / WANDER))
    found = np.array([float(np.median(values)), usual])
    for _ in range(20):
        left = values - columns @ found
        scale = max(1.4826 * float(np.median(np.abs(left))), 1e-4)
        weights = 1 / (1 + (left / (2 * scale)) ** 2)
        belief = alike * (scale / USUAL) ** 2
        precision = columns.T @ (weights[:, None] * columns) + np.diag([0.0, belief])
        found = np.linalg.solve(precision, columns.T @ (weights * values) + np.array([0.0, belief * usual]))
    spread = np.linalg.inv(precision) * alike * scale**2
    return float(found[0]), float(found[1]), float(np.sqrt(spread[0, 0])), float(np.sqrt(spread[1, 1]))
