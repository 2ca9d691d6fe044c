"""Table 2 of the paper, twice: as published, and with every moment placed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import counted
from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, Proportion
from actor_observer.evaluation.measures.markers import Markers
from actor_observer.evaluation.measures.placement import (
    PUBLISHED_SECONDS,
    Answers,
    Placement,
    place_all,
    published_choice,
)
from actor_observer.evaluation.statistics.better_by import better_by
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.chance import UniformGuess
from actor_observer.evaluation.statistics.over_videos import Statistic, mean_of, median_of, median_of_top, share_of
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features.distances import box_mean, moment_radius
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Pair

__all__ = ["NEARER", "fair_alignment", "published_alignment"]

Array = NDArray[np.float64]
NEARER = "nearer than not looking"
_NOTES = (
    "Takes exchanged: first-person takes of other pairs, what smooth features alone can do.",
    f"{NEARER.capitalize()}: seconds, video by video, by which the median error is below the best of always the "
    f"middle, {IN_PROPORTION} and the method's own takes exchanged.",
)
_COLUMNS = (
    *("every moment, median", "mean", "within 1 s", "best half by weight, median"),
    *("best pair, median", "spread of its place", "best 20 % by chance, median", NEARER),
)
_LIKED = 0.2  # share of the moments with the highest chance of being placed
_ROUNDING = 1e-9  # seconds
_REPLICATES = 500  # as in statistics/better_by.py
_EVEN = 12**-0.5  # the spread of places drawn evenly from 0 to 1


def published_alignment(methods: Sequence[Method], pairs: Sequence[Pair], protocol: Protocol, who: str) -> Figures:
    """The published rule: the best pair of moments by clipped windows, against scaled time."""
    times = methods[0].embeddings
    grids = [(times[pair.third].times, pair.clock.to_third(times[pair.first].times)) for pair in pairs]
    rows: dict[str, tuple[Cell, ...]] = {
        "uniform guess": (UniformGuess(grids, by_moment=False).median(),),
        "independent noise": (_noise_error(times, pairs, protocol.seed),),
        IN_PROPORTION: (None,),
    }
    over, blind = Resampling.of(pairs), Proportion.of(times, pairs)
    for method in (*([blind.method] if blind.method else []), *methods):
        takes = method.embeddings
        best = [published_choice(takes[pair.third], takes[pair.first], pair.clock) for pair in pairs]
        rows[method.label] = (_median(best, over),)
    title = f"Alignment, published protocol, {who}: median error of the best pair (s)"
    key = f"alignment-published-{who.split()[0]}"
    return Figures(key, title, ("best pair, median",), rows, notes=(*blind.notes, over.in_words()))


def fair_alignment(
    methods: Sequence[Method], pairs: Sequence[Pair], protocol: Protocol, who: str, markers: Markers | None = None
) -> Figures:
    """Every first-person moment placed, whole windows only, with chance and exchanged takes beside it."""
    rows: dict[str, tuple[Cell, ...]] = {}
    notes: list[str] = []
    blind = Proportion.of(methods[0].embeddings, pairs)
    rivals: list[Statistic] = []
    for method in (*([blind.method] if blind.method else []), *methods):
        found = place_all(method.embeddings, pairs, protocol.moment, protocol.moment_share)
        placed, over = _met(found, pairs)
        if not placed:
            continue
        if not rows:
            rows |= {**_chance(placed), IN_PROPORTION: (None,) * len(_COLUMNS)}
            rivals.append(_by_pair(found, lambda one: (one.middle_error, np.ones(len(one.truth)))))
            notes += [*_about(placed, len(pairs)), over.in_words()]
        if method is blind.method:
            rivals.append(_by_pair(found))
            rows[IN_PROPORTION] = _row(placed, over)
            continue
        others = exchanged(method.embeddings, pairs)
        moved = place_all(method.embeddings, others, protocol.moment, protocol.moment_share)
        swapped, over_swapped = _met(moved, others)
        own = [_by_pair(_for_pairs(moved, others, pairs))] if swapped else []
        nearer = better_by(_by_pair(found), [*rivals, *own], Resampling.of(pairs), larger=False)
        rows[method.label] = _row(placed, over, method.selects(pairs), nearer)
        if swapped:
            rows[f"{method.label}, takes exchanged"] = _row(swapped, over_swapped)
    notes += [*blind.notes, *_NOTES]
    if markers:
        rows[markers.label] = (markers.median, markers.mean, markers.within, *[None] * (len(_COLUMNS) - 3))
        notes.append(markers.note)
    title = f"Alignment, fair protocol, {who}: errors in third-person seconds"
    return Figures(f"alignment-fair-{who.split()[0]}", title, _COLUMNS, rows, ("within 1 s",), tuple(notes))


def _about(placed: Sequence[Placement], pairs: int) -> list[str]:
    moments, outside = sum(len(one.truth) for one in placed), sum(one.outside for one in placed)
    notes = [f"{moments} moments of {counted(len(placed), 'pair')}; {outside} more lie outside the other take."]
    if left := pairs - len(placed):
        notes.append(f"{counted(left, 'pair')} without a moment in common: left out.")
    return notes


def _met(found: Sequence[Placement | None], pairs: Sequence[Pair]) -> tuple[list[Placement], Resampling]:
    """The placements of the pairs that have a moment in common, and how those pairs are resampled."""
    met = np.flatnonzero([one is not None for one in found])
    return [one for one in found if one is not None], Resampling.of(pairs).among(met)


def _for_pairs(
    found: Sequence[Placement | None], others: Sequence[Pair], pairs: Sequence[Pair]
) -> list[Placement | None]:
    """Placements of exchanged pairs, in the places of the pairs they were made of."""
    own = {pair.id: one for pair, one in zip(others, found, strict=True)}
    return [own.get(pair.id) for pair in pairs]


def _by_pair(
    found: Sequence[Placement | None],
    errors: Callable[[Placement], tuple[Array, Array]] = lambda one: (one.answers.error, one.answers.share),
) -> Statistic:
    """The median error as a function of how often each pair counts."""
    known = [(number, *errors(one)) for number, one in enumerate(found) if one]
    error, share = (np.concatenate([row[place] for row in known]) for place in (1, 2))
    return median_of(error, np.concatenate([np.full(len(row[1]), row[0]) for row in known]), share)


def _row(placed: Sequence[Placement], over: Resampling, selects: bool = False, nearer: Cell = None) -> tuple[Cell, ...]:
    answers = [one.answers for one in placed]
    error, video, share = _joined(answers)
    weight = np.concatenate([one.weight[one.answers.question] for one in placed])
    near = (error <= 1.0 + _ROUNDING).astype(float)
    half = median_of_top(error, video, weight, 0.5, share)
    return (
        _median(answers, over),
        bootstrap(mean_of(error, video, share), over),
        share_over(share_of(near, video, share), over),
        bootstrap(half, over, _REPLICATES) if selects else None,
        _median([one.best for one in placed], over),
        _spread(placed),
        _by_chance(placed, over) if selects else None,
        nearer,
    )


def _by_chance(placed: Sequence[Placement], over: Resampling) -> Interval | None:
    """The median error of the moments with the highest chance of being placed, where it is told."""
    told = [one.chance[one.answers.question] for one in placed if one.chance is not None]
    if len(told) < len(placed):
        return None
    error, video, share = _joined([one.answers for one in placed])
    return bootstrap(median_of_top(error, video, np.concatenate(told), _LIKED, share), over, _REPLICATES)


def _chance(placed: Sequence[Placement]) -> dict[str, tuple[Cell, ...]]:
    grids = [(one.third, one.truth) for one in placed]
    guess, best = UniformGuess(grids), UniformGuess(grids, by_moment=False)
    middle = np.concatenate([one.middle_error for one in placed])
    both = [abs(one.middle - one.truth[len(one.truth) // 2]) for one in placed]
    within = float((middle <= 1 + _ROUNDING).mean())
    return {
        "uniform guess": (guess.median(), guess.mean(), guess.within(1.0), None, best.median(), _EVEN, None, None),
        "always the middle": (
            *(float(np.median(middle)), float(middle.mean()), within, None),
            *(float(np.median(both)), 0.0, None, None),
        ),
    }


def _noise_error(embeddings: Embeddings, pairs: Sequence[Pair], seed: int) -> float:
    """What the published rule gets on matrices of independent noise of the same sizes: the border artefact."""
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(max(1, 300 // len(pairs))):
        for pair in pairs:
            third, first = embeddings[pair.third], embeddings[pair.first]
            radius = moment_radius(third.times, PUBLISHED_SECONDS)
            mean = box_mean(rng.random((len(first.times), len(third.times))), radius, clipped=True)
            j, i = np.unravel_index(np.argmin(mean), mean.shape)
            errors.append(abs(third.times[i] - pair.clock.to_third(float(first.times[j]))))
    return float(np.median(errors))


def _median(answers: Sequence[Answers], over: Resampling) -> Interval:
    return bootstrap(median_of(*_joined(answers)), over, _REPLICATES)


def _joined(answers: Iterable[Answers]) -> tuple[Array, NDArray[np.int64], Array]:
    """Errors, the video that each belongs to, and shares."""
    answers = list(answers)
    video = np.repeat(np.arange(len(answers)), [len(one.error) for one in answers])
    return np.concatenate([one.error for one in answers]), video, np.concatenate([one.share for one in answers])


def _spread(placed: Sequence[Placement]) -> float:
    """Standard deviation, over pairs, of where the best pair lies in the third-person take."""
    place = np.concatenate([one.best_place for one in placed])
    share = np.concatenate([one.best.share for one in placed])
    return float(np.sqrt(np.average((place - np.average(place, weights=share)) ** 2, weights=share)))
