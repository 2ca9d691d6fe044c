"""What a backbone is: frames in, one feature vector per frame out, or clips in and one for each time step out.

It normalises its own input.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from actor_observer.model.backbones.clip import Clip

__all__ = ["Backbone", "Normalise"]

IMAGENET_MEAN = (0.485, 0.456, 0.406)  # of red, green and blue, as published with the weights
IMAGENET_STD = (0.229, 0.224, 0.225)  # likewise


class Normalise(nn.Module):
    """Frames as bytes (0 to 255) or as floats (0 to 1), to the numbers that the weights were trained with.

    >>> Normalise()(torch.full((1, 3, 2, 2), 255, dtype=torch.uint8)).amax().item()
    2.640...
    """

    mean: Tensor
    std: Tensor

    def __init__(self, mean: Sequence[float] = IMAGENET_MEAN, std: Sequence[float] = IMAGENET_STD) -> None:
        super().__init__()
        if len(mean) != 3 or len(std) != 3 or min(std) <= 0:
            raise ValueError("mean and std need one number for each of red, green and blue, std above zero")
        self.register_buffer("mean", torch.tensor(mean).view(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(3, 1, 1), persistent=False)

    def forward(self, frames: Tensor) -> Tensor:
        if not (frames.dtype == torch.uint8 or frames.is_floating_point()):
            raise TypeError(f"frames must be uint8 (0 to 255) or float (0 to 1), not {frames.dtype}")
        if frames.ndim != 4 or frames.shape[1] != 3:
            raise ValueError(f"frames must be (B, 3, H, W), not {tuple(frames.shape)}")
        scaled = frames.to(self.mean.dtype)  # (B, 3, H, W)
        if frames.dtype == torch.uint8:
            scaled = scaled / 255
        return (scaled - self.mean) / self.std


class Backbone(nn.Module):
    """The base of all backbones: calling one gives φ, the features of the last pooled layer.

    `head` is the name of the layer that makes class scores of φ, so that a checkpoint's head can be told apart.

    >>> from actor_observer.model.backbones.registry import create_backbone
    >>> backbone = create_backbone("resnet18", pretrained=False)
    >>> backbone(torch.rand(2, 3, 64, 64)).shape, backbone.feature_size
    (torch.Size([2, 512]), 512)
    """

    clip: Clip = Clip()  # what it sees at once: whoever runs it asks here
    joint: bool = False  # φ lies in a space that words are put into as well
    input_size: int | None = None  # pixels of the short side that its weights were made for; None: any
    exact_size: tuple[int, int] | None = (
        None  # height and width that it resizes or crops all frames to; None: it does not
    )
    head: str = ""
    plain: bool = False  # ours: its norms can be folded (fold.py), and it never waits for a number of its own

    def __init__(self, feature_size: int, normalise: Normalise | None = None) -> None:
        super().__init__()
        self.feature_size = feature_size
        self.normalise = normalise or Normalise()
        self.folded = False  # true once batch norm has been folded away (fold.py)

    def forward(self, frames: Tensor) -> Tensor:
        """φ (B, D) of frames (B, 3, H, W); one that sees clips gives (B, S, D) of clips (B, F, 3, H, W)."""
        raise NotImplementedError

    def moment(self, frames: Tensor) -> Tensor:
        """φ (B, D) of frames (B, 3, H, W), or of the middle of clips (B, F, 3, H, W). A lone frame is a still clip."""
        if self.clip.moving and frames.ndim == 4:
            frames = frames[:, None].expand(-1, self.clip.frames, -1, -1, -1)
        return self.clip.centre(self(frames))

    def architecture(self) -> dict[str, object]:
        """What it takes to build this backbone again without its source; empty where the name says it all."""
        return {}


def initialise(backbone: nn.Module) -> None:
    """Random weights for training from scratch: He's rule for convolutions, small normal ones for linear layers."""
    for module in backbone.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, 0, 0.01)
            nn.init.zeros_(module.bias)
