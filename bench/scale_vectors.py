"""Many moments like ours: embeddings of the package's own videos, grown by drawing between neighbours.

Some of the rendered homes and robot pairs are embedded densely by the model in the box. A new moment is a random place
on the line between a real one and one of its ten nearest in other takes, scaled to length 1: it lies where ours lie, as
near to others as they do, and not in a cloud of noise. A made-up video of an hour follows the takes, moment by moment.
Queries are real moments of the other view, which are not in the index.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.embed_videos import embed_videos
from actor_observer.features.identity import Identity
from actor_observer.features.models import open_model
from actor_observer.features.on_disk.files import load_embeddings
from actor_observer.pairs import ROBOTS, read_manifest
from actor_observer.playhouse import MINI
from actor_observer.searching.entries import Entry, IndexHead
from actor_observer.searching.flat_index import FlatIndex, open_index
from actor_observer.searching.index_writer import write_index

LOOK_RATE = 6.0  # frames a second
TAKES = 72  # of each of the two sets
NEIGHBOURS = 10
HOUR = 3600

Vectors = NDArray[np.float32]  # (N, D)


def grown_index(folder: Path, moments: int, queries: int, embeddings: Path) -> tuple[FlatIndex, Vectors]:
    """An index of so many first-person moments, and third-person queries."""
    first, takes, third = real_vectors(embeddings)
    near = neighbours(first, takes)
    rng = np.random.default_rng(0)
    with write_index(folder, IndexHead(Identity("grown", "1" * 32), first.shape[1], 1.0)) as writer:
        for number, start in enumerate(range(0, moments, HOUR)):
            rows = min(HOUR, moments - start)
            begin = int(rng.integers(len(first)))
            origin = (begin + np.arange(rows)) % len(first)  # as they follow each other in real takes
            other = near[origin, rng.integers(NEIGHBOURS, size=rows)]
            along = rng.random((rows, 1), dtype=np.float32)
            made = first[origin] + along * (first[other] - first[origin])
            made /= np.linalg.norm(made, axis=1, keepdims=True)
            writer.add(Entry(f"{number}.mp4", "first", rows), np.arange(rows, dtype=float), made)
    asked = third[rng.choice(len(third), min(queries + 1, len(third)), replace=False)]
    return open_index(folder), asked


def real_vectors(path: Path) -> tuple[Vectors, NDArray[np.int64], Vectors]:
    """First-person vectors, the number of the take of each, and third-person vectors."""
    if not path.exists():
        takes = [take for data in (MINI, ROBOTS) for take in [*read_manifest(data).takes.values()][:TAKES]]
        embed_videos(open_model(None, None), takes, path, LOOK_RATE)
    made = [*load_embeddings(path).values()]
    first = [take.features for take in made if take.view == "first"]
    numbers = np.repeat(np.arange(len(first)), [len(features) for features in first])
    third = np.concatenate([take.features for take in made if take.view == "third"])
    return np.concatenate(first).astype(np.float32), numbers, third.astype(np.float32)


def neighbours(vectors: Vectors, takes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ten nearest vectors of other takes (N, 10)."""
    squares = (vectors**2).sum(axis=1)
    found = []
    for start in range(0, len(vectors), 1024):
        some = slice(start, start + 1024)
        apart = squares[some, None] - 2 * vectors[some] @ vectors.T + squares
        apart[takes[some, None] == takes] = np.inf
        found.append(np.argpartition(apart, NEIGHBOURS, axis=1)[:, :NEIGHBOURS])
    return np.concatenate(found)
