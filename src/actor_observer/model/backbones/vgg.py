"""VGG-16 (Simonyan and Zisserman, 2015), under torchvision's parameter names."""

from __future__ import annotations

from torch import Tensor, nn

from actor_observer.model.backbones.backbone import Backbone, initialise

__all__ = ["VGG16"]

WIDTHS = (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0)  # 0: halve the size


class VGG16(Backbone):
    """φ is fc7, the 4096 numbers before the class scores. `classes=0` leaves the scores out.

    >>> import torch
    >>> VGG16()(torch.rand(1, 3, 64, 64)).shape
    torch.Size([1, 4096])
    """

    head = "classifier.6"
    plain = True

    def __init__(self, classes: int = 0) -> None:
        super().__init__(feature_size=4096)
        layers: list[nn.Module] = []
        inputs = 3
        for width in WIDTHS:
            if width == 0:
                layers.append(nn.MaxPool2d(2))
            else:
                layers += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
                inputs = width
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            *(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(inplace=True), nn.Dropout()),
            *(nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout()),
            *([nn.Linear(4096, classes)] if classes else []),
        )
        self.classes = classes
        initialise(self)

    def forward(self, frames: Tensor) -> Tensor:
        x = self.avgpool(self.features(self.normalise(frames)))  # (B, 512, 7, 7)
        fc7: Tensor = self.classifier[:5](x.flatten(1))  # (B, 4096), before its dropout
        return fc7

    def logits(self, frames: Tensor) -> Tensor:
        """Class scores, where the network was built with classes."""
        if not self.classes:
            raise ValueError("this network was built without classes")
        scores: Tensor = self.classifier[5:](self(frames))  # (B, C)
        return scores
