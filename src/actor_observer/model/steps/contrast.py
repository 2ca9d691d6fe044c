"""One training step with soft InfoNCE across the views, in place of the paper's triplets."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.shared_takes import SharedTakes
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.moments import MomentStep

__all__ = ["ContrastLosses", "ContrastStep"]


class ContrastLosses(NamedTuple):
    """The loss, and what it is made of. Everything but `loss` is for the log and has no gradient."""

    loss: Tensor  # () call backward() on it
    contrast: Tensor  # () soft InfoNCE
    classification: Tensor  # () mean cross-entropy of the labelled frames


class ContrastStep(MomentStep):
    """Frames of several pairs, any number of each: every frame learns to find its moment.

    The selector gives the row weights (`select`).

    >>> import torch
    >>> from actor_observer.model.config import NetworkConfig
    >>> config = NetworkConfig(backbone="mobilenet_v2", projection="per_view", heads="shared", unit_length=True)
    >>> step = ContrastStep(ActorObserverNet(config, pretrained=False))
    >>> third, first = torch.rand(2, 6, 1280)  # φ of six moments of one pair
    >>> time, pair = torch.arange(6.0), torch.zeros(6, dtype=torch.int64)
    >>> step(third, first, time, time, pair, pair).loss.backward()
    """

    contrast: SoftInfoNCE
    made_of = ContrastLosses

    def __init__(
        self,
        network: ActorObserverNet,
        sigma: float = 0.5,  # seconds over which a positive is spread
        temperature: float = 0.1,
        learn_temperature: bool = False,
        within: float = 0.0,  # share of the loss among the moments of the same pair alone
        shared: SharedTakes | None = None,  # where pairs share takes
    ) -> None:
        loss = SoftInfoNCE(sigma, temperature, learn_temperature, within, shared)
        super().__init__(network, loss, name="contrast")
