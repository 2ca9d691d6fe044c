"""AE2's four measures of labelled phases as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from actor_observer.evaluation.methods import Method
from actor_observer.evaluation.phases import measure_phases
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Manifest

__all__ = ["phase_table"]


def phase_table(methods: Sequence[Method], train: Sequence[Embeddings], manifest: Manifest) -> Figures | None:
    """AE2's four measures, where takes have phases; `train` holds each method's embeddings of the training takes."""
    if not any(take.phases for take in manifest.takes.values()):
        return None
    rows: dict[str, tuple[Cell, ...]] = {}
    columns: tuple[str, ...] = ()
    for method, fitted in zip(methods, train, strict=True):
        found = asdict(measure_phases(fitted, method.embeddings, manifest))
        columns = tuple(name.replace("_", " ") for name in found)
        rows[method.label] = tuple(found.values())
    return Figures("phases", "Phases (AE2's measures)", columns, rows)
