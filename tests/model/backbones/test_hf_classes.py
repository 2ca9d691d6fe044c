"""Every class of network that `hf:` loads, made small: what transformers' own processor and network make of frames."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor, nn

from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.hf import CLIP_NETWORKS
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.network import ActorObserverNet, NetworkConfig
from tiny_networks import CLASSES, CLIPS, PROCESSORS

transformers = pytest.importorskip("transformers")
PROCESSOR = {  # those that import without torchvision; the two others are written out in `by_hand`
    "VideoMAE": "VideoMAEImageProcessorPil",
    "Timesformer": "VideoMAEImageProcessorPil",
    "Vivit": "VivitImageProcessor",
    "ViT": "ViTImageProcessorPil",
    "Dinov2": "BitImageProcessorPil",
    "CLIP": "CLIPImageProcessorPil",
    "Siglip": "SiglipImageProcessorPil",
    "Siglip2": "Siglip2ImageProcessorPil",
}


def frames_for(name: str, height: int = 45, width: int = 70) -> Tensor:
    smooth = torch.rand((8, 3, 9, 14), generator=torch.Generator().manual_seed(3))
    frames = nn.functional.interpolate(smooth, (height, width), mode="bilinear").mul(255).to(torch.uint8)
    return frames[:8].unflatten(0, (2, 4)) if name in CLIPS else frames[:2]


def by_hand(name: str, frame: Tensor) -> Tensor:
    """DINOv3's and V-JEPA 2's steps as documented; their own code needs torchvision, and was not compared."""
    told: dict[str, Any] = PROCESSORS[name]
    mean, std = (torch.tensor(told[key]).view(3, 1, 1) for key in ("image_mean", "image_std"))
    if name == "DINOv3ViT":
        pixels = nn.functional.interpolate(frame[None] / 255, (32, 32), mode="bilinear", antialias=True)[0]
    else:
        width = int(36 * frame.shape[2] / frame.shape[1])
        picture = Image.fromarray(frame.permute(1, 2, 0).numpy()).resize((width, 36), Image.Resampling.BILINEAR)
        left = (width - 32) // 2
        pixels = torch.from_numpy(np.array(picture.crop((left, 2, left + 32, 34)))).permute(2, 0, 1) / 255
    return (pixels - mean) / std


def as_transformers_has_it(name: str, folder: Path, frames: Tensor) -> Tensor:
    """Its processor and its model; then the mean over space of each time step, for clips."""
    model = transformers.AutoModel.from_pretrained(folder).eval()
    if name not in PROCESSOR:
        flat = torch.stack([by_hand(name, frame) for frame in frames.flatten(0, -4)])
        inputs = {"pixel_values": flat.view(*frames.shape[:-2], 32, 32)}
    else:
        processor = getattr(transformers, PROCESSOR[name]).from_pretrained(folder)
        pictures = [[frame.numpy() for frame in clip] for clip in frames] if name in CLIPS else list(frames.numpy())
        inputs = dict(processor(pictures, return_tensors="pt"))
    with torch.inference_mode():
        if name in ("CLIP", "Siglip", "Siglip2"):
            return model.get_image_features(**inputs).pooler_output
        if name not in CLIPS:
            return model(**inputs).pooler_output
        if name == "VJEPA2":
            tokens = model(inputs["pixel_values"], skip_predictor=True).last_hidden_state
            return tokens.view(2, 2, 4, -1).mean(dim=2)
        tokens = model(**inputs).last_hidden_state
        if name == "Timesformer":  # (place, time)
            return tokens[:, 1:].view(2, 4, 4, -1).mean(dim=1)
        return (tokens[:, 1:] if name == "Vivit" else tokens).view(2, 2, 4, -1).mean(dim=2)


@pytest.mark.parametrize("name", CLASSES)
def test_it_is_what_transformers_makes_of_the_same_frames(name: str, hf_networks: Any) -> None:
    folder = hf_networks(name)
    backbone = create_backbone(f"hf:{folder}").eval()
    frames = frames_for(name)
    with torch.inference_mode():
        phi = backbone(frames)
        torch.testing.assert_close(phi, as_transformers_has_it(name, folder, frames), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(for_inference(backbone)(frames[1:]), phi[1:], rtol=1e-4, atol=1e-5)
    assert phi.shape[-1] == backbone.feature_size and not torch.allclose(phi[0], phi[1], atol=1e-2)
    assert backbone.joint == (name in ("CLIP", "Siglip", "Siglip2"))


@pytest.mark.parametrize("name", CLIPS)
def test_a_time_step_is_told_of_the_frames_of_its_time(name: str, hf_networks: Any) -> None:
    """Space and time are not mixed up: without the layers that look around, a step depends on its own frames alone."""
    backbone = create_backbone(f"hf:{hf_networks(name)}").eval()
    for list_of_layers in (part for part in backbone.modules() if isinstance(part, nn.ModuleList)):
        del list_of_layers[:]
    frames = frames_for(name)
    changed = frames.clone()
    changed[:, -1] = 255 - changed[:, -1]
    with torch.inference_mode():
        apart = (backbone(changed) - backbone(frames)).abs().amax(dim=(0, 2))  # (S,)
    assert (apart[:-1] < 1e-6).all() and apart[-1] > 1e-3
    assert backbone.clip.rate == CLIP_NETWORKS[name.lower()].rate


@pytest.mark.parametrize("name", ["VJEPA2", "CLIP", "Siglip2"])
def test_a_saved_network_needs_its_own_folder_alone(name: str, hf_networks: Any, tmp_path: Path) -> None:
    network = ActorObserverNet(NetworkConfig(backbone=f"hf:{hf_networks(name)}")).eval()
    network.save_pretrained(tmp_path / "saved")
    again = ActorObserverNet.from_pretrained(tmp_path / "saved")
    frames = frames_for(name)
    with torch.inference_mode():
        torch.testing.assert_close(again(frames, "third").features, network(frames, "third").features)
    assert again.backbone.architecture() == network.backbone.architecture()


def test_one_frame_is_a_still_clip(hf_networks: Any) -> None:
    network = ActorObserverNet(NetworkConfig(backbone=f"hf:{hf_networks('VideoMAE')}")).eval()
    frame = frames_for("ViT")
    with torch.inference_mode():
        torch.testing.assert_close(network.phi(frame), network.phi(frame[:, None].expand(-1, 4, -1, -1, -1)))
