"""The data that runs are judged on: one split of a data set, read once, and how to embed it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from actor_observer.features.embeddings import Embeddings
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.device import best_device
from actor_observer.pairs.manifest import Fault, Manifest, Split, Take
from actor_observer.pairs.read import read_manifest

__all__ = ["JudgedData"]

Bar = Callable[[str, int], AbstractContextManager[Callable[[], None]]]


@dataclass(frozen=True)
class JudgedData:
    """One split of a data set. Everything that judges or draws a run takes one of these.

    >>> JudgedData("no-such-data").manifest
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-data: no such file or folder
    """

    data: str | Path  # a pairs.csv, or a folder
    split: Split = "test"
    videos: Sequence[str | Path] = ()  # further folders of recordings
    seed: int = 0  # decides what the data leaves open, such as splits
    cache: str | Path | None = None  # of features; None: the usual folder
    device: str = "auto"
    bar: Bar = lambda what, total: nullcontext(lambda: None)  # shows progress
    say: Callable[[str], object] = lambda line: None  # takes a line for the user, such as a take that is left out
    look_rate: float = 6.0  # frames a second that are judged and drawn: the published alignment's
    read: Manifest | None = None  # the data, where they were read before
    part_of: tuple[int, int] = (0, 1)  # which of how many processes this is that compute features together
    wait: Callable[[], object] = lambda: None  # … until all of them are here
    first: str | None = None  # which camera is the actor's, of data sets that do not say

    @cached_property
    def manifest(self) -> Manifest:
        """All splits of the data."""
        return self.read or read_manifest(self.data, self.videos, self.seed, self.first)

    @cached_property
    def part(self) -> Manifest:
        """The split that is judged."""
        return self.manifest.of(self.split)

    def features(
        self, name: str, backbone: Backbone, takes: Iterable[Take], look: Look, what: str
    ) -> tuple[Embeddings, dict[str, Fault]]:
        """φ of takes by the backbone of that name, and the faults of those that cannot be read; `what` is shown.

        Of several processes, each fills the cache with its share; then all read everything.
        """
        takes, store, device = list(takes), FeatureCache(self.cache), best_device(self.device)
        number, count = self.part_of
        if count > 1:
            store.features(name, backbone, takes[number::count], look, device, processes=count)
            self.wait()
        with self.bar(what, len(takes)) as each:
            return store.features(name, backbone, takes, look, device, each)
