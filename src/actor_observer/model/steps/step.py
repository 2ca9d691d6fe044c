"""What every training step is: a module around the network, from frames to the loss."""

from __future__ import annotations

from torch import nn

from actor_observer.model.network import ActorObserverNet

__all__ = ["TrainingStep"]


class TrainingStep(nn.Module):
    """A network and whatever else its loss learns or remembers. `forward` gives a named tuple with `loss`.

    >>> from actor_observer.model.config import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
    >>> TrainingStep(network).network is network
    True
    """

    network: ActorObserverNet

    def __init__(self, network: ActorObserverNet) -> None:
        super().__init__()
        self.network = network
