"""The figures of bench/objectives.py: the fair measures over seeds, and AE2's four with script steps as phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np

from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.measures.phases import kendalls_tau, measure_phases
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.measures.retrieval import retrieve_moments
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.over_videos import Statistic, mean_of, median_of, share_of, top_share
from actor_observer.evaluation.tables.layout import Cell
from actor_observer.features import Embeddings, embed_features
from actor_observer.pairs import Action, Manifest, Pair, Take
from actor_observer.sampling import quads
from seeds import over_seeds

PHASE_RATE = 1.0  # frames a second of AE2's measures: SVC on all frames would take hours
REPLICATES = 300

COLUMNS = (
    *("quads, all", "seeds from", "to", "by margin, 10 %", "takes exchanged"),
    *("every moment, median (s)", "mean (s)", "within 1 s", "best pair, median (s)", "Kendall's τ", "R@10"),
)
PERCENT = ("quads, all", "seeds from", "to", "by margin, 10 %", "takes exchanged", "within 1 s", "R@10")


def measured(
    seeds: Sequence[Embeddings], manifest: Manifest, pairs: Sequence[Pair], p: Protocol, retrieve: bool
) -> tuple[Cell, ...]:
    """The fair measures, as means over seeds with intervals over videos."""
    asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
    found = [quad_distances(one, asked, pairs) for one in seeds]
    rights = [one.right() for one in found]
    placed = [place_all(one, pairs, p.moment, p.moment_share) for one in seeds]

    def seeds_over(statistics: Sequence[Statistic]) -> Interval:
        return over_seeds(statistics, len(pairs), REPLICATES)

    errors = []
    for one in placed:
        answers = [(number, some.answers) for number, some in enumerate(one) if some]
        video = np.concatenate([np.full(len(some.error), number) for number, some in answers])
        errors.append(
            (
                np.concatenate([some.error for _, some in answers]),
                video,
                np.concatenate([some.share for _, some in answers]),
            )
        )
    best = []
    for one in placed:
        kept = [(number, some) for number, some in enumerate(one) if some]
        best.append(
            median_of(np.array([some.best_error for _, some in kept]), np.array([number for number, _ in kept]))
        )
    taus = [np.array([tau_of(one, pair) for pair in pairs]) for one in seeds]
    known = [np.flatnonzero(np.isfinite(tau)) for tau in taus]
    swapped = []
    for own in seeds:
        other = exchanged(own, pairs)
        strange, _ = quads(manifest, other, p.far, p.step, p.per_pair, p.seed, p.far_share)
        swapped.append(float(quad_distances(own, strange, other).right().mean()))
    row: list[Cell] = [
        seeds_over([share_of(right, asked.pair) for right in rights]),
        min(float(right.mean()) for right in rights),
        max(float(right.mean()) for right in rights),
        seeds_over([top_share(one.right(), asked.pair, one.margin(), 0.1) for one in found]),
        float(np.mean(swapped)),
        seeds_over([median_of(*one) for one in errors]),
        seeds_over([mean_of(*one) for one in errors]),
        seeds_over([share_of((error <= 1 + 1e-9).astype(float), video, share) for error, video, share in errors]),
        seeds_over(best),
        seeds_over([mean_of(tau[some], some) for tau, some in zip(taus, known, strict=True)]),
    ]
    if retrieve:
        hits = [retrieve_moments(one, pairs) for one in seeds]
        row.append(float(np.mean([one.recall[10].value for one in hits if one])))
    return tuple(row)


def tau_of(embeddings: Embeddings, pair: Pair) -> float:
    first, third = (np.asarray(embeddings[id].features, dtype=float) for id in (pair.first, pair.third))
    return kendalls_tau(first, third)


PHASES = (
    *("F1, third to first", "F1, first to third", "retrieval mAP@10, third to first", "first to third"),
    *("progression R²", "Kendall's τ"),
)


def ae2(network: Any, train_phi: dict[str, Any], tested: Embeddings, manifest: Manifest) -> tuple[Cell, ...]:
    """AE2's four, with the steps of the script as phases."""
    stepped = replace(manifest, takes={id: replace(take, phases=steps_of(take)) for id, take in manifest.takes.items()})
    trained = thinned(embed_features(network, train_phi))
    return tuple(asdict(measure_phases(trained, thinned(tested), stepped)).values())


def steps_of(take: Take) -> tuple[Action, ...]:
    """The steps of the script as phases: each action until the next one begins."""
    ordered = sorted(take.actions, key=lambda action: action.start)
    ends = [min(one.end, after.start) for one, after in pairwise(ordered)]
    cut = [replace(one, end=end) for one, end in zip(ordered, [*ends, ordered[-1].end] if ordered else [], strict=True)]
    return tuple(one for one in cut if one.end > one.start)


def thinned(embeddings: Embeddings) -> Embeddings:
    """About one frame a second."""
    kept = {}
    for id, take in embeddings.items():
        every = max(1, round(1 / PHASE_RATE / float(np.median(np.diff(take.times)))))
        kept[id] = replace(take, times=take.times[::every], features=take.features[::every], weight=None, scores=None)
    return Embeddings(kept)
