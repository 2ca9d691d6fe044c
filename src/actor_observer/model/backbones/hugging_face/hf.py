"""A vision network of `transformers` as a backbone: of pictures, or of clips."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.backbones.backbone import Backbone, Normalise
from actor_observer.model.backbones.clip import Clip
from actor_observer.model.backbones.hugging_face.prepare import HALF, Prepare

__all__ = ["CLIP_NETWORKS", "HuggingFace"]


@dataclass(frozen=True)
class ClipNetwork:
    """What is special about a kind of networks that see clips."""

    rate: float  # frames a second that its authors showed it
    frames: str = "num_frames"  # how its configuration calls them
    argument: str = "pixel_values"
    class_token: bool = False  # its first token is of the whole clip
    time_last: bool = False  # tokens of one place follow each other in time, not those of one time in space


# Sampling as published: V-JEPA 2 sees 4 frames a second; VideoMAE each 4th, TimeSformer each 32nd and ViViT each 2nd
# frame of videos of about 30 a second.
CLIP_NETWORKS = {
    "vjepa2": ClipNetwork(4.0, "frames_per_clip", "pixel_values_videos"),
    "videomae": ClipNetwork(7.5),
    "timesformer": ClipNetwork(30 / 32, class_token=True, time_last=True),
    "vivit": ClipNetwork(15.0, class_token=True),
}


class HuggingFace(Backbone):
    """A vision network of `transformers`. φ is its pooled output, or its first token where it has none.

    One that sees clips gives the mean over space of every time step. Of one that knows pictures and words (CLIP,
    SigLIP) φ is the picture in the space that both share, if `to_joint` says how to get there.

    `pooled=False` takes the pooling layer away: many checkpoints come without one, and it would be made of noise.
    Frames are made ready as `prepare` says; without it (networks that were saved before there was one), they are
    resized to the network's own size where it has a fixed one.

    >>> import torch
    >>> from types import SimpleNamespace
    >>> class Mean(nn.Module):  # as small as a network of transformers can be
    ...     config = SimpleNamespace(hidden_size=3)
    ...     def forward(self, pixel_values):
    ...         return SimpleNamespace(pooler_output=pixel_values.mean(dim=(2, 3)))
    >>> HuggingFace(Mean())(torch.ones(1, 3, 8, 8))
    tensor([[1., 1., 1.]])
    """

    def __init__(
        self,
        model: Any,
        mean: tuple[float, ...] = HALF,
        std: tuple[float, ...] = HALF,
        pooled: bool = True,
        prepare: Prepare | None = None,
        to_joint: nn.Module | None = None,
        whole: Mapping[str, Any] | None = None,  # the configuration it is a part of, where that is not its own
    ) -> None:
        config: Any = model.config
        sizes = getattr(config, "hidden_sizes", None)  # convolutional models give one width per stage
        size = int(sizes[-1] if sizes else config.hidden_size)
        size = int(getattr(to_joint, "out_features", size))
        super().__init__(size, Normalise(mean, std))
        self.model: nn.Module = model
        self.pooled, self.prepare, self.to_joint, self._whole = pooled, prepare, to_joint, whole
        self.joint = to_joint is not None
        if not pooled:
            model.pooler = None
        own = getattr(config, "image_size", None)
        self.image_size = (own, own) if isinstance(own, int) else tuple(own) if own else None
        self.network = CLIP_NETWORKS.get(getattr(config, "model_type", ""))
        if self.network is not None:
            self.clip = clip_of(config, self.network)
            if hasattr(model, "predictor"):
                model.predictor = None  # of V-JEPA: it is for training by masks alone
        if prepare is not None:
            self.input_size = prepare.wanted
            self.exact_size = prepare.crop or prepare.size or ((prepare.wanted,) * 2 if prepare.wanted else None)

    def forward(self, frames: Tensor) -> Tensor:
        if self.network is not None:
            return self._of_clips(frames, self.network)
        x = self._ready(frames)  # (B, 3, H, W)
        cut = self.prepare is not None and self.prepare.patches > 0
        output = self.model(*self._patches(x)) if cut else self.model(pixel_values=x)
        pooled = getattr(output, "pooler_output", None)
        if pooled is None:
            tokens = output.last_hidden_state  # (B, T, D), or (B, D, H, W) from a convolutional model
            pooled = tokens.mean(dim=(2, 3)) if tokens.ndim == 4 else tokens[:, 0]
        features: Tensor = pooled.flatten(1)  # (B, D)
        return features if self.to_joint is None else self.to_joint(features)

    def _ready(self, frames: Tensor) -> Tensor:
        if self.prepare is not None:
            return self.normalise(self.prepare(frames))
        x = self.normalise(frames)
        if self.image_size and tuple(x.shape[-2:]) != self.image_size and len(x):
            x = functional.interpolate(x, self.image_size, mode="bilinear", antialias=True)
        return x

    def _of_clips(self, frames: Tensor, network: ClipNetwork) -> Tensor:
        clip = self.clip
        if frames.ndim != 5 or frames.shape[1] != clip.frames:
            raise ValueError(f"clips must be (B, {clip.frames}, 3, H, W), not {tuple(frames.shape)}")
        x = self._ready(frames.flatten(0, 1)).unflatten(0, (-1, clip.frames))
        more = {"skip_predictor": True} if network.argument == "pixel_values_videos" else {}
        tokens = self.model(**{network.argument: x}, **more).last_hidden_state  # (B, T, D)
        tokens = tokens[:, 1:] if network.class_token else tokens
        if network.time_last:
            return tokens.unflatten(1, (-1, clip.steps)).mean(dim=1)  # (B, S, D)
        return tokens.unflatten(1, (clip.steps, -1)).mean(dim=2)

    def _patches(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Frames cut into patches (B, P, patch·patch·3), as SigLIP 2 wants them, which of them count, and their shape.

        In this order: what it calls them differs between versions of transformers.
        """
        assert self.prepare is not None
        patch = self.prepare.patch
        down, across = x.shape[2] // patch, x.shape[3] // patch
        cut = x[:, :, : down * patch, : across * patch].unflatten(3, (across, patch)).unflatten(2, (down, patch))
        values = cut.permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)  # (B, down·across, patch·patch·3)
        every = torch.ones(values.shape[:2], dtype=torch.int32, device=x.device)
        return values, every, torch.tensor([[down, across]], device=x.device).expand(x.shape[0], 2)

    def architecture(self) -> dict[str, object]:
        config: Any = self.model.config
        normalise = self.normalise
        settings = config.to_dict() if self._whole is None else dict(self._whole)
        if self.prepare is not None:  # where it lay, and which version wrote it, say nothing of the network
            settings = json.loads(json.dumps(settings, default=str))  # keys of numbers are read back as text
            settings = {
                key: value for key, value in settings.items() if key[:1] != "_" and key != "transformers_version"
            }
        described: dict[str, object] = {
            "config": settings,
            "pooled": self.pooled,
            "mean": [round(value, 6) for value in normalise.mean.flatten().tolist()],
            "std": [round(value, 6) for value in normalise.std.flatten().tolist()],
        }
        if self.prepare is not None:
            described |= {"prepare": self.prepare.described(), "joint": self.joint}
        return described


def clip_of(config: Any, network: ClipNetwork) -> Clip:
    """The clip that a network's configuration speaks of.

    >>> from types import SimpleNamespace
    >>> clip_of(SimpleNamespace(num_frames=16, tubelet_size=2), CLIP_NETWORKS["videomae"])
    Clip(frames=16, rate=7.5, steps=8)
    """
    frames, tubelet = int(getattr(config, network.frames)), getattr(config, "tubelet_size", 1)
    tubelet = int(tubelet[0] if isinstance(tubelet, (list, tuple)) else tubelet)
    if getattr(config, "attention_type", "") == "space_only":
        raise ValueError("it has no time steps (attention_type space_only)")
    return Clip(frames, network.rate, frames // tubelet)
