"""What do many moments, many videos and many machines cost?

    python bench/scale.py engines [--moments 1000000] [--dimension 256]  # a table of every engine of an index
    python bench/scale.py ours [--moments 1000000] [--dimension 128]  # the same on moments of the package's own videos
    python bench/scale.py cells [--moments 100000]   # forms of faiss' index
    python bench/scale.py growth [--moments 1000000] [--videos 10000]    # time and memory of indexing and embedding
    python bench/scale.py ray [--videos 24] [--rounds 5]   # embedding plainly and on a Ray cluster of this machine

`docs/results/scale.md` has the tables. Speed depends on what else runs: compare rows within a run. Each engine runs in
a process of its own. Of `ours`: 72 takes each of the rendered homes and the robot pairs are embedded six times a second
by the model in the box; a moment of the index is a random place on the line between a first-person one and one of its
ten nearest in other takes; queries are third-person moments.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tyro
from rich.console import Console

from scale_cells import compare_cells
from scale_engines import compare_engines
from scale_growth import growth_of_embedding, growth_of_index
from scale_ray import compare_ray
from scale_vectors import grown_index
from search import make_index

CONSOLE = Console(width=150)


def engines(moments: int = 1_000_000, dimension: int = 256, queries: int = 100) -> None:
    """Made-up moments in clusters, as in bench/search.py."""
    with tempfile.TemporaryDirectory() as name:
        CONSOLE.print(compare_engines(make_index(Path(name) / "flat", moments, dimension), Path(name), queries))


def ours(moments: int = 1_000_000, queries: int = 100, dimension: int = 128, embeddings: Path | None = None) -> None:
    """Moments like those of the package's own videos; `embeddings` keeps what was embedded for the next time."""
    with tempfile.TemporaryDirectory() as name:
        kept = embeddings or Path(name) / "ours.safetensors"
        flat, asked = grown_index(Path(name) / "flat", moments, queries, kept, dimension)
        CONSOLE.print(compare_engines(flat, Path(name), queries, asked))


def cells(moments: int = 100_000, queries: int = 100, embeddings: Path | None = None) -> None:
    """Forms of faiss' index on moments like those of the package's own videos."""
    with tempfile.TemporaryDirectory() as name:
        flat, asked = grown_index(Path(name) / "flat", moments, queries, embeddings or Path(name) / "ours.safetensors")
        CONSOLE.print(compare_cells(Path(name), np.array(flat.vectors), asked))


def growth(moments: int = 1_000_000, videos: int = 10_000) -> None:
    """Each size in a process of its own: ten times as many should take ten times as long, and no more memory."""
    with tempfile.TemporaryDirectory() as name:
        CONSOLE.print(growth_of_index(Path(name), moments))
        CONSOLE.print(growth_of_embedding(Path(name), videos))


def ray(videos: int = 24, rounds: int = 5) -> None:
    """One node and two, of a core each."""
    CONSOLE.print(compare_ray(videos, rounds))


if __name__ == "__main__":
    verbs: dict[str, Callable[..., None]] = {
        "engines": engines,
        "ours": ours,
        "cells": cells,
        "growth": growth,
        "ray": ray,
    }
    tyro.extras.subcommand_cli_from_dict(verbs, description=__doc__)
