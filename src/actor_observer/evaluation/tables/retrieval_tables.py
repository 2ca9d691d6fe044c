"""Cross-view retrieval as a table."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, Proportion
from actor_observer.evaluation.measures.retrieval import retrieve_moments
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.pairs.manifest import Pair

__all__ = ["retrieval_table"]


def retrieval_table(methods: Sequence[Method], pairs: Sequence[Pair], protocol: Protocol) -> Figures | None:
    """Cross-view retrieval over the moments of all pairs; None where no moment has a partner."""
    rows: dict[str, tuple[Cell, ...]] = {}
    pool, blind = 0, Proportion.of(methods[0].embeddings, pairs)
    for method in (*([blind.method] if blind.method else []), *methods):
        found = retrieve_moments(method.embeddings, pairs, protocol.near, protocol.step)
        if found is None:
            continue
        if not rows:
            rows["chance"] = (*found.chance.values(), found.chance_rank)
            rows[IN_PROPORTION] = (None,) * len(rows["chance"])
            pool = found.pool
        rows[method.label] = (*found.recall.values(), found.median_rank)
    if not rows:
        return None
    columns = ("R@1", "R@5", "R@10", "median rank")
    notes = (
        f"First-person moments as queries; a hit is a partner within {protocol.near:g} s, among {pool} moments.",
        *blind.notes,
        Resampling.of(pairs).in_words(),
    )
    return Figures("retrieval", "Cross-view retrieval (%)", columns, rows, columns[:3], notes)
