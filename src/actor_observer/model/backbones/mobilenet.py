"""MobileNetV2 (Sandler et al., 2018), under torchvision's parameter names."""

from __future__ import annotations

from torch import Tensor, nn

from actor_observer.model.backbones.backbone import Backbone, initialise

__all__ = ["MobileNetV2"]

# (expansion, output channels, blocks, stride of the first block)
STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def convolution(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Convolution, batch norm and a ReLU that stops at 6."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU6(inplace=True),
    )


class InvertedResidual(nn.Module):
    """Widen, filter each channel alone, narrow again; a shortcut where nothing changes size."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        width = inputs * expansion
        self.shortcut = stride == 1 and inputs == outputs
        self.conv = nn.Sequential(
            *([convolution(inputs, width, 1)] if expansion != 1 else []),
            convolution(width, width, 3, stride, groups=width),
            nn.Conv2d(width, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv(x)
        return x + out if self.shortcut else out


class MobileNetV2(Backbone):
    """φ is the 1280 pooled channels. `classes=0` leaves the class scores out.

    >>> import torch
    >>> MobileNetV2()(torch.rand(1, 3, 64, 64)).shape
    torch.Size([1, 1280])
    """

    head = "classifier.1"
    plain = True

    def __init__(self, classes: int = 0) -> None:
        super().__init__(feature_size=1280)
        layers: list[nn.Module] = [convolution(3, 32, 3, stride=2)]
        inputs = 32
        for expansion, outputs, blocks, stride in STAGES:
            for block in range(blocks):
                layers.append(InvertedResidual(inputs, outputs, stride if block == 0 else 1, expansion))
                inputs = outputs
        self.features = nn.Sequential(*layers, convolution(inputs, 1280, 1))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, classes)) if classes else None
        initialise(self)

    def forward(self, frames: Tensor) -> Tensor:
        x: Tensor = self.features(self.normalise(frames))  # (B, 1280, H/32, W/32)
        return x.mean(dim=(2, 3))  # (B, 1280)

    def logits(self, frames: Tensor) -> Tensor:
        """Class scores, where the network was built with classes."""
        if self.classifier is None:
            raise ValueError("this network was built without classes")
        scores: Tensor = self.classifier(self(frames))  # (B, C)
        return scores
