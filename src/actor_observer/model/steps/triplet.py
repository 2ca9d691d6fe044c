"""One training step's objectives, from frames to the scalar that `backward()` is called on."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from actor_observer.model.losses.classification import classification_loss
from actor_observer.model.losses.selector_loss import weighted_losses
from actor_observer.model.losses.triplet import TripletLoss
from actor_observer.model.network import ActorObserverNet, Streams
from actor_observer.model.steps.step import TrainingStep

__all__ = ["TripletLosses", "TripletStep"]


class TripletLosses(NamedTuple):
    """The loss, and what it is made of. Everything but `loss` is for the log and has no gradient."""

    loss: Tensor  # () call backward() on it
    triplet: Tensor  # () mean of w·l
    selector: Tensor  # () mean of w·(l − L_N)
    classification: Tensor  # () mean cross-entropy of the labelled frames
    weight: Tensor  # (B,) w of each triplet
    triplet_loss: Tensor  # (B,) l of each triplet
    average: Tensor  # (B,) L_N as each triplet read it


class TripletStep(TrainingStep):
    """The paper's training step as a module, so that `DistributedDataParallel` can wrap it (`broadcast_buffers=False`:
    the tables agree by themselves). Compile the backbone, where the time goes, with `network.backbone.compile()`.

    >>> from actor_observer.model.config import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", videos=2), pretrained=False)
    >>> x, z, z_neg = torch.rand(3, 2, 3, 32, 32)
    >>> videos = torch.tensor([[0, 1, 1], [0, 1, 1]])  # the takes of x, z and z', for each of two triplets
    >>> objectives = TripletStep(network)(x, z, z_neg, videos)
    >>> objectives.loss.backward()
    >>> objectives.weight.shape
    torch.Size([2])
    """

    def __init__(self, network: ActorObserverNet) -> None:
        super().__init__(network)
        self.triplet_loss = TripletLoss(network.config.triplet)

    def forward(
        self,
        x: Tensor,  # (B, 3, H, W) third-person frames, or their φ (B, D)
        z: Tensor,  # (B, …) first-person frames that correspond
        z_neg: Tensor,  # (B, …) first-person frames that do not
        videos: Tensor,  # (B, 3) indices of the takes of x, z and z'
        pair: Tensor | None = None,  # (B,) indices of the pairs, for loss_average = pair
        labelled: Tensor | None = None,  # (M, …) third-person frames with a label
        label: Tensor | None = None,  # (M,) indices of their classes
    ) -> TripletLosses:
        network = self.network
        streams = network.forward_triplets(x, z, z_neg, labelled)
        with torch.autocast(streams.phi.device.type, enabled=False):
            log_weight = self.log_weight(streams, videos)  # (B,)
            loss = self.triplet_loss(streams.third.features, streams.positive.features, streams.negative.features)
            average = network.running_loss(log_weight, loss, pair)  # (B,)
            parts = weighted_losses(log_weight, loss, average)
            selector = parts.selector if network.config.select else log_weight.sum()  # nothing to learn: zero
            losses = {"triplet": parts.triplet, "selector": selector}
            if network.classifier is not None:
                label = videos.new_zeros(0) if label is None else label
                losses["classification"] = classification_loss(network.classify(streams.labelled), label)
            total: Tensor
            if network.config.balance:
                total = network.balance(losses, streams.phi)
            else:
                total = torch.stack(list(losses.values())).sum()
        return TripletLosses(
            total,
            parts.triplet.detach(),
            selector.detach(),
            losses.get("classification", torch.zeros_like(parts.triplet)).detach(),
            log_weight.detach().exp(),
            loss.detach(),
            average,
        )

    def log_weight(self, streams: Streams, videos: Tensor) -> Tensor:
        """`log w` of each triplet: the sum of its three frames' `log(p/k)`."""
        logits = torch.stack([streams.third.logit, streams.positive.logit, streams.negative.logit], dim=1)  # (B, 3)
        if not self.network.config.select:
            return logits.sum(dim=1) * 0  # weight 1, and no parameter without a gradient
        heads = self.network.heads
        order = [heads.index("third"), heads.index("first", "positive"), heads.index("first", "negative")]
        head = torch.stack([torch.full_like(videos[:, 0], index) for index in order], dim=1)  # (B, 3)
        log_weight: Tensor = self.network.video_softmax(logits, videos, head).sum(dim=1)
        return log_weight
