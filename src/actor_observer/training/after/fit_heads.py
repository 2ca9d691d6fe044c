"""Fit what the best network of a run still lacks, one head after the other, and save it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from actor_observer.errors import UserError
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import Embeddings
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.training.after.naming import NamingPlan, fit_namer
from actor_observer.training.after.placing import fit_placing
from actor_observer.training.after.refit import refit_classifier
from actor_observer.training.planning.material import Material
from actor_observer.training.planning.recipes import Recipe

__all__ = ["fit_after"]

Say = Callable[[str], object]


def fit_after(
    run: Path, recipe: Recipe, material: Material, phi: Embeddings, device: torch.device, say: Say = print
) -> None:
    """Fit what a run's best network still lacks, on cached φ, and save it. Doing it twice changes nothing."""
    network = load(run)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    if recipe.refit and network.classifier is not None and material.labelled:
        try:
            taken = {take.id: phi[take.id] for take in material.labelled}
            refit_classifier(network, embed_features(network, taken), material.labelled)
        except UserError as error:  # the run itself is done and stays usable
            say(f"note: {error}; the classifier trained with the embedding is kept")
    if network.namer is not None and not network.namer.mean.any():  # from the box it comes fitted
        fit_namer(network, phi, material.labelled, material.pairs, NamingPlan(seed=recipe.seed), device, say)
    if network.placing is not None:
        _fit_placing(network, material, phi, say)
    if any(not torch.equal(value, before[name]) for name, value in network.state_dict().items()):
        network.save_pretrained(run)


def _fit_placing(network: ActorObserverNet, material: Material, phi: Embeddings, say: Say) -> None:
    """On validation pairs: those that the embedding learned from are all placed right, and teach nothing."""
    pairs = material.validation_pairs
    if not pairs:
        say("note: no validation pairs: the chance of being placed is not fitted, and reads one half everywhere")
        return
    held = {id: phi[id] for pair in pairs for id in (pair.third, pair.first)}
    fit_placing(network, embed_features(network, held), pairs)
