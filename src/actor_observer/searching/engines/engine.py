"""What is asked of an index. Anything with these members can stand behind `search`: flat files, faiss, a database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import View
from actor_observer.pairs.window import stem_of
from actor_observer.searching.engines.entries import Entry, IndexHead

__all__ = ["Engine", "EngineKind", "Filter", "Moments", "Near", "Writer"]

Moments = tuple[Entry, NDArray[np.float64], NDArray[np.float32]]  # a video with its times (T,) and vectors (T, D)


@dataclass(frozen=True)
class Filter:
    """Which videos are searched; None lets all through. Engines apply it before they choose the nearest.

    >>> some = Filter(view="first", video="kitchen*")
    >>> some.matches(Entry("home/kitchen2.mp4", "first", 9)), some.matches(Entry("home/kitchen2.mp4", "third", 9))
    (True, False)
    >>> print(some)
    view first, video kitchen*
    """

    view: View | None = None
    subject: str | None = None
    video: str | None = None  # a path, a file's name with or without its ending; * and ? match anything

    def matches(self, entry: Entry) -> bool:
        """Whether a video is searched."""
        if self.view not in (None, entry.view) or self.subject not in (None, entry.subject):
            return False
        return self.video is None or any(
            name == self.video or fnmatch(name, self.video) or name == os.path.abspath(self.video)  # noqa: PTH100  # links stay links
            for name in (entry.video, entry.name, stem_of(Path(entry.name)))
        )

    def __str__(self) -> str:
        asked = {"view": self.view, "subject": self.subject, "video": self.video}
        return ", ".join(f"{name} {value}" for name, value in asked.items() if value is not None)


@dataclass(frozen=True)
class Near:
    """A moment of an index and its distance from the query.

    >>> Near(Entry("kitchen.mp4", "first", 9), time=2.5, distance=0.7).entry.name
    'kitchen.mp4'
    """

    entry: Entry
    time: float  # seconds
    distance: float  # Euclidean


class Engine(Protocol):
    """An index that can be searched."""

    @property
    def folder(self) -> Path:
        """Where it is, for messages."""

    @property
    def head(self) -> IndexHead:
        """The model that made it, the length of its vectors, its moments a second."""

    @property
    def videos(self) -> Sequence[Entry]:
        """Its videos, each once."""

    def nearest(self, vector: NDArray[np.float32], filter: Filter, top: int) -> list[Near]:
        """The `top` moments nearest to a vector (D,) among the videos that pass the filter, nearest first.

        Fewer only where there are no more.
        """

    def all_moments(self) -> Iterator[Moments]:
        """Every video that counts, with its times and vectors, to be copied."""


class Writer(Protocol):
    """An index that is open to be added to."""

    known: dict[str, Entry]  # the last entry of each video

    def add(self, entry: Entry, times: NDArray[np.float64], vectors: NDArray[np.floating]) -> None:
        """Take a video: times (T,), vectors (T, D). It is there whole or not at all, whenever the process ends."""


@dataclass(frozen=True)
class EngineKind:
    """What an engine can do, as its file says in `KIND`."""

    open: Callable[[str | Path], Engine]  # to search it
    write: Callable[[str | Path, IndexHead], AbstractContextManager[Writer]]  # to add to it, or to start one
    copied: Callable[[str | Path], Engine] | None = None  # to copy it, if less of it is needed than to search it
    finish: Callable[[str | Path], object] = lambda place: None  # after something was written
    ready: Callable[[], object] = lambda: None  # one line where what it needs is not installed
