"""Table 1 of the paper, twice: as published, and on balanced quads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import counted
from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, Proportion, harder_quads
from actor_observer.evaluation.measures.correspondence import QuadDistances, accuracy, quad_distances
from actor_observer.evaluation.measures.published_rules import published_triplets
from actor_observer.evaluation.statistics.better_by import better_by
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.over_videos import Share, Statistic, ranking, share_of
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.sampling.quads import Quads, quads

__all__ = ["ABOVE", "HARDER", "fair_correspondence", "published_correspondence", "quad_weight"]

Array = NDArray[np.float64]
HARDER = "quads that proportion gets wrong"
ABOVE = "above not looking"


def published_correspondence(
    methods: Sequence[Method], manifest: Manifest, pairs: Sequence[Pair], protocol: Protocol, who: str
) -> Figures:
    """The published rule: one random negative for every third-person frame, with measures of its leaks."""
    columns = (*(_share(share) for share in protocol.shares), f"x thrown away, {_share(protocol.shares[-1])}")
    rows: dict[str, tuple[Cell, ...]] = {
        "chance": (*[0.5] * len(protocol.shares), 0.5),
        IN_PROPORTION: (None,) * len(columns),
    }
    position: Interval | None = None
    blind = Proportion.of(methods[0].embeddings, pairs)
    for method in (*([blind.method] if blind.method else []), *methods):
        found = published_triplets(method.embeddings, manifest, pairs, protocol.far, protocol.seed, protocol.far_share)
        scores = [found.score(share) for share in protocol.shares]
        rows[method.label] = (*scores, found.blind_score(protocol.shares[-1]))
        position = position or found.position_score()
    rows["best guess from positions alone"] = (position, *[None] * len(protocol.shares))
    notes = (
        "Chosen by the selector's weight where there is one, else by |d+ - d-|.",
        "Above 50 without x, or from positions alone: the test leaks. See docs/protocols.md.",
        *blind.notes,
        Resampling.of(pairs).in_words(),
    )
    key = f"correspondence-published-{who.split()[0]}"
    return Figures(key, f"Correspondence, published protocol, {who} (%)", columns, rows, columns, notes)


def fair_correspondence(
    methods: Sequence[Method], manifest: Manifest, pairs: Sequence[Pair], protocol: Protocol, who: str
) -> Figures:
    """Balanced quads, over all and over the shares that the selector or the margin chooses, beside not looking."""
    found, skipped = quads(
        manifest, pairs, protocol.far, protocol.step, protocol.per_pair, protocol.seed, protocol.far_share
    )
    over = Resampling.of(pairs)
    blind = Proportion.of(methods[0].embeddings, pairs)
    harder, every = harder_quads(manifest, pairs, methods[0].embeddings, protocol)
    percent = (*(_share(share) for share in protocol.shares), HARDER, ABOVE)
    tenth = protocol.shares[-2] if len(protocol.shares) > 1 else 1.0
    columns = (*percent, f"quads (videos) at {_share(tenth)}")
    rows: dict[str, tuple[Cell, ...]] = {
        "chance": (*[0.5] * len(protocol.shares), 0.5, None, ""),
        IN_PROPORTION: (None,) * len(columns),
    }
    rivals: list[Statistic] = [lambda counts: 0.5]
    for method in (*([blind.method] if blind.method else []), *methods):
        distances = quad_distances(method.embeddings, found, pairs)
        own = share_of(distances.right(), distances.pair) if len(found) else None
        hard = _score(method, harder, pairs, over) if blind.method else None
        if method is blind.method:
            rivals += [own] if own else []
            rows[IN_PROPORTION] = (*_shares(distances, distances.margin(), protocol, over), hard, None, "")
            continue
        swapped = _with_takes_exchanged(method, manifest, pairs, protocol)
        above = better_by(own, [*rivals, *([swapped] if swapped else [])], over) if own else None
        for how, choice in _choices(method, distances, found, pairs).items():
            scores = _shares(distances, choice, protocol, over)
            chosen = ranking(choice, len(choice))[: max(1, round(tenth * len(choice)))]
            support = f"{len(chosen)} ({len(np.unique(found.pair[chosen]))})"
            rows[f"{method.label}, {how}"] = (*scores, hard, above, support)
            hard = above = None  # they are the same however a share is chosen: told once
        if swapped is not None:
            score = share_over(swapped, over)
            rows[f"{method.label}, takes exchanged"] = (score, *[None] * len(percent))
    notes = (
        f"{counted(len(found), 'balanced quad')} of {counted(len(pairs) - len(skipped), 'pair')}; "
        f"{counted(len(skipped), 'pair')} {'is' if len(skipped) == 1 else 'are'} too short.",
        over.among(np.unique(found.pair)).in_words(),
        *blind.notes,
        *([_about_harder(harder, every)] if blind.method else []),
        "Takes exchanged: with another pair's first-person take. Above 50: the method knows the time, not the pair.",
        f"{ABOVE.capitalize()}: points, video by video, above the best of chance, {IN_PROPORTION} and the method's own "
        "takes exchanged.",
    )
    key = f"correspondence-fair-{who.split()[0]}"
    return Figures(key, f"Correspondence, fair protocol, {who} (%)", columns, rows, percent, notes)


def _choices(
    method: Method, distances: QuadDistances, found: Quads, pairs: Sequence[Pair]
) -> dict[str, NDArray[np.float64]]:
    """What a share of the quads may be chosen by."""
    choices = {"by margin": distances.margin()}
    if method.selects(pairs):
        choices = {
            "by selector": quad_weight(method.embeddings, found, pairs),
            "by selector, third person only": quad_weight(method.embeddings, found, pairs, first=False),
        } | choices
    if method.foretells(pairs):
        choices = {"by chance of being placed": quad_weight(method.embeddings, found, pairs, of="chance")} | choices
    return choices


def _shares(distances: QuadDistances, choice: Array, protocol: Protocol, over: Resampling) -> list[Interval]:
    return [accuracy(distances.right(), distances.pair, choice, share, over) for share in protocol.shares]


def _score(method: Method, asked: Quads, pairs: Sequence[Pair], over: Resampling) -> Interval | None:
    distances = quad_distances(method.embeddings, asked, pairs)
    return accuracy(distances.right(), distances.pair, over=over) if len(asked) else None


def _about_harder(harder: Quads, every: int) -> str:
    pairs = len(np.unique(harder.pair))
    return f"{HARDER.capitalize()}, at least in one of two ways: {len(harder)} of {pairs} pairs, out of {every} in all."


def _with_takes_exchanged(
    method: Method, manifest: Manifest, pairs: Sequence[Pair], protocol: Protocol
) -> Share | None:
    """The score on other pairs' first-person takes, where only the time within the take can help; by pair."""
    others = exchanged(method.embeddings, pairs)
    found, _ = quads(
        manifest, others, protocol.far, protocol.step, protocol.per_pair, protocol.seed, protocol.far_share
    )
    if not len(found):
        return None
    number = {pair.id: number for number, pair in enumerate(pairs)}
    whose = np.array([number[pair.id] for pair in others])
    distances = quad_distances(method.embeddings, found, others)
    return share_of(distances.right(), whose[distances.pair])


def quad_weight(
    embeddings: Embeddings,
    found: Quads,
    pairs: Sequence[Pair],
    first: bool = True,
    of: Literal["weight", "chance"] = "weight",
) -> NDArray[np.float64]:
    """`p(x_i)·p(x_j)·p(z_i)·p(z_j)`, or the third person's two alone; p is the weight or the chance of being placed."""
    weight = np.ones(len(found))
    for number in np.unique(found.pair):
        rows = np.flatnonzero(found.pair == number)
        ids = [(pairs[number].third, (found.x_i, found.x_j))]
        ids += [(pairs[number].first, (found.z_i, found.z_j))] if first else []
        for id, columns in ids:
            take = embeddings[id]
            own = getattr(take, of)
            assert own is not None
            for column in columns:
                weight[rows] *= np.asarray(own)[take.at(column[rows])]
    return weight


def _share(share: float) -> str:
    return "all" if share == 1 else f"{100 * share:g} %"
