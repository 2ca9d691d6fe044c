"""The network that made an index, opened by the names that a command was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from actor_observer.features.identity import identify
from actor_observer.features.models import frozen_as_before, open_model
from actor_observer.model.network import ActorObserverNet
from actor_observer.searching.engines.entries import IndexHead

__all__ = ["frozen_backbone", "located", "network_for"]


def frozen_backbone(head: IndexHead) -> str | None:
    """The backbone whose frozen features an index holds, by its own account; None where a model made it.

    >>> from actor_observer.features.identity import Identity
    >>> frozen_backbone(IndexHead(Identity("frozen resnet18", "93ab"), 512, 1.0))
    'resnet18'
    """
    before, frozen, name = head.model.name.partition("frozen ")
    return name if frozen and not before else None


def located(backbone: str | None) -> str | None:
    """A backbone's name; with its whole path where it lies in a folder, to be found again from another.

    >>> located("resnet18"), located("hf:src") == f"hf:{Path('src').absolute()}"
    ('resnet18', True)
    """
    folder = Path((backbone or "").removeprefix("hf:"))
    return f"hf:{folder.absolute()}" if (backbone or "").startswith("hf:") and folder.is_dir() else backbone


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
    for name in (backbone, located(backbone), frozen_backbone(head)):  # one folder may be written in several ways
        if name is not None and located(name) == located(backbone):
            network.config = replace(network.config, backbone=name)
            if identify(network).fingerprint == head.model.fingerprint:
                return network
    before = frozen_as_before(backbone)
    return before if identify(before).fingerprint == head.model.fingerprint else network
