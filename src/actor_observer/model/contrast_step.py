"""One training step with soft InfoNCE across the views, in place of the paper's triplets."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from actor_observer.model.losses.classification import classification_loss
from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.partners import Partners
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.step import TrainingStep

__all__ = ["ContrastObjectives", "ContrastStep"]


class ContrastObjectives(NamedTuple):
    """The loss, and what it is made of. Everything but `loss` is for the log and has no gradient."""

    loss: Tensor  # () call backward() on it
    contrast: Tensor  # () soft InfoNCE
    classification: Tensor  # () mean cross-entropy of the labelled frames


class ContrastStep(TrainingStep):
    """Frames of several pairs, as many times each as one likes: every frame learns to find its moment.

    The selector gives the row weights (`select`), a classifier learns beside it (`labels`), its gradient scaled to
    InfoNCE's (`balance`). All frames make one pass through the backbone; φ from a cache is taken in place of frames.

    >>> from actor_observer.model.config import NetworkConfig
    >>> config = NetworkConfig(backbone="mobilenet_v2", projection="per_view", heads="shared", unit_length=True)
    >>> step = ContrastStep(ActorObserverNet(config, pretrained=False))
    >>> third, first = torch.rand(2, 6, 1280)  # φ of six moments of one pair
    >>> time, pair = torch.arange(6.0), torch.zeros(6, dtype=torch.int64)
    >>> step(third, first, time, time, pair, pair).loss.backward()
    """

    def __init__(
        self,
        network: ActorObserverNet,
        sigma: float = 0.5,  # seconds over which a positive is spread
        temperature: float = 0.1,
        learn_temperature: bool = False,
        within: float = 0.0,  # share of the loss among the moments of the same pair alone
        partners: Partners | None = None,  # where pairs share takes
    ) -> None:
        super().__init__(network)
        self.contrast = SoftInfoNCE(sigma, temperature, learn_temperature, within, partners)

    def forward(
        self,
        third: Tensor,  # (N, 3, H, W) third-person frames, or their φ (N, D)
        first: Tensor,  # (M, …) first-person frames
        third_time: Tensor,  # (N,) seconds
        first_time: Tensor,  # (M,) third-person seconds
        third_pair: Tensor,  # (N,) indices of the pairs
        first_pair: Tensor,  # (M,)
        labelled: Tensor | None = None,  # (L, …) third-person frames with a label
        label: Tensor | None = None,  # (L,) indices of their classes
    ) -> ContrastObjectives:
        network = self.network
        labelled = third[:0] if labelled is None else labelled
        phi = network.measurable(network.phi(torch.cat([third, first, labelled])))
        of_third, of_first, of_labelled = torch.split(phi, [len(third), len(first), len(labelled)])
        seen, saw = network.embed(of_third, "third"), network.embed(of_first, "first")
        rows = (seen.logit, saw.logit) if network.config.select else (None, None)
        contrast = self.contrast(seen.features, saw.features, third_time, first_time, third_pair, first_pair, *rows)
        losses = {"contrast": contrast}
        if network.classifier is not None:
            label = third_pair.new_zeros(0) if label is None else label
            scores = network.classify(network.embed(of_labelled, "third").features)
            losses["classification"] = classification_loss(scores, label)
        if not network.config.select:  # no parameter without a gradient, or ranks would wait for it
            losses["contrast"] = contrast + (seen.logit.sum() + saw.logit.sum()) * 0
        total: Tensor
        total = network.balance(losses, phi) if network.config.balance else torch.stack([*losses.values()]).sum()
        return ContrastObjectives(
            total, contrast.detach(), losses.get("classification", torch.zeros_like(contrast)).detach()
        )
