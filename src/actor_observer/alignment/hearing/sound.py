"""Sound as evidence: do two recordings hear one event, and what clock puts them in step?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from actor_observer.alignment.hearing.sound_lags import CELLS, DRIFT, Lag, Pattern, find_lags, listen
from actor_observer.alignment.hearing.sound_phase import Fine, refine
from actor_observer.frames.audio.sound import Sound, read_sound

__all__ = ["Candidate", "Heard", "SoundMatch", "hear", "match_heard"]

TRAVEL = 0.01  # seconds: sound takes 3 ms a metre, and nobody says how far apart the microphones were (95 %)
SURE = 0.9  # of the probability, and of the best candidate's share
LEAST_CLEAR, LEAST_SHARE = 3, 0.1  # blocks whose phases agree, below which the pattern alone decides
LEAST_BELIEF = 0.01  # candidates with less are left out
COARSE_ERROR = 0.5 / CELLS  # seconds: standard error of a clock by pattern alone
STEADY = 0.001  # seconds over the shared stretch: a head that goes away all the time looks like drift
CHANCE = 0.1  # of the blocks may have a clear peak near the line by chance
# The probability's weights: logistic regression on 48 made-up pairs and 160 mismatched ones (seeds 10010 to 10033).
PEAK, CLEAR, BIAS = 1.2, 1.2, -8.15


@dataclass(frozen=True, eq=False)
class Heard:
    """One recording's sound, ready to be compared with others."""

    name: str
    sound: Sound
    pattern: Pattern
    silent: bool


@dataclass(frozen=True)
class Candidate:
    """One clock that the sound allows, and how much of the belief it has."""

    offset: float  # seconds
    rate: float
    share: float  # of 1 over all candidates


@dataclass(frozen=True)
class SoundMatch:
    """What the sounds of two recordings say: third = offset + rate · first."""

    offset: float  # seconds
    rate: float
    middle: float  # seconds of the first recording: the middle of what is shared, where the clock is known best
    middle_error: float  # half-width of the clock there, 95 %
    rate_error: float  # half-width, 95 %
    probability: float  # that both heard one event; 0.5 where nothing can be said
    shared: float  # seconds that both recorded, if so
    candidates: tuple[Candidate, ...]  # best first; several where the sound repeats itself
    peak: float  # how far the best lag stands out among all, in units of their spread
    clear: int  # blocks of two seconds whose phases agree, too
    note: str = ""  # why nothing can be said

    @property
    def offset_error(self) -> float:
        """Half-width of the offset (the clock at the first recording's start), 95 %."""
        return self.error_at(0.0)

    def error_at(self, first_time: float) -> float:
        """Half-width of the clock at a time of the first recording, 95 %."""
        return math.hypot(self.middle_error, self.rate_error * (first_time - self.middle))

    @property
    def ambiguous(self) -> bool:
        """Several offsets fit about as well: looped music, a metronome, an alarm."""
        return bool(self.candidates) and self.candidates[0].share < SURE

    @property
    def sure(self) -> bool:
        """The sounds are of one event, and only one offset fits."""
        return self.probability >= SURE and not self.ambiguous


