"""Pairs with embeddings made to measure, for tests of the evaluator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import VIEWS, Clock, Manifest, Pair, Take

Embed = Callable[[str, int, NDArray[np.float64]], NDArray[np.float64]]


def embedded_pairs(videos: int, embed: Embed, length: float = 30.0, rate: float = 2.0) -> tuple[Manifest, Embeddings]:
    """A manifest of pairs, and embeddings `embed(view, number of the pair, times)` at `rate` frames a second."""
    takes, pairs, embedded = {}, [], {}
    times: NDArray[np.float64] = (np.arange(int(length * rate), dtype=np.float64) + 0.5) / rate
    for number in range(videos):
        for view in VIEWS:
            id = f"{number}.{view}"
            takes[id] = Take(id, view, Path(id), length)
            embedded[id] = TakeEmbedding(view, times, embed(view, number, times))
        pairs.append(Pair(str(number), f"{number}.third", f"{number}.first", Clock.scaled(length, length)))
    return Manifest(takes, tuple(pairs)), Embeddings(embedded)
