"""Recognition, retrieval, phases, and the selector against truth, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from actor_observer.evaluation.methods import Method, Protocol
from actor_observer.evaluation.phases import measure_phases
from actor_observer.evaluation.recognition import Recognition, label_matrix, score_recognition, video_scores
from actor_observer.evaluation.retrieval import retrieve_moments
from actor_observer.evaluation.selection import score_selector
from actor_observer.evaluation.tables import Cell, Figures
from actor_observer.evaluation.truth import Truth
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import VIEWS, Manifest, Pair, View

__all__ = ["phase_table", "recognition_table", "retrieval_table", "selector_table"]


def recognition_table(methods: Sequence[Method], manifest: Manifest) -> Figures | None:
    """Table 3: a classifier of third-person labels on both views, over all frames and as published (25 frames)."""
    rows: dict[str, tuple[Cell, ...]] = {}
    notes: list[str] = []
    for method in methods:
        for view in ("first", "third"):
            found = [_recognise(method.embeddings, manifest, view, published) for published in (False, True)]
            if found[0] is None or found[1] is None:
                continue
            every, few = found[0], found[1]
            name = f"{method.label}, {view} person{' (zero-shot)' if view == 'first' else ''}"
            rows[name] = (every.mean, few.mean, every.chance, every.videos, every.classes)
            if not every.defined:
                missing = f"{len(every.ap) - every.classes} of {len(every.ap)} classes have no positive video"
                notes.append(f"{view} person: {missing}: the official mean is undefined, this is that of the others.")
    if not rows:
        return None
    columns = ("mAP, all frames", "mAP, 25 frames", "chance", "videos", "classes")
    return Figures("recognition", "Recognition (mAP, %)", columns, rows, columns[:3], tuple(dict.fromkeys(notes)))


def _recognise(embeddings: Embeddings, manifest: Manifest, view: View, published: bool) -> Recognition | None:
    takes = [take for take in manifest.takes.values() if take.view == view and take.id in embeddings and take.actions]
    scores = [embeddings[take.id].scores for take in takes]
    known = [one for one in scores if one is not None]
    if not takes or len(known) != len(takes):
        return None
    labels = label_matrix([{action.label for action in take.actions} for take in takes], manifest.classes)
    return score_recognition(np.stack([video_scores(one, published) for one in known]), labels)


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


def selector_table(methods: Sequence[Method], manifest: Manifest, truth: Truth) -> Figures | None:
    """The selector against exact truth: does it like frames that show hands and the object in use?"""
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