def hear(path: Path) -> Heard | None:
    """Read a file's sound for comparing it with several others; None where it has no sound track.

    >>> hear(Path("no-such.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    sound = read_sound(path)
    return Heard(path.name, sound, listen(sound), sound.silent) if sound else None


def match_heard(third: Heard, first: Heard, max_offset: float | None = None) -> SoundMatch:
    """Compare two sounds that were read before.

    >>> knocks = np.zeros(160_000, np.int16)  # 10 s
    >>> rng = np.random.default_rng(0)
    >>> for at in rng.integers(0, len(knocks) - 800, 40):
    ...     knocks[at : at + 800] = rng.normal(0, 5000, 800)
    >>> third, first = Sound(knocks, 0.0), Sound(knocks[32_000:], 0.0)
    >>> match = match_heard(Heard("a", third, listen(third), False), Heard("b", first, listen(first), False))
    >>> round(match.offset, 3), match.sure
    (2.0, True)
    """
    for heard in (third, first):
        if heard.silent:
            return _nothing(f"{heard.name} is silent")
    lags = find_lags(third.pattern, first.pattern, max_offset=max_offset)
    if not lags:
        return _nothing("too little sound to compare")
    best = lags[0]
    fine = refine(third.sound, first.sound, best)
    candidates = []
    for lag, share in zip(lags, _shares(third.pattern, first.pattern, lags), strict=True):
        if share > LEAST_BELIEF or lag is best:
            found = fine if lag is best else refine(third.sound, first.sound, lag)
            clock = found if found and _trusted(found) else lag
            candidates.append(Candidate(clock.offset, clock.rate, share))
    return _match(third.sound, first.sound, best, fine, tuple(candidates))


def _match(third: Sound, first: Sound, best: Lag, fine: Fine | None, candidates: tuple[Candidate, ...]) -> SoundMatch:
    offset, rate = candidates[0].offset, candidates[0].rate
    begin, end = max(first.start, (third.start - offset) / rate), min(first.end, (third.end - offset) / rate)
    shared = max(end - begin, 1e-3)
    if fine and _trusted(fine):
        middle, error, rate_error = fine.middle, fine.middle_error, fine.rate_error
    else:
        middle, error, rate_error = (begin + end) / 2, COARSE_ERROR, min(2 * COARSE_ERROR / shared, DRIFT / 2)
    return SoundMatch(
        offset=offset,
        rate=rate,
        middle=middle,
        middle_error=math.hypot(1.96 * error, TRAVEL),
        rate_error=math.hypot(1.96 * rate_error, STEADY / shared),
        probability=_probability(best.peak, fine),
        shared=shared,
        candidates=candidates,
        peak=best.peak,
        clear=fine.clear if fine else 0,
    )


def _trusted(fine: Fine) -> bool:
    return fine.clear >= max(LEAST_CLEAR, LEAST_SHARE * fine.blocks)


def _probability(peak: float, fine: Fine | None) -> float:
    """The chance that two sounds are of one event: a lag that stands out, and phases that agree with it."""
    agree = max(0.0, fine.clear - CHANCE * fine.blocks) if fine else 0.0
    total = BIAS + PEAK * peak + CLEAR * math.sqrt(agree)
    return float(expit(total))


def _shares(third: Pattern, first: Pattern, lags: list[Lag]) -> list[float]:
    """Belief in each lag beside the best, by how surely the best one fits better.

    A loop fits as well one turn later: what differs is chance, and the shares are alike. A peak far lower than the
    best is more likely one of the many that chance makes.
    """
    best = lags[0]
    odds = [1.0]
    for lag in lags[1:]:
        odds.append((lag.peak / best.peak) ** 4 * math.exp(-0.5 * max(_lead(third, first, best, lag), 0.0) ** 2))
    return [odd / sum(odds) for odd in odds]


def _lead(third: Pattern, first: Pattern, best: Lag, rival: Lag) -> float:
    """By how many standard errors one lag fits better than another: in all, and second by second where both can be."""
    fits = [_fit(third, first, lag) for lag in (best, rival)]
    shared = [max(int(np.isfinite(fit).sum()), 1) for fit in fits]
    expected = best.peak * math.sqrt(min(1.0, shared[1] / shared[0]))  # of a rival as good as the best
    ahead = fits[0] - fits[1]
    ahead = ahead[np.isfinite(ahead)]
    seconds = ahead[: len(ahead) // CELLS * CELLS].reshape(-1, CELLS).mean(axis=1)
    if len(seconds) < 4:
        return expected - rival.peak
    return max(expected - rival.peak, float(seconds.mean() / (seconds.std(ddof=1) / math.sqrt(len(seconds)) + 1e-9)))


def _fit(third: Pattern, first: Pattern, lag: Lag) -> NDArray[np.float32]:
    """How well each cell of the first recording fits by a lag; NaN where the third recorded nothing."""
    times = first.start + np.arange(len(first.cells)) / CELLS
    places = np.rint((lag.offset + lag.rate * times - third.start) * CELLS).astype(np.int64)
    inside = (places >= 0) & (places < len(third.cells))
    product = np.einsum("nb,nb->n", first.cells, third.cells[places.clip(0, len(third.cells) - 1)])
    return np.where(inside, product, np.nan)


def _nothing(note: str) -> SoundMatch:
    return SoundMatch(0.0, 1.0, 0.0, math.inf, math.inf, 0.5, 0.0, (), 0.0, 0, note)
