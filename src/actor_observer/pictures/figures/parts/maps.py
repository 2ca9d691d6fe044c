"""Which parts of a frame matter to the network: activations of the last convolution, gradients of similarity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.errors import UserError
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.hugging_face.hf import HuggingFace
from actor_observer.model.backbones.timm import Timm
from actor_observer.model.backbones.vgg import VGG16
from actor_observer.model.losses.triplet import distance
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS, View

__all__ = ["Around", "activation_map", "similarity_maps"]

Frame = Tensor | NDArray[Any]
Map = NDArray[np.float32]


@dataclass(frozen=True)
class Around:
    """The take around a frame: φ of its frames, their times, and which of them is the frame.

    >>> Around(np.zeros((3, 8)), np.arange(3.0), place=1).phi.shape
    (3, 8)
    """

    phi: NDArray[Any]  # (T, D)
    times: NDArray[Any]  # (T,) seconds
    place: int


@torch.no_grad()
def activation_map(network: ActorObserverNet, frame: Frame) -> Map:
    """How strongly each place of a frame (3, H, W) drives the last convolution: the length of its features, (H, W).

    For transformers it is the length of their last tokens, each put back in its place.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
    >>> activation_map(network, torch.zeros(3, 64, 96, dtype=torch.uint8)).shape
    (64, 96)
    """
    pixels = _pixels(network, frame)  # (1, 3, H, W)
    network.eval()
    features = _last_features(network.backbone, pixels)  # (1, C, h, w)
    strength = features.float().norm(dim=1, keepdim=True)  # (1, 1, h, w)
    full = functional.interpolate(strength, pixels.shape[2:], mode="bilinear", align_corners=False)
    return full[0, 0].cpu().numpy()


def similarity_maps(
    network: ActorObserverNet,
    third_frame: Frame,
    first_frame: Frame,
    third_around: Around | None = None,
    first_around: Around | None = None,
) -> tuple[Map, Map]:
    """The gradient of the frames' similarity (the negative distance of their embeddings) at each image.

    Each map (H, W) holds the length of the gradient over red, green and blue (from 0 to 1): which pixels, changed a
    little, would change the similarity most. A network that sees a frame within its take should be given the frames
    around it.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
    >>> maps = similarity_maps(network, *torch.rand(2, 3, 32, 48))
    >>> [one.shape for one in maps]
    [(32, 48), (32, 48)]
    """
    network.eval()
    frames = [_pixels(network, frame).requires_grad_() for frame in (third_frame, first_frame)]
    embedded = []
    with torch.enable_grad():
        for pixels, view, around in zip(frames, VIEWS, (third_around, first_around), strict=True):
            embedded.append(network.embed(_as_wanted(network, network.phi(pixels), view, around), view).features)
        similarity = -distance(*embedded).sum()
        gradients = torch.autograd.grad(similarity, frames)
    third, first = (gradient[0].norm(dim=0).cpu().numpy() for gradient in gradients)
    return third, first


def _as_wanted(network: ActorObserverNet, phi: Tensor, view: View, around: Around | None) -> Tensor:
    """φ of one frame (1, D) as the heads want it: in its take, or alone."""
    if around is None:
        return network.alone(phi, view)
    take, place = torch.as_tensor(around.phi).to(phi), around.place
    whole = torch.cat([take[:place], phi, take[place + 1 :]])  # (T, D)
    return network.in_take(whole, torch.as_tensor(around.times).to(phi))[place : place + 1]


def _pixels(network: ActorObserverNet, frame: Frame) -> Tensor:
    """One frame as numbers from 0 to 1, where the network is: (1, 3, H, W)."""
    given = torch.as_tensor(frame)
    if given.ndim != 3 or given.shape[0] != 3:
        raise ValueError(f"a frame is (3, H, W), not {tuple(given.shape)}")
    scaled = given if given.is_floating_point() else given.float() / 255
    return scaled[None].detach().to(network.video_softmax.log_sum).contiguous()


def _last_features(backbone: Backbone, pixels: Tensor) -> Tensor:
    """The last features of a backbone that still have a place in the frame, (1, C, h, w)."""
    if backbone.clip.moving:
        raise UserError("no activation maps: the backbone sees clips, not single frames")
    if isinstance(backbone, Timm):
        model: Any = backbone.model
        return _on_a_grid(model.forward_features(backbone.normalise(pixels)), backbone.feature_size)
    seen: list[Tensor] = []

    def remember(_: nn.Module, __: Any, output: Any) -> None:
        seen.append(output if isinstance(output, Tensor) else output.last_hidden_state)

    handle = _last_part(backbone).register_forward_hook(remember)
    try:
        backbone(pixels)
    finally:
        handle.remove()
    return _on_a_grid(seen[-1], backbone.feature_size)


def _last_part(backbone: Backbone) -> nn.Module:
    if isinstance(backbone, VGG16):
        return backbone.features[-2]  # before the last pooling
    if isinstance(backbone, HuggingFace):
        return backbone.model
    for name in ("layer4", "features"):
        if isinstance(part := getattr(backbone, name, None), nn.Module):
            return part
    raise UserError(f"{type(backbone).__name__}: no activation maps, its last convolution is not known")


def _on_a_grid(features: Tensor, width: int) -> Tensor:
    """Feature maps as (1, C, h, w); tokens (1, T, C) as a square, without those that belong to no place."""
    if features.ndim == 4:
        return features if features.shape[1] == width or features.shape[3] != width else features.permute(0, 3, 1, 2)
    tokens = features.shape[1] if features.ndim == 3 else 0
    for extra in (0, 1, 2, 5):  # a class token, a distillation token, four registers: they come first
        side = math.isqrt(max(0, tokens - extra))
        if side > 1 and side * side == tokens - extra:
            return features[:, extra:].transpose(1, 2).unflatten(2, (side, side))
    raise UserError("no activation maps: the backbone's last features do not belong to places in the frame")
