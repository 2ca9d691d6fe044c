"""The network that made an index, opened by the names that a command was given."""

from __future__ import annotations

from pathlib import Path

from actor_observer.features.identity import identify
from actor_observer.features.models import frozen_as_before, open_model
from actor_observer.model.network import ActorObserverNet
from actor_observer.searching.entries import IndexHead

__all__ = ["network_for"]


def network_for(
    head: IndexHead | None, model: str | Path | ActorObserverNet | None, backbone: str | None
) -> ActorObserverNet:
    """The network of these names; for an index from before `hf:` networks were shown frames as their authors do, that.

    >>> network_for(None, "runs/first", "resnet18")
    Traceback (most recent call last):
    actor_observer.errors.UserError: a model and a backbone were given: choose one (a model has a backbone of its own)
    """
    network = open_model(model, backbone)
    if head is None or backbone is None or not backbone.startswith("hf:") or network.backbone.clip.moving:
        return network
    if identify(network).fingerprint == head.model.fingerprint:
        return network
    before = frozen_as_before(backbone)
    return before if identify(before).fingerprint == head.model.fingerprint else network
