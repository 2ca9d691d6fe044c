"""What the figures are drawn from: a run's network, the takes of a split, their features and embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.measures.exact_truth import Truth, find_truth
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import Embeddings
from actor_observer.features.look import Look
from actor_observer.frames.at import frames_at
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.saved_recipe import recipe_of
from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.pictures.figures.parts.maps import Around
from actor_observer.pictures.figures.parts.thumbnails import thumbnails

__all__ = ["Run", "open_run"]


@dataclass(frozen=True)
class Run:
    """A trained network and one split of a data set, embedded."""

    name: str
    network: ActorObserverNet
    look: Look
    manifest: Manifest
    pairs: tuple[Pair, ...]  # of the same person where there are any, with exact clocks where they are known
    phi: Embeddings
    embeddings: Embeddings
    truth: Truth | None

    def frames(self, take: str, times: Sequence[float]) -> Tensor:
        """Frames as the backbone sees them, (T, 3, H, W)."""
        return self.look.of(frames_at(self.manifest.takes[take], list(times), size=self.look.decode_size))

    def thumbnail(self, take: str, time: float) -> NDArray[np.uint8]:
        """One frame as a picture to look at, (H, W, 3)."""
        return thumbnails(self.manifest.takes[take], [time])[0]

    def weight(self, take: str) -> NDArray[np.float64]:
        """The weight of every embedded frame of a take."""
        found = self.embeddings[take]
        return np.ones(len(found.times)) if found.weight is None else np.asarray(found.weight, dtype=float)

    def around(self, take: str, place: int) -> Around:
        """The take that an embedded frame is seen in."""
        return Around(self.phi[take].features, self.phi[take].times, place)


def open_run(run: str | Path, on: JudgedData) -> Run:
    """Load a run and embed a split of a data set with it; features that the cache has are not computed again.

    >>> open_run("no-such-run", JudgedData("no-such-data"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-data: no such file or folder
    """
    manifest = on.part
    if not manifest.pairs:
        raise UserError(f"{on.data}: no pairs in its {on.split} split to draw")
    network = load(run)
    look = Look.of_network(network.config, on.look_rate)
    takes = manifest.takes.values()
    phi, faults = on.features(network.config.backbone, network.backbone, takes, look, "embedding the takes")
    manifest = manifest.without(faults)
    truth = find_truth(Path(on.data))
    same = tuple(pair for pair in manifest.pairs if pair.same_person) or manifest.pairs
    pairs = (truth.exact(same) if truth else ()) or same
    if not pairs:
        raise UserError(f"{on.data}: no pair of its {on.split} split can be read (see: actor-observer inspect)")
    name = str(recipe_of(run).get("name", Path(run).name))
    return Run(name, network, look, manifest, pairs, phi, embed_features(network, phi), truth)
