"""Made-up recordings of one event by two microphones: sources, rooms, noise, faults, files."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq
from scipy.signal import fftconvolve, lfilter, resample

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from tiny_sound import write_sounding

__all__ = ["KINDS", "Case", "make_case", "make_source"]

RATE = 32_000  # of the event, before each microphone samples it at a rate of its own
RATES = (16_000, 32_000, 44_100, 48_000)
KINDS = ("speech", "kitchen", "music")
Track = NDArray[np.float32]


@dataclass(frozen=True)
class Case:
    """Two files of one event and the truth: third = offset + rate · first."""

    kind: str
    third: Path
    first: Path
    offset: float
    rate: float
    shared: float  # seconds of the event that both recorded

    def error(self, offset: float, rate: float = 1.0) -> float:
        """Seconds by which a clock is wrong in the middle of the shared stretch."""
        begin = max(0.0, -self.offset)
        middle = begin + self.shared / 2
        return abs((self.offset - offset) + (self.rate - rate) * middle)


def make_case(
    folder: Path,
    kind: str,
    seed: int,
    noise: float = 0.0,  # dB: signal over noise in each recording
    event: tuple[float, float] = (15.0, 40.0),  # seconds each recording lasts
    overlap: tuple[float, float] = (0.4, 1.0),  # share of the shorter recording that the other has, too
    drift: float = 100.0,  # parts per million, each microphone's clock at most
    moves: float = 0.0,  # metres that the first microphone comes nearer and goes away
) -> Case:
    """One event recorded twice, with two echoes, filters, gains, noises, clocks; one in four clips."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    lengths = rng.uniform(*event, 2)
    shared = rng.uniform(*overlap) * min(lengths)
    starts = (0.0, lengths[0] - shared) if rng.random() < 0.5 else (lengths[1] - shared, 0.0)
    source = make_source(kind, rng, max(starts[0] + lengths[0], starts[1] + lengths[1]))
    paths, rates = [], []
    for name, start, length in zip(("third", "first"), starts, lengths, strict=True):
        heard = source[round(start * RATE) : round((start + length) * RATE)]
        sampling = int(rng.choice(RATES))
        exact = sampling * (1 + rng.uniform(-drift, drift) * 1e-6)
        if moves and name == "first":
            heard = _moving(rng, heard, moves)
        track = _record(rng, heard, noise, distant=name == "third")
        track = resample(track, round(len(track) / RATE * exact)).astype(np.float32)
        rates.append(len(track) / sampling / (len(heard) / RATE))
        if rng.random() < 0.5:
            track = np.stack([track, np.roll(track, 3) * 0.7])
        path = folder / f"{kind}-{seed}-{name}.mp4"
        paths.append(write_sounding(path, _with_gain(rng, track), sampling, bit_rate=64_000))
    offset = (round(starts[1] * RATE) - round(starts[0] * RATE)) / RATE * rates[0]
    return Case(kind, paths[0], paths[1], offset, rates[0] / rates[1], shared)


def _record(rng: np.random.Generator, heard: Track, noise: float, distant: bool) -> Track:
    """The event as one microphone hears it: its room, its filter, its noise."""
    decay = rng.uniform(0.2, 0.8)  # seconds until the echo is 60 dB down
    at = np.arange(round(decay * RATE))
    echo = rng.normal(size=len(at)) * 10 ** (-3 * at / len(at))
    direct = rng.uniform(-3, 6) if distant else rng.uniform(3, 15)  # dB over the echo
    echo *= 10 ** (-direct / 20) / np.sqrt((echo**2).sum())
    echo[0] += 1.0
    wet = fftconvolve(heard, echo.astype(np.float32))[: len(heard)]
    wet = _filter(rng, wet)
    hiss = _noise(rng, len(wet))
    hiss *= np.sqrt((wet**2).mean() / (hiss**2).mean()) * 10 ** (-noise / 20)
    return (wet + hiss).astype(np.float32)


def _moving(rng: np.random.Generator, heard: Track, metres: float) -> Track:
    """The event as heard by someone who walks about, a few seconds each way."""
    at = np.arange(len(heard))
    knots = np.arange(0, len(heard) + 6 * RATE, 3 * RATE)
    delay = metres / 343 * RATE * np.interp(at, knots, rng.uniform(-1, 1, len(knots)))
    return np.interp(at - delay, at, heard).astype(np.float32)


def _filter(rng: np.random.Generator, track: Track) -> Track:
    """A smooth response of ±9 dB, less what lies below 50-200 Hz and above 4-14 kHz."""
    size = next_fast_len(len(track), real=True)
    spectrum = rfft(track, size)
    octaves = np.log2(rfftfreq(size, 1 / RATE).clip(20))
    knots = np.arange(4, 15)
    shape = np.interp(octaves, knots, rng.uniform(-9, 9, len(knots)))
    shape -= 12 * np.maximum(0, np.log2(rng.uniform(50, 200)) - octaves)
    shape -= 24 * np.maximum(0, octaves - np.log2(rng.uniform(4000, 14000)))
    return irfft(spectrum * (10 ** (shape / 20)).astype(np.float32), size)[: len(track)]


def _noise(rng: np.random.Generator, length: int) -> Track:
    """Noise between white and brown, swelling slowly, as of wind, traffic and preamplifiers."""
    size = next_fast_len(length, real=True)
    spectrum = rfft(rng.standard_normal(size, np.float32))
    frequencies = rfftfreq(size, 1 / RATE).clip(30).astype(np.float32)
    noise = irfft(spectrum * frequencies ** np.float32(-rng.uniform(0, 1)), size)[:length]
    knots = np.arange(0, length + 4 * RATE, 2 * RATE)
    return (noise * np.exp(np.interp(np.arange(length), knots, rng.normal(0, 0.4, len(knots))))).astype(np.float32)


