"""An engine for the test of extending: all moments in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.identity import Identity
from actor_observer.searching.engines.engine import EngineKind, Filter, Moments, Near
from actor_observer.searching.engines.entries import Entry, IndexHead

FILE = "moments.json"


class JsonIndex:
    """An index that is read whole."""

    def __init__(self, place: str | Path) -> None:
        self.folder = Path(place)
        told = json.loads((self.folder / FILE).read_text())
        self.head = IndexHead(Identity(**told["head"].pop("model")), **told["head"])
        self._moments: list[Moments] = [
            (Entry(**entry), np.array(times), np.array(vectors, np.float32))
            for entry, times, vectors in told["moments"]
        ]

    @property
    def videos(self) -> list[Entry]:
        return [entry for entry, *_ in self._moments]

    def nearest(self, vector: NDArray[np.float32], filter: Filter, top: int) -> list[Near]:
        near = [
            Near(entry, float(time), float(np.linalg.norm(row.astype(float) - vector)))
            for entry, times, vectors in self._moments
            if filter.matches(entry)
            for time, row in zip(times, vectors, strict=True)
        ]
        return sorted(near, key=lambda one: one.distance)[:top]

    def all_moments(self) -> Iterator[Moments]:
        return iter(self._moments)


class JsonWriter:
    """Moments in memory until the end."""

    def __init__(self) -> None:
        self.known: dict[str, Entry] = {}
        self.moments: list[object] = []

    def add(self, entry: Entry, times: NDArray[np.float64], vectors: NDArray[np.floating]) -> None:
        self.known[entry.video] = entry
        self.moments.append([asdict(entry), times.tolist(), vectors.tolist()])


@contextmanager
def write_json(place: str | Path, head: IndexHead) -> Iterator[JsonWriter]:
    writer = JsonWriter()
    yield writer
    Path(place).mkdir(parents=True, exist_ok=True)
    (Path(place) / FILE).write_text(json.dumps({"head": asdict(head), "moments": writer.moments}))


KIND = EngineKind(JsonIndex, write_json)
