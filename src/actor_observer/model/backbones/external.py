"""Backbones from other libraries, where these are installed: `hf:NAME` (transformers) and `timm:NAME` (timm)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.errors import UserError, missing_extra
from actor_observer.model.backbones.backbone import Backbone, Normalise

__all__ = ["HuggingFace", "Timm"]

HALF = (0.5, 0.5, 0.5)


class HuggingFace(Backbone):
    """A vision model of `transformers`. φ is its pooled output, or its first token where it has none.

    `pooled=False` takes the pooling layer away: many checkpoints come without one, and it would be made of noise.
    Frames are resized to the model's own image size where it has a fixed one.

    >>> import torch
    >>> from types import SimpleNamespace
    >>> class Mean(nn.Module):  # as small as a model of transformers can be
    ...     config = SimpleNamespace(hidden_size=3)
    ...     def forward(self, pixel_values):
    ...         return SimpleNamespace(pooler_output=pixel_values.mean(dim=(2, 3)))
    >>> HuggingFace(Mean())(torch.ones(1, 3, 8, 8))
    tensor([[1., 1., 1.]])
    """

    def __init__(
        self, model: Any, mean: tuple[float, ...] = HALF, std: tuple[float, ...] = HALF, pooled: bool = True
    ) -> None:
        config: Any = model.config
        sizes = getattr(config, "hidden_sizes", None)  # convolutional models give one width per stage
        super().__init__(int(sizes[-1] if sizes else config.hidden_size), Normalise(mean, std))
        self.model: nn.Module = model
        self.pooled = pooled
        if not pooled:
            model.pooler = None
        size = getattr(config, "image_size", None)
        self.image_size = (size, size) if isinstance(size, int) else tuple(size) if size else None

    def forward(self, frames: Tensor) -> Tensor:
        x = self.normalise(frames)  # (B, 3, H, W)
        if self.image_size and tuple(x.shape[-2:]) != self.image_size and len(x):
            x = functional.interpolate(x, self.image_size, mode="bilinear", antialias=True)
        output = self.model(pixel_values=x)
        pooled = getattr(output, "pooler_output", None)
        if pooled is None:
            tokens = output.last_hidden_state  # (B, T, D), or (B, D, H, W) from a convolutional model
            pooled = tokens.mean(dim=(2, 3)) if tokens.ndim == 4 else tokens[:, 0]
        features: Tensor = pooled.flatten(1)  # (B, D)
        return features

    def architecture(self) -> dict[str, object]:
        config: Any = self.model.config
        normalise = self.normalise
        return {
            "config": config.to_dict(),
            "pooled": self.pooled,
            "mean": [round(value, 6) for value in normalise.mean.flatten().tolist()],
            "std": [round(value, 6) for value in normalise.std.flatten().tolist()],
        }


def hf_backbone(name: str, pretrained: bool = True, architecture: dict[str, Any] | None = None) -> Backbone:
    """`transformers`' vision model NAME: a hub id or a local folder. Only safetensors are read, no code is run."""
    try:
        import transformers
        from transformers.utils.hub import cached_file
    except ImportError:
        raise missing_extra(f"hf:{name}", "hf") from None
    try:
        if architecture:
            settings = {key: value for key, value in architecture["config"].items() if harmless(key)}
            config = transformers.AutoConfig.for_model(settings.pop("model_type"), **settings)
            model = transformers.AutoModel.from_config(config, trust_remote_code=False)
            mean, std, pooled = (architecture[key] for key in ("mean", "std", "pooled"))
            return HuggingFace(vision_part(model), tuple(mean), tuple(std), bool(pooled))
        missing: list[str] = []
        if pretrained:
            model, found_of = transformers.AutoModel.from_pretrained(
                name, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
            missing = list(found_of["missing_keys"])
        else:
            config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=False)
            model = transformers.AutoModel.from_config(config, trust_remote_code=False)
        found = cached_file(name, "preprocessor_config.json", _raise_exceptions_for_missing_entries=False)
        seen = json.loads(Path(found).read_text()) if found else {}
        mean, std = (tuple(seen.get(key) or HALF) for key in ("image_mean", "image_std"))
        backbone = HuggingFace(vision_part(model), mean, std, pooled=not any("pooler." in key for key in missing))
        return _tried(backbone)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"hf:{name} cannot be had as a vision model: {reason}") from error


def _tried(backbone: HuggingFace) -> HuggingFace:
    """The backbone, if it makes features of a frame: one for clips, sound or text fails here and not in the middle."""
    config: Any = backbone.model.config
    frames = getattr(config, "num_frames", None) or getattr(config, "frames_per_clip", None) or 1
    if frames > 1:
        raise ValueError(f"it looks at clips of {frames} frames, not at single ones")
    size, training = backbone.image_size or (224, 224), backbone.training
    with torch.no_grad():
        found = backbone.eval()(torch.zeros(1, 3, *size))
    if found.shape != (1, backbone.feature_size):
        raise ValueError(f"it makes {tuple(found.shape)} of one frame, not {backbone.feature_size} features")
    backbone.train(training)
    return backbone


def harmless(setting: str) -> bool:
    """Whether a stranger's setting only shapes the model; the others can make transformers fetch and run code.

    >>> harmless("hidden_size"), harmless("_attn_implementation"), harmless("auto_map")
    (True, False, False)
    """
    return not setting.startswith("_") and setting not in ("auto_map", "attn_implementation", "quantization_config")


def vision_part(model: Any) -> nn.Module:
    """The image side of a model of images and text (CLIP, SigLIP); any other model as it is."""
    part: nn.Module = getattr(model, "vision_model", model)
    return part


class Timm(Backbone):
    """A model of `timm`, without its class scores.

    >>> import torch
    >>> model = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
    >>> model.num_features = 3
    >>> Timm(model)(torch.rand(2, 3, 8, 8)).shape
    torch.Size([2, 3])
    """

    def __init__(self, model: Any) -> None:
        settings = getattr(model, "pretrained_cfg", None) or {}
        mean, std = (settings.get(key) for key in ("mean", "std"))
        super().__init__(int(model.num_features), Normalise(mean, std) if mean and std else None)
        self.model = model

    def forward(self, frames: Tensor) -> Tensor:
        features: Tensor = self.model(self.normalise(frames))  # (B, D)
        return features


def timm_backbone(name: str, pretrained: bool = True) -> Backbone:
    """`timm`'s model NAME."""
    try:
        import timm
    except (ImportError, RuntimeError):  # timm needs torchvision, which fails to import beside another torch
        raise UserError(f"timm:{name} needs timm, and a torchvision that fits this torch") from None
    try:
        return Timm(timm.create_model(name, pretrained=pretrained, num_classes=0))
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"timm:{name} cannot be had: {reason}") from error
