"""One training step on the moments of several pairs, with any loss between the two views."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from actor_observer.model.losses.classification import classification_loss
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.step import TrainingStep

__all__ = ["MatchingLosses", "MomentStep"]


class MatchingLosses(NamedTuple):
    """The loss, and what it is made of. Everything but `loss` is for the log and has no gradient."""

    loss: Tensor  # () call backward() on it
    matching: Tensor  # () the loss between the two views
    classification: Tensor  # () mean cross-entropy of the labelled frames


class MomentStep(TrainingStep):
    """Frames of several pairs go through the network, and a loss compares the two views.

    A classifier learns beside it (`labels`), its gradient scaled to the loss's (`balance`). All frames make one pass
    through the backbone; φ from a cache is taken in place of frames. The loss is any module that takes embeddings,
    times, pair numbers and the selector's f of both views, as `SoftInfoNCE` does.

    >>> from actor_observer.model.config import NetworkConfig
    >>> from actor_observer.model.losses.cycle import CycleConsistency
    >>> config = NetworkConfig(backbone="mobilenet_v2", projection="per_view", heads="shared", unit_length=True)
    >>> step = MomentStep(ActorObserverNet(config, pretrained=False), CycleConsistency(moments=6))
    >>> third, first = torch.rand(2, 6, 1280)  # φ of six moments of one pair
    >>> time, pair = torch.arange(6.0), torch.zeros(6, dtype=torch.int64)
    >>> step(third, first, time, time, pair, pair).loss.backward()
    """

    made_of: Any = MatchingLosses

    def __init__(self, network: ActorObserverNet, loss: nn.Module, name: str = "matching") -> None:
        super().__init__(network)
        self.add_module(name, loss)
        self._name = name

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
    ) -> Any:
        network = self.network
        labelled = third[:0] if labelled is None else labelled
        phi = network.measurable(network.phi(torch.cat([third, first, labelled])))
        of_third, of_first, of_labelled = torch.split(phi, [len(third), len(first), len(labelled)])
        seen, saw = network.embed(of_third, "third"), network.embed(of_first, "first")
        rows = (seen.logit, saw.logit) if network.config.select else (None, None)
        compare = getattr(self, self._name)
        own = compare(seen.features, saw.features, third_time, first_time, third_pair, first_pair, *rows)
        losses = {self._name: own}
        if network.classifier is not None:
            label = third_pair.new_zeros(0) if label is None else label
            scores = network.classify(network.embed(of_labelled, "third").features)
            losses["classification"] = classification_loss(scores, label)
        if not network.config.select:  # no parameter without a gradient, or ranks would wait for it
            losses[self._name] = own + (seen.logit.sum() + saw.logit.sum()) * 0
        total: Tensor
        total = network.balance(losses, phi) if network.config.balance else torch.stack([*losses.values()]).sum()
        return self.made_of(total, own.detach(), losses.get("classification", torch.zeros_like(own)).detach())
