"""The backbones that bench/styles.py compares: ImageNet's, the box's, fine-tuned ones, and averages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from actor_observer import load
from actor_observer.frames.at import frames_at
from actor_observer.model import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import Manifest, read_manifest
from actor_observer.training import recipe_named, train, with_settings

BACKBONE = "mobilenet_v2"
STYLES = ("crops.style=0.5", "crops.brightness=0.6", "crops.contrast=0.6", "crops.saturation=1.0")
SHORT, LONG = ("epochs=25", "validate_every=25", "optimiser.lr=2e-4"), ("epochs=50", "validate_every=50")  # 5e-4
TUNED: dict[str, tuple[str, ...]] = {
    "fine-tuned with styles": (*SHORT, *STYLES),
    "fine-tuned with styles, L2-SP": (*SHORT, *STYLES, "optimiser.anchor=20"),
    "fine-tuned longer with styles": (*LONG, *STYLES),
    "fine-tuned longer as before": LONG,
}
AVERAGES: dict[str, tuple[str, float]] = {  # of ImageNet's and another: its name, and its share
    **{f"average, {100 * share:.0f} % box": ("box", share) for share in (0.25, 0.5, 0.75)},
    **{f"average, 50 % {name}": (name, 0.5) for name in ("fine-tuned with styles", "fine-tuned longer with styles")},
}
NAMES = ("ImageNet", "box", *AVERAGES, *TUNED)


def make_backbone(
    name: str, folder: Path, fresh: Path, learned: Path, epochs: int, cache: Path | None, device: str
) -> Path:
    """A folder that `init` takes: the backbone of this name. One that is there is taken as it is."""
    out = folder / name
    if (out / "model.safetensors").exists():
        return out
    if name in TUNED:
        settings = [
            *(f"init={BOX}", "labelled_share=0.2", "look_rate=3", "optimiser.warmup=20", "save_minutes=60"),
            *TUNED[name],
            *([f"epochs={epochs}", f"validate_every={epochs}"] if epochs else []),
        ]
        recipe = with_settings(recipe_named("end-to-end"), settings)
        return train(recipe, fresh, out, (), cache, device, quiet=True, checked=True)
    network = ActorObserverNet(NetworkConfig(backbone=BACKBONE), pretrained=False)
    start = create_backbone(BACKBONE).state_dict()
    if name in AVERAGES:
        other, share = AVERAGES[name]
        end = weights(other, folder, fresh, learned, epochs, cache, device)
        mixed = {key: torch.lerp(start[key].float(), value.float(), share).to(value) for key, value in end.items()}
        network.backbone.load_state_dict(mixed)
        renew_statistics(network.backbone, read_manifest(learned), best_device(device))
    else:
        network.backbone.load_state_dict(start if name == "ImageNet" else load().backbone.state_dict())
    network.save_pretrained(out)
    return out


def weights(
    name: str, folder: Path, fresh: Path, learned: Path, epochs: int, cache: Path | None, device: str
) -> dict[str, Tensor]:
    return load(make_backbone(name, folder, fresh, learned, epochs, cache, device)).backbone.state_dict()


@torch.no_grad()
def renew_statistics(backbone: nn.Module, manifest: Manifest, device: str) -> None:
    """Batch norm's means and spreads, over frames of training takes: averaged weights have none of their own."""
    takes = list(manifest.of("train").takes.values())[::2][:160]
    frames = torch.cat([frames_at(take, np.linspace(1, take.length - 1, 8), size=160) for take in takes])
    for module in backbone.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None  # a plain mean over all batches
    backbone.to(device).train()
    order = torch.randperm(len(frames), generator=torch.Generator().manual_seed(0))
    for part in order.split(128):
        backbone(frames[part].to(device))
    backbone.cpu().eval()
