"""φ of several backbones of one kind with one decoding: each video is read once, not once for each backbone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from actor_observer.features import FeatureCache, Look
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.pairs import Take


class Several(Backbone):
    """Backbones side by side: their features one after the other, (B, K·D)."""

    def __init__(self, backbones: Sequence[Backbone]) -> None:
        super().__init__(sum(one.feature_size for one in backbones))
        self.members = nn.ModuleList(backbones)

    def forward(self, frames: Tensor) -> Tensor:
        return torch.cat([one(frames) for one in self.members], dim=1)


def fill_cache(
    cache: Path | None, name: str, backbones: Sequence[Backbone], takes: Sequence[Take], look: Look, device: str
) -> None:
    """Fill the cache with φ of every take by every backbone."""
    store = FeatureCache(cache)
    phi, faults = FeatureCache(store.folder / "several").features(name, Several(backbones), takes, look, device)
    assert not faults, next(iter(faults.values()))
    size = backbones[0].feature_size
    for number, backbone in enumerate(backbones):
        part = slice(number * size, (number + 1) * size)
        own = {id: replace(take, features=take.features[:, part].copy()) for id, take in phi.items()}
        store.keep(name, backbone, takes, look, device, own)
