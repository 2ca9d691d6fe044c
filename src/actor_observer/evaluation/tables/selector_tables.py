"""The selector against exact truth, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.measures.exact_truth import Truth
from actor_observer.evaluation.measures.selector_truth import score_selector
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.pairs.manifest import VIEWS, Manifest

__all__ = ["selector_table"]


def selector_table(methods: Sequence[Method], manifest: Manifest, truth: Truth) -> Figures | None:
    """The selector against exact truth: does it prefer frames that show hands and the object in use?"""
    rows: dict[str, tuple[Cell, ...]] = {}
    for method in methods:
        for view in VIEWS:
            takes = [id for id in method.embeddings if id in manifest.takes]
            found = score_selector(method.embeddings, truth, takes, view)
            if found is not None:
                hands = (found.hands_high, found.hands_low, found.hands_all)
                rows[f"{method.label}, {view} person"] = (found.auc, *hands, found.videos)
    if not rows:
        return None
    columns = ("AUC, hands and object visible", "hands, highest 10 %", "hands, lowest 10 %", "hands, all", "videos")
    return Figures("selector", "What the selector likes (%)", columns, rows, columns[:4])
