"""AE2's four measures of labelled phases as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from actor_observer.errors import missing_extra
from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, positions
from actor_observer.evaluation.measures.phases import PhaseMeasures, can_classify, measure_phases
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Manifest

__all__ = ["phase_table"]


def phase_table(methods: Sequence[Method], manifest: Manifest, train: Manifest | None = None) -> Figures | None:
    """AE2's four measures, where takes have phases; None where none has.

    Classification and progression are fitted on the `trained` embeddings of each method, whose phases `train` knows.
    """
    if not any(take.phases for take in manifest.takes.values()):
        return None
    everything = replace(manifest, takes={**(train.takes if train else {}), **manifest.takes})
    blank = Method("all frames alike", _alike(methods[0].embeddings), trained=_alike(methods[0].trained))
    rows: dict[str, tuple[Cell, ...]] = {}
    columns: tuple[str, ...] = ()
    place = Method(IN_PROPORTION, positions(methods[0].embeddings), trained=positions(methods[0].trained))
    for method in (blank, place, *methods):
        found = _measured(method, everything)
        columns = tuple(name.replace("_", " ") for name in asdict(found))
        rows["chance (all frames alike)" if method is blank else method.label] = tuple(asdict(found).values())
    fitted = max(len(method.trained) for method in methods)
    notes = [
        f"Classification and progression are fitted on {fitted} training takes."
        if fitted
        else "No training takes are embedded: classification and progression cannot be fitted."
    ]
    if not can_classify():
        notes.append(f"{missing_extra('Phase classification', 'phases')}.")
    return Figures("phases", "Phases (AE2's measures)", columns, rows, notes=tuple(notes))


def _measured(method: Method, manifest: Manifest) -> PhaseMeasures:
    trained, tested = (
        Embeddings({id: takes[id] for id in takes if id in manifest.takes})
        for takes in (method.trained, method.embeddings)
    )
    return measure_phases(trained, tested, manifest)


def _alike(embeddings: Embeddings) -> Embeddings:
    """The same takes and times, with nothing to tell two frames apart."""
    return embeddings.mapped(lambda view, features: np.zeros((len(features), 1)))
