"""Cross-view retrieval as a table."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.evaluation.methods import Method, Protocol
from actor_observer.evaluation.retrieval import retrieve_moments
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.pairs.manifest import Pair

__all__ = ["retrieval_table"]


def retrieval_table(methods: Sequence[Method], pairs: Sequence[Pair], protocol: Protocol) -> Figures:
    """Cross-view retrieval over the moments of all pairs."""
    rows: dict[str, tuple[Cell, ...]] = {}
    pool = 0
    for method in methods:
        found = retrieve_moments(method.embeddings, pairs, protocol.near, protocol.step)
        rows[method.label] = (*found.recall.values(), found.median_rank)
        pool = found.pool
    columns = ("R@1", "R@5", "R@10", "median rank")
    note = f"First-person moments as queries; a hit is the right pair within {protocol.near:g} s, among {pool} moments."
    return Figures("retrieval", "Cross-view retrieval (%)", columns, rows, columns[:3], (note,))
