"""Many moments like ours: embeddings of the package's own videos, grown by drawing between neighbours.

Some of the rendered homes and robot pairs are embedded densely by the model in the box. A new moment is a random place
on the line between a real one and one of its ten nearest in other takes, scaled to length 1: it lies where ours lie, as
near to others as they do, and not in a cloud of noise. A made-up video of an hour follows the takes, moment by moment.
Queries are real moments of the other view, which are not in the index. For other lengths than the model's own 128
numbers, its backbone's features are standardised in each take and brought to that length by their principal axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.embed_videos import embed_videos
from actor_observer.features.embedding_files import load_embeddings, save_embeddings
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.identity import Identity
from actor_observer.features.look import Look
from actor_observer.features.models import open_model
from actor_observer.pairs import ROBOTS, Take, read_manifest
from actor_observer.playhouse import MINI
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.flat_index import FlatIndex, open_index
from actor_observer.searching.engines.index_writer import write_index

LOOK_RATE = 6.0  # frames a second
TAKES = 72  # of each of the two sets
NEIGHBOURS = 10
OWN = 128  # numbers in an embedding of the model in the box
HOUR = 3600

Vectors = NDArray[np.float32]  # (N, D)


def grown_index(
    folder: Path, moments: int, queries: int, embeddings: Path, dimension: int = OWN
) -> tuple[FlatIndex, Vectors]:
    """An index of so many first-person moments, and third-person queries."""
    first, takes, third = real_vectors(embeddings, dimension)
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


def real_vectors(path: Path, dimension: int) -> tuple[Vectors, NDArray[np.int64], Vectors]:
    """First-person vectors, the number of the take of each, and third-person vectors."""
    if not path.exists():
        takes = [take for data in (MINI, ROBOTS) for take in [*read_manifest(data).takes.values()][:TAKES]]
        if dimension == OWN:
            embed_videos(open_model(None, None), takes, path, LOOK_RATE)
        else:
            save_embeddings(shortened(standardised_features(takes), dimension), path)
    made = [*load_embeddings(path).values()]
    first = [take.features for take in made if take.view == "first"]
    numbers = np.repeat(np.arange(len(first)), [len(features) for features in first])
    third = np.concatenate([take.features for take in made if take.view == "third"])
    return np.concatenate(first).astype(np.float32), numbers, third.astype(np.float32)


def standardised_features(takes: Iterable[Take]) -> Embeddings:
    """φ of every take by the backbone of the model in the box, with mean 0 and deviation 1 within the take."""
    network = open_model(None, None)
    found = {}
    for take, seen in extract(network.backbone, takes, Look.of_network(network.config, LOOK_RATE)):
        assert isinstance(seen, TakeEmbedding), seen
        mean, deviation = seen.features.mean(axis=0), seen.features.std(axis=0)
        found[take.id] = replace(seen, features=(seen.features - mean) / (deviation + 1e-3))
    return Embeddings(found)


def shortened(takes: Embeddings, dimension: int) -> Embeddings:
    """Features along the principal axes of all takes together, scaled to length 1."""
    every = np.concatenate([take.features for take in takes.values()])
    _, axes = np.linalg.eigh(every.T @ every)  # in order of increasing variance; the mean is 0

    def along(_: str, features: Vectors) -> Vectors:
        short = features @ axes[:, -dimension:]
        return short / np.linalg.norm(short, axis=1, keepdims=True)

    return takes.mapped(along)


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
