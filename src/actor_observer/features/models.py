"""Open a network: the one in the box, a run's, one from the hub, or the frozen features of any backbone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from actor_observer.errors import UserError
from actor_observer.model.backbones.hugging_face.hf_load import hf_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet

__all__ = ["frozen_as_before", "frozen_network", "is_trained", "open_model"]

FROZEN = partial(
    NetworkConfig, size=224, crop="whole", standardised=True, unit_length=True, heads="shared", select=False
)


def open_model(
    model: str | Path | ActorObserverNet | None = None,  # a run's folder, hf:NAME, a network; None: that in the box
    backbone: str | None = None,  # instead of a model: hf:NAME, timm:NAME or a backbone's name
) -> ActorObserverNet:
    """The network that a command works with, in evaluation mode.

    >>> open_model("runs/first", backbone="hf:google/vit-base-patch16-224")
    Traceback (most recent call last):
    actor_observer.errors.UserError: a model and a backbone were given: choose one (a model has a backbone of its own)
    """
    if backbone is not None:
        if model is not None:
            raise UserError("a model and a backbone were given: choose one (a model has a backbone of its own)")
        return frozen_network(backbone)
    return model.eval() if isinstance(model, ActorObserverNet) else load(model)


def frozen_as_before(backbone: str) -> ActorObserverNet:
    """As `frozen_network` made one of `hf:NAME` before its own processor's steps were followed: for indexes of then."""
    before = hf_backbone(backbone.removeprefix("hf:"), as_before=True)
    network = ActorObserverNet(FROZEN(backbone), pretrained=False, architecture=before.architecture())
    network.backbone = before
    return _preferring_nothing(network)


def frozen_network(backbone: str, pretrained: bool = True) -> ActorObserverNet:
    """A backbone's own features, standardised per take and scaled to length 1; every frame has the same weight.

    Those in a space shared with words are left as they are but for their length: words know no take.

    >>> frozen_network("resnet18", pretrained=False).config.standardised
    True
    """
    network = ActorObserverNet(FROZEN(backbone), pretrained)
    own, config = network.backbone, network.config
    network.config = replace(config, size=own.input_size or config.size, standardised=not own.joint)
    return _preferring_nothing(network)


@torch.no_grad()
def _preferring_nothing(network: ActorObserverNet) -> ActorObserverNet:
    for parameter in network.heads.parameters():
        parameter.zero_()  # an untrained selector prefers nothing
    return network.eval()


def is_trained(network: ActorObserverNet) -> bool:
    """Whether a network has learned anything about the two views, or only gives a backbone's own features.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig("resnet18"), pretrained=False)
    >>> is_trained(frozen_network("resnet18", pretrained=False)), is_trained(network)
    (False, True)
    """
    return network.projection.kind != "none" or network.config.select
