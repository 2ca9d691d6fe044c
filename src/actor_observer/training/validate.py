"""The validation score: balanced quads of held-out people, or the share of frames named correctly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from actor_observer.evaluation.measures.correspondence import accuracy, score_quads
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.features.embed import embed_features, embed_uncached
from actor_observer.features.embeddings import Embeddings
from actor_observer.features.look import Look
from actor_observer.model.network import ActorObserverNet
from actor_observer.sampling.labelled import LabelledSource
from actor_observer.sampling.quads import quads
from actor_observer.training.objectives import OBJECTIVES
from actor_observer.training.planning.material import Material
from actor_observer.training.planning.recipes import Recipe

__all__ = ["Validation"]


class Validation:
    """Scores a network on the held-out part of the material. `what` names the score; None: nothing is held out."""

    def __init__(self, recipe: Recipe, material: Material, phi: Embeddings | None, device: torch.device) -> None:
        self._material, self._phi, self._device = material, phi, device
        self._look = Look(recipe.look_rate, recipe.size, recipe.crop)
        self._labelled = self._quads = None
        self.what: str | None = None
        if OBJECTIVES[recipe.objective].learns_from == "labels":
            takes = [take for take in material.validation_takes if take.view == "third" and take.actions]
            self._labelled = LabelledSource(material.validation, takes)
            self.what = "validation frames named right" if len(self._labelled) and takes else None
        else:
            pairs = material.validation_pairs
            step, most = recipe.quads_step, recipe.quads_per_pair
            self._quads, _ = quads(material.validation, pairs, recipe.far, step, most, far_share=recipe.far_share)
            self.what = "validation quads" if len(self._quads.pair) else None

    def score(self, network: ActorObserverNet) -> Interval:
        """The network's score, with its interval over videos."""
        found = self._embed(network)
        if self._quads is not None:
            pairs = self._material.validation_pairs
            whole = np.array([pair.third in found and pair.first in found for pair in pairs])
            usable = np.flatnonzero(whole[self._quads.pair])
            columns = ("pair", "x_i", "z_i", "x_j", "z_j")
            kept = replace(self._quads, **{name: getattr(self._quads, name)[usable] for name in columns})
            return score_quads(found, kept, pairs)
        assert self._labelled is not None
        items = np.arange(len(self._labelled))
        drawn = self._labelled.draw(items, np.random.default_rng(0))
        right = np.full(len(items), np.nan)
        for number, take in enumerate(self._labelled.takes):
            rows = np.flatnonzero(drawn.take == number)
            if take.id in found:
                scores = found[take.id].scores
                assert scores is not None
                right[rows] = scores[found[take.id].at(drawn.time[rows])].argmax(axis=1) == drawn.label[rows]
        known = np.isfinite(right)
        return accuracy(right[known], drawn.take[known])

    def _embed(self, network: ActorObserverNet) -> Embeddings:
        takes = {take.id: take for take in self._material.validation_takes}
        if self._phi is not None:
            return embed_features(network, {id: self._phi[id] for id in takes})
        subset = replace(self._material.validation, takes=takes)
        return embed_uncached(network, subset, self._look, self._device)[0]
