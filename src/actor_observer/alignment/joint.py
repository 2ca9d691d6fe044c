"""Several recordings of one event: one belief over all their clocks at once.

Every two recordings give a curve over the offset between them (`belief.py`). The joint belief in a set of clocks is the
sum of all curves at the offsets that these clocks have between them. It is climbed one recording at a time, from
several starts, so that a wrong pair is put right by all the others. Curves are bounded from below by the chance that
they tell nothing: a recording that does not belong to the others cannot pull them apart.

Cameras that see one and the same thing err alike. With n of them, a sum counts as 1 / (1 + shared · (n - 1)) of it:
`shared` is 1 where they all see the same, 0 where they see things that have nothing to do with each other.

Two events filmed by some of the recordings each are two groups: each is sure of its own clock, and what they have with
each other by chance must not join them. So a group grows only by what is sure of its place in it, moved as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.belief import posterior
from actor_observer.alignment.curve import Curve
from actor_observer.alignment.figures import NEAR
from actor_observer.alignment.recordings.lags import Array

__all__ = ["Joint", "Pull", "join", "pull_of", "together"]

ROUNDS = 20  # of climbing: each recording is moved once in a round; two or three are enough
STARTS = 8  # ways to begin the climb
GRID = 30.0  # offsets a second


@dataclass(frozen=True, eq=False)
class Pull:
    """What two recordings say about the offset between them: the log of belief over what it was before, by offset."""

    offsets: Array  # (L,) seconds: time of one less time of the other
    gain: Array  # (L,)

    def at(self, offsets: Array) -> Array:
        """Read at other offsets; beyond its ends nothing is known."""
        return np.asarray(np.interp(offsets, self.offsets, self.gain, left=self.gain.min(), right=self.gain.min()))

    def turned(self) -> Pull:
        """The same with the two recordings exchanged."""
        return Pull(-self.offsets[::-1], self.gain[::-1])


@dataclass(frozen=True, eq=False)
class Joint:
    """Clocks of all recordings: common time = offset + own time, up to drift."""

    offsets: Array  # (N,) seconds; the first recording's is 0
    shares: Array  # (N,) of the belief near each recording's offset, given the others'; 0 to 1
    total: float  # of all pulls at these offsets


def pull_of(curve: Curve, tells: float) -> Pull:
    """A curve as the joint belief uses it: over offsets alone, whatever the rate."""
    usual = curve.usual()
    gain = _log_sum(posterior(curve, tells)) - _log_sum(usual)
    return Pull(curve.lags.offsets, gain - math.log(float(np.mean(np.exp(gain - gain.max())))) - float(gain.max()))


def join(count: int, pulls: Mapping[tuple[int, int], Pull], shared: float) -> Joint:
    """The clocks that all pulls together speak for most; keys are (one, other) of `count` recordings.

    >>> def pull(at, strong):
    ...     offsets = np.arange(-200, 201) / 10
    ...     return Pull(offsets, np.log(0.01 + strong * np.exp(-0.5 * ((offsets - at) / 0.1) ** 2)))
    >>> pulls = {(0, 1): pull(3.0, 90.0), (1, 2): pull(-5.0, 90.0), (0, 2): pull(9.0, 30.0)}  # the last is wrong
    >>> join(3, pulls, shared=0.3).offsets.round(2).tolist()
    [0.0, 3.0, -2.0]
    """
    both = _both_ways(pulls)
    best: tuple[float, Array] | None = None
    for start in _starts(count, both):
        offsets = _climb(start, both)
        total = sum(float(pull.at(np.array([offsets[b] - offsets[a]]))[0]) for (a, b), pull in pulls.items())
        if best is None or total > best[0] + 1e-9:
            best = total, offsets
    assert best is not None
    total, offsets = best
    everybody = range(count)
    shares = np.array([_share([one], set(everybody) - {one}, offsets, both, shared) for one in everybody])
    return Joint(offsets - offsets[0], shares, total)


def together(
    joint: Joint,
    pulls: Mapping[tuple[int, int], Pull],
    shared: float,
    linked: Mapping[tuple[int, int], float],
    sure: float,
) -> dict[int, float]:
    """The largest group of recordings that are sure of their clocks in it, and how sure each is; {} if no two are.

    `linked` says for every two how much of their own belief is near the clock of all. Two groups of a size: the one
    with the first named.

    >>> def pull(at, strong):
    ...     offsets = np.arange(-200, 201) / 10
    ...     return Pull(offsets, np.log(0.01 + strong * np.exp(-0.5 * ((offsets - at) / 0.1) ** 2)))
    >>> pulls = {(0, 1): pull(3.0, 90.0), (1, 2): pull(0.0, 0.2), (0, 2): pull(9.0, 0.2)}  # the third says little
    >>> together(join(3, pulls, 0.3), pulls, 0.3, {(0, 1): 0.99, (1, 2): 0.2, (0, 2): 0.1}, sure=0.9).keys()
    dict_keys([0, 1])
    """
    both, count = _both_ways(pulls), len(joint.offsets)
    cores = _joined([ends for ends, mass in linked.items() if mass >= sure], count)
    if not any(len(core) > 1 for core in cores):  # nobody is sure alone: the two that are linked best begin
        ends = max(linked, key=linked.__getitem__)
        cores = _joined([ends] if min(joint.shares[list(ends)]) >= sure else [], count)
    grown = []
    for core in (core for core in cores if len(core) > 1):
        group, left = set(core), [other for other in cores if other is not core]
        while left:
            shares = [_share(body, group, joint.offsets, both, shared) for body in left]
            if max(shares) < sure:
                break
            group |= set(left.pop(int(np.argmax(shares))))
        told = {one: _share([one], group - {one}, joint.offsets, both, shared) for one in sorted(group)}
        grown.append({one: share for one, share in told.items() if share >= sure})
    return min((some for some in grown if len(some) > 1), key=lambda some: (-len(some), min(some)), default={})


def _both_ways(pulls: Mapping[tuple[int, int], Pull]) -> dict[tuple[int, int], Pull]:
    return {**pulls, **{(other, one): pull.turned() for (one, other), pull in pulls.items()}}


def _joined(ends: Collection[tuple[int, int]], count: int) -> list[list[int]]:
    """Who is joined with whom, through however many others; who is alone, too."""
    mark = list(range(count))
    for one, other in ends:
        mark = [mark[one] if own == mark[other] else own for own in mark]
    return [[number for number in range(count) if mark[number] == own] for own in sorted(set(mark))]


def _starts(count: int, both: Mapping[tuple[int, int], Pull]) -> list[Array]:
    """Clocks along the strongest pulls of all; and, for each of some recordings, all others where it wants them."""
    strength = {(one, other): float(pull.gain.max()) for (one, other), pull in both.items()}
    wanted = {two: float(pull.offsets[int(pull.gain.argmax())]) for two, pull in both.items()}
    total = [sum(strength[one, other] for other in range(count) if other != one) for one in range(count)]
    order = [int(one) for one in np.argsort(total)[::-1]]
    placed = {order[0]: 0.0}
    while len(placed) < count:
        free = (other for other in range(count) if other not in placed)
        one, other = max(((one, other) for other in free for one in placed), key=strength.__getitem__)
        placed[other] = placed[one] + wanted[one, other]
    along = np.array([placed[number] for number in range(count)])
    around = [np.array([wanted.get((one, other), 0.0) for other in range(count)]) for one in order[: STARTS - 1]]
    return [along, *around]


def _climb(offsets: Array, both: Mapping[tuple[int, int], Pull]) -> Array:
    """Move one recording at a time to where all others want it, until none moves."""
    offsets = offsets.copy()
    for _ in range(ROUNDS):
        before = offsets.copy()
        for number in range(len(offsets)):
            others = [other for other in range(len(offsets)) if other != number]
            grid, total, _ = _wanted([number], others, offsets, both)
            offsets[number] += grid[int(total.argmax())]
        if np.abs(offsets - before).max() < 0.5 / GRID:
            break
    return offsets


def _wanted(
    body: Collection[int], others: Collection[int], offsets: Array, both: Mapping[tuple[int, int], Pull]
) -> tuple[Array, Array, int]:
    """How far others want some recordings moved together: moves (G,), the pulls (G,), and how many speak."""
    ends = [(other, own) for other in others for own in body]
    now = {(other, own): float(offsets[own] - offsets[other]) for other, own in ends}
    low = min(float(both[two].offsets[0]) - now[two] for two in ends)
    high = max(float(both[two].offsets[-1]) - now[two] for two in ends)
    grid = np.arange(math.floor(low * GRID), math.ceil(high * GRID) + 1) / GRID
    pulls = [both[two].at(grid + now[two]) for two in ends]
    speaking = sum(float(np.ptp(pull)) > 1.0 for pull in pulls)
    return grid, np.sum(pulls, axis=0), speaking


def _share(
    body: Collection[int],
    others: Collection[int],
    offsets: Array,
    both: Mapping[tuple[int, int], Pull],
    shared: float,
) -> float:
    """The belief that some recordings are where they are, given where the others are."""
    grid, total, speaking = _wanted(body, others, offsets, both)
    told = np.exp((total - total.max()) / (1 + shared * max(0, speaking - 1)))
    here: NDArray[np.bool_] = np.abs(grid) <= NEAR
    return float(told[here].sum() / told.sum())


def _log_sum(belief: Array) -> Array:
    """Over all rates (R, L) to (L,)."""
    top = belief.max(axis=0)
    return np.asarray(top + np.log(np.exp(belief - top).sum(axis=0)))
