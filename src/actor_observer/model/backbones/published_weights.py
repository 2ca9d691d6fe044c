"""The checkpoints that were published for Charades, and any of torchvision's: read without running what is in them."""

from __future__ import annotations

import pickle
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from actor_observer.errors import UserError, first_line
from actor_observer.model.backbones.resnet import RESNETS

__all__ = ["Published", "read_checkpoint", "read_published"]

SCALAR = np.float64(0).__reduce__()[0]
# Plain numbers that old training scripts left beside the weights; nothing here can be made to act.
SCALARS: list[Any] = [
    (SCALAR, "numpy.core.multiarray.scalar"),  # numpy 1
    (SCALAR, "numpy._core.multiarray.scalar"),  # numpy 2
    np.dtype,
    *(type(np.dtype(kind)) for kind in ("float64", "float32", "int64", "int32", "bool")),
]


class Published(NamedTuple):
    """A published checkpoint, sorted: which backbone, its weights, and the layer of class scores."""

    backbone: str
    weights: dict[str, Tensor]
    head_weight: Tensor  # (C, D)
    head_bias: Tensor  # (C,)


def read_checkpoint(path: str | Path) -> dict[str, Tensor]:
    """The tensors of a pickled checkpoint, old or new, under their own names (inside `state_dict`, or bare).

    Only `weights_only` reading is used: a file that asks for anything else to be run is refused, and runs nothing.

    >>> read_checkpoint("nowhere.pth.tar")
    Traceback (most recent call last):
    actor_observer.errors.UserError: nowhere.pth.tar: no such file
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    try:
        with torch.serialization.safe_globals(SCALARS), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about old formats, which is what this is for
            content = torch.load(path, map_location="cpu", weights_only=True, encoding="latin1")
    except pickle.UnpicklingError as error:
        asked = re.search(r"(?:GLOBAL|Unsupported (?:class|global)[^\w]*)\s*([\w.]+)", str(error))
        wish = f" (it asks for {asked[1]})" if asked else ""
        raise UserError(f"{path}: refused, it holds more than weights{wish}; nothing in it was run") from error
    except Exception as error:  # cut short, not a checkpoint at all, an archive of another kind
        raise UserError(f"{path}: not a readable checkpoint ({first_line(error)})") from error
    if isinstance(content, dict) and isinstance(content.get("state_dict"), dict):
        content = content["state_dict"]
    if not isinstance(content, dict) or not content or not all(isinstance(v, Tensor) for v in content.values()):
        raise UserError(f"{path}: there is no state_dict in this checkpoint")
    return {str(name): tensor for name, tensor in content.items()}


def read_published(path: str | Path) -> Published:
    """A ResNet, VGG-16 or MobileNetV2 with its class scores, trained by anyone, through DataParallel or not.

    >>> import tempfile
    >>> from actor_observer.model.backbones.resnet import ResNet
    >>> with tempfile.NamedTemporaryFile(suffix=".pth") as file:
    ...     torch.save({"state_dict": ResNet("resnet18", classes=157).state_dict()}, file.name)
    ...     found = read_published(file.name)
    >>> found.backbone, found.head_weight.shape
    ('resnet18', torch.Size([157, 512]))
    """
    tensors = {
        ".".join(part for part in name.split(".") if part != "module"): tensor
        for name, tensor in read_checkpoint(path).items()
    }
    backbone, head = identify(tensors)
    if not backbone:
        raise UserError(f"{path}: neither a ResNet, nor VGG-16, nor MobileNetV2 with torchvision's names")
    if backbone == "vgg16":
        tensors = renumber(tensors)
    weights = {name: tensor for name, tensor in tensors.items() if not name.startswith(head + ".")}
    try:
        return Published(backbone, weights, tensors[f"{head}.weight"], tensors[f"{head}.bias"])
    except KeyError as error:
        raise UserError(f"{path}: {error} is missing, the layer of class scores") from None


def identify(tensors: dict[str, Tensor]) -> tuple[str, str]:
    """Backbone and name of the layer of class scores, from the parameters' names; empty where none fits.

    >>> identify({f"layer{i}.{n}.conv3.weight": torch.empty(0) for i, n in [(1, 2), (2, 7), (3, 35), (4, 2)]})
    ('resnet152', 'fc')
    """
    found = [re.fullmatch(r"layer(\d)\.(\d+)\.conv(\d)\.weight", name) for name in tensors]
    places = [tuple(map(int, match.groups())) for match in found if match]
    if places:
        blocks = tuple(max([n + 1 for i, n, _ in places if i == layer], default=0) for layer in (1, 2, 3, 4))
        deep = any(conv == 3 for _, _, conv in places)
        names = [name for name, shape in RESNETS.items() if shape == (blocks, deep)]
        return (names[0], "fc") if names else ("", "")
    if "features.18.0.weight" in tensors:
        return "mobilenet_v2", "classifier.1"
    if "features.28.weight" in tensors and "features.29.weight" not in tensors:
        return "vgg16", "classifier.6"
    return "", ""


def renumber(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """VGG's three linear layers as `classifier.0`, `.3` and `.6`, whatever was left out between them.

    >>> sorted(renumber({f"classifier.{n}.bias": torch.empty(0) for n in (1, 4, 6)}))
    ['classifier.0.bias', 'classifier.3.bias', 'classifier.6.bias']
    """
    numbers = sorted({int(name.split(".")[1]) for name in tensors if re.match(r"classifier\.\d+\.", name)})
    place = {f"classifier.{old}.": f"classifier.{new}." for old, new in zip(numbers, (0, 3, 6), strict=False)}
    return {
        re.sub(r"^classifier\.\d+\.", lambda match: place.get(match[0], match[0]), name): tensor
        for name, tensor in tensors.items()
    }
