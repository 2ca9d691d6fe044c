"""What `search` asks of an index. Anything with these members can stand behind it: flat files, faiss, a database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import View
from actor_observer.searching.entries import Entry, IndexHead

__all__ = ["Engine", "Filter", "Near"]


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
            for name in (entry.video, entry.name, Path(entry.name).stem)
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
