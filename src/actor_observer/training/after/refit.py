"""Refit a network's classifier to embeddings that no longer change: an exact fit, in seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take
from actor_observer.training.after.naming import label_shares

__all__ = ["refit_classifier"]

MOST = 60_000  # frames, evenly chosen: more hardly change the fit, and it would take minutes


def refit_classifier(
    network: ActorObserverNet, embeddings: Embeddings, takes: Sequence[Take], decay: float = 1e-5
) -> float:
    """Softmax regression from embeddings to the labels of their frames (a frame with several is shared among them).

    The embedding learns to place moments within a hundred steps, in which a classifier beside it learns little.
    `embeddings` are the network's own, of labelled third-person `takes`. Gives the mean cross-entropy that is left.

    >>> from pathlib import Path
    >>> from actor_observer.features import TakeEmbedding
    >>> from actor_observer.model import NetworkConfig
    >>> from actor_observer.pairs import Action
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", labels=("sit", "stand")), pretrained=False)
    >>> take = Take("a", "third", Path("a"), 4.0, actions=(Action("sit", 0, 2), Action("stand", 2, 4)))
    >>> seen = TakeEmbedding("third", np.array([1.0, 3.0]), np.eye(2, 512, dtype=np.float32))
    >>> refit_classifier(network, Embeddings({"a": seen}), [take]) < 0.1
    True
    >>> network.classify(torch.eye(2, 512)).argmax(dim=1)
    tensor([0, 1])
    """
    classifier = network.classifier
    if classifier is None:
        raise UserError("the network has no classifier to fit: it was trained without labels")
    features, targets = _labelled_frames(network, embeddings, takes)
    if not len(features):
        raise UserError("no labelled frame to fit the classifier on")
    every = -(-len(features) // MOST)
    features, targets = features[::every], targets[::every]
    with torch.no_grad():
        classifier.weight.zero_()
        classifier.bias.zero_()
    optimiser = torch.optim.LBFGS(classifier.parameters(), max_iter=400, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        return -(targets * classifier(features).log_softmax(dim=1)).sum(dim=1).mean()

    def step() -> float:
        optimiser.zero_grad()
        total = loss() + decay * classifier.weight.square().sum()
        total.backward()
        return float(total.detach())

    optimiser.step(step)
    return float(loss().detach())


def _labelled_frames(
    network: ActorObserverNet, embeddings: Embeddings, takes: Sequence[Take]
) -> tuple[Tensor, Tensor]:  # (N, F), (N, C)
    number = {label: place for place, label in enumerate(network.config.labels)}
    features, targets = [], []
    for take in takes:
        seen = embeddings[take.id]
        shares = label_shares(take, seen.times, number)
        named = shares.any(axis=1)
        features.append(np.asarray(seen.features, dtype=np.float32)[named])
        targets.append(shares[named])
    if not features:
        return torch.zeros(0, 1), torch.zeros(0, len(number))
    return torch.from_numpy(np.concatenate(features)), torch.from_numpy(np.concatenate(targets))