def _with_gain(rng: np.random.Generator, track: Track) -> Track:
    """One in four far too loud (1-5 % of the samples clipped), the others at any level."""
    if rng.random() < 0.25:
        return (track / np.quantile(np.abs(track), 1 - rng.uniform(0.01, 0.05))).clip(-1, 1)
    return track / np.abs(track).max() * 10 ** (rng.uniform(-36, -1) / 20)


def make_source(kind: str, rng: np.random.Generator, seconds: float) -> Track:
    """What happens in the room, before any microphone."""
    track = np.zeros(math.ceil(seconds * RATE) + RATE)
    {"speech": _speech, "kitchen": _kitchen, "music": _music}[kind](rng, track, seconds)
    return track.astype(np.float32)


def _add(track: NDArray[np.float64], at: float, sound: NDArray[np.float64]) -> None:
    place = round(at * RATE)
    part = track[place : place + len(sound)]
    part += sound[: len(part)]


def _speech(rng: np.random.Generator, track: NDArray[np.float64], seconds: float) -> None:
    """Syllables of one to three voices: pulses or hiss through three moving formants; pauses between phrases."""
    time, pitch = 0.0, rng.uniform(90, 220, rng.integers(1, 4))
    while time < seconds:
        voice = rng.choice(pitch) * rng.uniform(0.9, 1.1)
        for _ in range(rng.integers(3, 15)):
            length = rng.uniform(0.08, 0.3)
            n = round(length * RATE)
            if rng.random() < 0.75:
                phase = np.cumsum(voice * rng.uniform(0.8, 1.2) * np.linspace(1, rng.uniform(0.85, 1.15), n)) / RATE
                sound = np.diff(np.floor(phase), prepend=0.0) + 0.02 * rng.normal(size=n)
                formants = rng.uniform((250, 800, 2200), (850, 2300, 3300))
            else:
                sound = 0.1 * rng.normal(size=n)
                formants = rng.uniform((1500, 3000, 5000), (3000, 5000, 8000))
            for formant in formants:
                radius = math.exp(-math.pi * rng.uniform(60, 150) / RATE)
                sound = lfilter(
                    [1 - radius], [1, -2 * radius * math.cos(2 * math.pi * formant / RATE), radius**2], sound
                )
            sound *= np.sin(np.linspace(0, math.pi, n)) ** 0.5 * rng.uniform(0.3, 1) / (np.abs(sound).max() + 1e-9)
            _add(track, time, sound)
            time += length * rng.uniform(0.8, 1.3)
        time += rng.exponential(0.8)


def _kitchen(rng: np.random.Generator, track: NDArray[np.float64], seconds: float) -> None:
    """Clinks, thuds and chops at irregular times; now and then water."""
    time = 0.0
    while time < seconds:
        modes = rng.uniform(1200, 8000, 5) if rng.random() < 0.6 else rng.uniform(80, 900, 4)
        length = rng.uniform(0.05, 0.5)
        at = np.arange(round(length * RATE)) / RATE
        ring = sum(rng.uniform(0.2, 1) * np.sin(2 * math.pi * m * at + rng.uniform(0, 6)) for m in modes)
        knock = rng.normal(size=len(at)) * np.exp(-at / 0.004)
        sound = (ring * np.exp(-at / (length / 4)) + knock) * 10 ** rng.uniform(-1.2, 0)
        repeats, gap = (rng.integers(3, 12), rng.uniform(0.15, 0.4)) if rng.random() < 0.15 else (1, 0.0)
        for number in range(repeats):
            _add(track, time + number * gap * rng.uniform(0.9, 1.1), sound * rng.uniform(0.7, 1))
        if rng.random() < 0.04:
            water = rng.normal(size=round(rng.uniform(2, 8) * RATE))
            _add(track, time, 0.05 * lfilter([1], [1, -0.6], water))
        time += repeats * gap + rng.exponential(0.7)


def _music(rng: np.random.Generator, track: NDArray[np.float64], seconds: float) -> None:
    """A tune over drums in strict time: phrases return, as in songs, with small changes."""
    beat = 60 / rng.uniform(70, 150)
    scale = 220 * 2 ** (np.array([0, 2, 4, 5, 7, 9, 11, 12, 14]) / 12) * rng.uniform(0.7, 1.4)
    phrases = [rng.integers(0, len(scale), 16) for _ in range(4)]
    at = np.arange(round(0.9 * RATE)) / RATE
    drum = rng.normal(size=len(at)) * np.exp(-at / 0.03)
    kick = np.sin(2 * math.pi * 60 * at + 8 * np.exp(-at / 0.03)) * np.exp(-at / 0.08)
    step, time = 0, 0.0
    while time < seconds:
        if step % 16 == 0:
            phrase = phrases[rng.integers(4)].copy()
            phrase[rng.integers(0, 16, 3)] = rng.integers(0, len(scale), 3)
        if step % 4 == 0:
            _add(track, time, kick)
        if step % 4 == 2:
            _add(track, time, 0.4 * drum)
        if rng.random() < 0.7:
            note = scale[phrase[step % 16]]
            tone = sum(np.sin(2 * math.pi * note * k * at) / k**1.3 for k in range(1, 7))
            _add(track, time, 0.6 * tone * np.exp(-at / rng.uniform(0.1, 0.4)) * np.minimum(1, at / 0.005))
        step, time = step + 1, time + beat / 2 * rng.uniform(0.99, 1.01)
