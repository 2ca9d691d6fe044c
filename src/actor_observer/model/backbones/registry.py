"""Which backbones there are, by name, and where their ImageNet weights come from."""

from __future__ import annotations

import hashlib
import sys
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from actor_observer.disk.sums import sum_of_file
from actor_observer.errors import UserError, first_line
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.hugging_face.hf_load import hf_backbone
from actor_observer.model.backbones.mobilenet import MobileNetV2
from actor_observer.model.backbones.resnet import RESNETS, ResNet
from actor_observer.model.backbones.timm import timm_backbone
from actor_observer.model.backbones.vgg import VGG16

__all__ = ["BACKBONES", "WEIGHTS", "create_backbone", "imagenet_weights"]

BACKBONES: dict[str, Any] = {
    **{name: partial(ResNet, name) for name in RESNETS},
    "vgg16": VGG16,
    "mobilenet_v2": MobileNetV2,
}
WEIGHTS = {  # torchvision's files; each name ends with the first digits of the file's SHA-256
    "resnet18": "resnet18-f37072fd.pth",
    "resnet34": "resnet34-b627a593.pth",
    "resnet50": "resnet50-0676ba61.pth",
    "resnet101": "resnet101-63fe2227.pth",
    "resnet152": "resnet152-394f9c45.pth",
    "vgg16": "vgg16-397923af.pth",
    "mobilenet_v2": "mobilenet_v2-b0353104.pth",
}
SERVER = "https://download.pytorch.org/models/"


def create_backbone(name: str, pretrained: bool = True, architecture: dict[str, Any] | None = None) -> Backbone:
    """A backbone by name, with ImageNet weights or random ones.

    `hf:NAME` is any vision model of `transformers`, `timm:NAME` any of `timm`, where these are installed.
    `architecture` rebuilds an `hf:` backbone from what a saved network says about it, without asking the hub.

    >>> create_backbone("mobilenet_v2", pretrained=False).feature_size
    1280
    """
    if name.startswith("hf:"):
        return hf_backbone(name.removeprefix("hf:"), pretrained, architecture)
    if name.startswith("timm:"):
        return timm_backbone(name.removeprefix("timm:"), pretrained)
    if name not in BACKBONES:
        raise UserError(f"no backbone {name!r}; there are {', '.join(BACKBONES)}, hf:NAME and timm:NAME")
    backbone: Backbone = BACKBONES[name]()
    if pretrained:
        weights = imagenet_weights(name)
        backbone.load_state_dict({key: value for key, value in weights.items() if not in_head(key, backbone)})
    return backbone


def in_head(key: str, backbone: Backbone) -> bool:
    """Whether a parameter belongs to the layer of class scores.

    >>> in_head("fc.bias", ResNet("resnet18")), in_head("layer1.0.conv1.weight", ResNet("resnet18"))
    (True, False)
    """
    return key.startswith(backbone.head + ".")


def refuse_damaged(path: Path) -> None:
    """Refuse weights whose SHA-256 is not the one in their name. The sum beside them, once it fitted, says it sooner.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty-e3b0c442.pth"
    >>> path.touch(); refuse_damaged(path); path.with_suffix(".sum").read_text() == sum_of_file(path)
    True
    """
    found, noted = sum_of_file(path), path.with_suffix(".sum")
    with suppress(OSError, UnicodeDecodeError):
        if noted.read_text() == found:
            return
    if not hashlib.sha256(path.read_bytes()).hexdigest().startswith(path.stem.rpartition("-")[2]):
        raise UserError(f"{path} cannot be read (damaged: not what its name says): delete it and try again")
    with suppress(OSError):  # a folder that we may not write to: it takes longer each time
        noted.write_text(found)


def imagenet_weights(name: str) -> dict[str, Tensor]:
    """Torchvision's ImageNet weights, from torch.hub's cache or else from the network (the hash is checked).

    >>> imagenet_weights("alexnet")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no ImageNet weights for 'alexnet'; there are some for resnet18, ...
    """
    if name not in WEIGHTS:
        raise UserError(f"no ImageNet weights for {name!r}; there are some for {', '.join(WEIGHTS)}")
    url = SERVER + WEIGHTS[name]
    cached = Path(torch.hub.get_dir()) / "checkpoints" / WEIGHTS[name]
    if cached.is_file():
        refuse_damaged(cached)
    try:
        with redirect_stdout(sys.stderr):  # where it says that it downloads: answers may be piped
            weights: dict[str, Tensor] = torch.hub.load_state_dict_from_url(
                url, map_location="cpu", check_hash=True, weights_only=True
            )
    except Exception as error:  # no network, a wrong hash, a file cut short: all mended by fetching it anew
        if cached.exists():
            raise UserError(f"{cached} cannot be read ({first_line(error)}): delete it and try again") from error
        raise UserError(f"no ImageNet weights: put {url} into {cached.parent} ({first_line(error)})") from error
    return weights
