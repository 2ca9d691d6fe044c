"""Table 2 of the paper, twice: as published, and with every moment placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.methods import Method, Protocol
from actor_observer.evaluation.placement import Placement, place_all, published_error
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.chance import (
    middle_errors,
    uniform_guess_cdf,
    uniform_guess_mean,
    uniform_guess_median,
)
from actor_observer.evaluation.statistics.over_videos import mean_of, median_of
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features.distances import box_mean
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair

__all__ = ["exchanged", "fair_alignment", "published_alignment"]

Array = NDArray[np.float64]
_COLUMNS = (
    *("every moment, median", "mean", "within 1 s", "best half by weight, median"),
    *("best pair, median", "spread of its place"),
)


def published_alignment(methods: Sequence[Method], pairs: Sequence[Pair], protocol: Protocol, who: str) -> Figures:
    """The published rule: the best pair of moments by clipped windows, against scaled time."""
    rows: dict[str, tuple[Cell, ...]] = {
        "independent noise": (_noise_error(methods[0].embeddings, pairs, protocol.seed),)
    }
    for method in methods:
        takes = method.embeddings
        errors = np.array([published_error(takes[pair.third], takes[pair.first], pair.clock) for pair in pairs])
        rows[method.label] = (_median(errors, np.arange(len(errors))),)
    title = f"Alignment, published protocol, {who}: median error of the best pair (s)"
    return Figures(f"alignment-published-{who.split()[0]}", title, ("best pair, median",), rows)


def fair_alignment(methods: Sequence[Method], pairs: Sequence[Pair], protocol: Protocol, who: str) -> Figures:
    """Every first-person moment placed, whole windows only, with chance and exchanged takes beside it."""
    rows: dict[str, tuple[Cell, ...]] = {}
    placed = {
        method.label: place_all(method.embeddings, pairs, protocol.moment, protocol.moment_share) for method in methods
    }
    any_placed = next(iter(placed.values()))
    rows |= _alignment_chance(any_placed)
    for method in methods:
        rows[method.label] = _alignment_row(placed[method.label], method.selects(pairs))
        if not method.temporal:
            exchange = exchanged(method.embeddings, pairs)
            swapped = place_all(method.embeddings, exchange, protocol.moment, protocol.moment_share)
            rows[f"{method.label}, takes exchanged"] = _alignment_row(swapped, False)
    moments, outside = sum(len(one.truth) for one in any_placed), sum(one.outside for one in any_placed)
    notes = (
        f"{moments} moments of {len(pairs)} pairs; {outside} more lie outside the other take.",
        "Takes exchanged: first-person takes of other pairs, what smooth features alone can do.",
    )
    title = f"Alignment, fair protocol, {who}: errors in third-person seconds"
    return Figures(f"alignment-fair-{who.split()[0]}", title, _COLUMNS, rows, ("within 1 s",), notes)


def _alignment_row(placed: Sequence[Placement], selects: bool) -> tuple[Cell, ...]:
    error = np.concatenate([one.error for one in placed])
    video = np.concatenate([np.full(len(one.error), number) for number, one in enumerate(placed)])
    weight = np.concatenate([one.weight for one in placed])
    best = np.array([one.best_error for one in placed])
    half = np.argsort(-weight, kind="stable")[: max(1, len(weight) // 2)]
    return (
        _median(error, video),
        _mean(error, video),
        _mean((error <= 1.0).astype(float), video),
        _median(error[half], video[half]) if selects else None,
        _median(best, np.arange(len(best))),
        float(np.std([one.best_place for one in placed])),
    )


def _alignment_chance(placed: Sequence[Placement]) -> dict[str, tuple[Cell, ...]]:
    spans = [(one.third_span, one.first_span) for one in placed]
    within = float(np.mean([uniform_guess_cdf(np.array([1.0]), *span)[0] for span in spans]))
    middle = np.concatenate([middle_errors(one) for one in placed])
    both = [abs(one.third_middle - one.truth[len(one.truth) // 2]) for one in placed]
    guess = uniform_guess_median(spans)
    return {
        "uniform guess": (guess, uniform_guess_mean(spans), within, None, guess, 0.29),
        "always the middle": (*_plain(middle), None, float(np.median(both)), 0.0),
    }


def exchanged(embeddings: Embeddings, pairs: Sequence[Pair]) -> list[Pair]:
    """Every pair with the next pair's first-person take, lengths scaled."""
    moved = []
    for pair, other in zip(pairs, (*pairs[1:], pairs[0]), strict=True):
        lengths = (embeddings[id].times[-1] + embeddings[id].times[0] for id in (pair.third, other.first))
        moved.append(replace(pair, first=other.first, clock=Clock.scaled(*map(float, lengths))))
    return moved


def _noise_error(embeddings: Embeddings, pairs: Sequence[Pair], seed: int) -> float:
    """What the published rule gets on matrices of independent noise of the same sizes: the border artefact."""
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(max(1, 300 // len(pairs))):
        for pair in pairs:
            third, first = embeddings[pair.third], embeddings[pair.first]
            mean = box_mean(rng.random((len(first.times), len(third.times))), clipped=True)
            j, i = np.unravel_index(np.argmin(mean), mean.shape)
            errors.append(abs(third.times[i] - pair.clock.to_third(float(first.times[j]))))
    return float(np.median(errors))


def _plain(error: Array) -> tuple[float, float, float]:
    return float(np.median(error)), float(error.mean()), float((error <= 1).mean())


def _median(values: Array, video: NDArray[np.int64]) -> Interval:
    return bootstrap(median_of(values, video), int(video.max()) + 1, replicates=500)


def _mean(values: Array, video: NDArray[np.int64]) -> Interval:
    return bootstrap(mean_of(values, video), int(video.max()) + 1)
