"""The network that answers: the one in the box, a run, a published checkpoint, or frozen features of any backbone."""

from __future__ import annotations

from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet, load

__all__ = ["open_model"]


def open_model(model: str | Path | ActorObserverNet | None = None, backbone: str | None = None) -> ActorObserverNet:
    """A network from what a user says; without a word the one that comes with the package.

    >>> open_model("no-such-run")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-run: no such file or folder
    """
    if backbone is not None:
        if model is not None:
            raise UserError("give a model or a backbone, not both")
        return ActorObserverNet(NetworkConfig(backbone=backbone, select=False)).eval()
    return model if isinstance(model, ActorObserverNet) else load(model)
