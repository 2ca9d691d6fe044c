"""A backbone for the test of extending: the mean of each colour."""

from __future__ import annotations

from torch import Tensor

from actor_observer.model.backbones.backbone import Backbone


class MeanColour(Backbone):
    def __init__(self) -> None:
        super().__init__(feature_size=3)

    def forward(self, frames: Tensor) -> Tensor:
        colours: Tensor = self.normalise(frames).mean(dim=(2, 3))  # (B, 3)
        return colours
