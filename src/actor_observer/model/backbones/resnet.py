"""ResNet-18 to ResNet-152 (He et al., 2016), under torchvision's parameter names."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.backbones.backbone import Backbone, initialise

__all__ = ["RESNETS", "ResNet"]

# name -> (blocks in each of the four layers, whether a block is the three-convolution bottleneck)
RESNETS: dict[str, tuple[tuple[int, int, int, int], bool]] = {
    "resnet18": ((2, 2, 2, 2), False),
    "resnet34": ((3, 4, 6, 3), False),
    "resnet50": ((3, 4, 6, 3), True),
    "resnet101": ((3, 4, 23, 3), True),
    "resnet152": ((3, 8, 36, 3), True),
}


class Block(nn.Module):
    """Two 3×3 convolutions around a shortcut."""

    expansion = 1

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = shortcut(inputs, width, stride)

    def forward(self, x: Tensor) -> Tensor:
        out = functional.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return functional.relu(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    """1×1, 3×3 and 1×1 convolutions around a shortcut; the 3×3 one carries the stride."""

    expansion = 4

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = width * self.expansion
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.downsample = shortcut(inputs, outputs, stride)

    def forward(self, x: Tensor) -> Tensor:
        out = functional.relu(self.bn1(self.conv1(x)))
        out = functional.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return functional.relu(out + (x if self.downsample is None else self.downsample(x)))


def shortcut(inputs: int, outputs: int, stride: int) -> nn.Sequential | None:
    """A 1×1 convolution where a block changes size or width, nothing where it does not."""
    if stride == 1 and inputs == outputs:
        return None
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))


class ResNet(Backbone):
    """A residual network by name. `classes=0` leaves its last layer out: φ is all that is needed.

    >>> import torch
    >>> ResNet("resnet18", classes=10).logits(torch.rand(2, 3, 64, 64)).shape
    torch.Size([2, 10])
    """

    head = "fc"
    plain = True

    def __init__(self, name: str = "resnet152", classes: int = 0) -> None:
        if name not in RESNETS:
            raise ValueError(f"{name!r} is not one of {', '.join(RESNETS)}")
        blocks, deep = RESNETS[name]
        kind: type[Block] | type[Bottleneck] = Bottleneck if deep else Block
        super().__init__(feature_size=512 * kind.expansion)
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = layer(kind, 64, 64, blocks[0], stride=1)
        self.layer2 = layer(kind, 64 * kind.expansion, 128, blocks[1], stride=2)
        self.layer3 = layer(kind, 128 * kind.expansion, 256, blocks[2], stride=2)
        self.layer4 = layer(kind, 256 * kind.expansion, 512, blocks[3], stride=2)
        self.fc = nn.Linear(self.feature_size, classes) if classes else None
        initialise(self)

    def forward(self, frames: Tensor) -> Tensor:
        x = functional.relu(self.bn1(self.conv1(self.normalise(frames))))  # (B, 64, H/2, W/2)
        x = self.layer1(self.maxpool(x))  # (B, 64·e, H/4, W/4)
        x = self.layer4(self.layer3(self.layer2(x)))  # (B, 512·e, H/32, W/32)
        features: Tensor = x.mean(dim=(2, 3))  # (B, 512·e)
        return features

    def logits(self, frames: Tensor) -> Tensor:
        """Class scores, where the network was built with classes."""
        if self.fc is None:
            raise ValueError("this network was built without classes")
        scores: Tensor = self.fc(self(frames))  # (B, C)
        return scores


def layer(kind: type[Block] | type[Bottleneck], inputs: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    """Blocks one after the other; the first one changes size and width."""
    first = kind(inputs, width, stride)
    return nn.Sequential(first, *(kind(width * kind.expansion, width, 1) for _ in range(blocks - 1)))
