"""Recognition (Table 3) as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.measures.recognition import Recognition, label_matrix, score_recognition, video_scores
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Manifest, View

__all__ = ["recognition_table"]


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
            rows[name] = (every.mean, few.mean, every.weighted, every.chance, every.videos, every.classes)
            if not every.defined:
                missing = f"{len(every.ap) - every.classes} of {len(every.ap)} classes have no positive video"
                notes.append(f"{view} person: {missing}: the official mean is undefined, this is that of the others.")
    if not rows:
        return None
    columns = ("mAP, all frames", "mAP, 25 frames", "weighted AP, all frames", "chance", "videos", "classes")
    notes.append("Intervals: videos left out one at a time (jackknife).")
    return Figures("recognition", "Recognition (mAP, %)", columns, rows, columns[:4], tuple(dict.fromkeys(notes)))


def _recognise(embeddings: Embeddings, manifest: Manifest, view: View, published: bool) -> Recognition | None:
    takes = [take for take in manifest.takes.values() if take.view == view and take.id in embeddings and take.actions]
    scores = [embeddings[take.id].scores for take in takes]
    known = [one for one in scores if one is not None]
    if not takes or len(known) != len(takes):
        return None
    labels = label_matrix([{action.label for action in take.actions} for take in takes], manifest.classes)
    return score_recognition(np.stack([video_scores(one, published) for one in known]), labels)
