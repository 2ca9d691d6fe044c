"""Every class of network that `hf:` loads, made small: what transformers' own processor and network make of frames."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.hugging_face.hf import CLIP_NETWORKS
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.network import ActorObserverNet, NetworkConfig
from tiny_networks import CLIPS, fingerprint

transformers = pytest.importorskip("transformers")
REFERENCES = Path(__file__).parent / "references"
PROCESSOR = {  # those that import without torchvision; what the two others make is kept in REFERENCES
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


def as_transformers_has_it(name: str, folder: Path, frames: Tensor) -> Tensor:
    """Its processor and its model; then the mean over space of each time step, for clips."""
    model = transformers.AutoModel.from_pretrained(folder).eval()
    kind = PROCESSOR[name] if hasattr(transformers, PROCESSOR[name]) else PROCESSOR[name].removesuffix("Pil")
    processor = getattr(transformers, kind).from_pretrained(folder)
    pictures = [[frame.numpy() for frame in clip] for clip in frames] if name in CLIPS else list(frames.numpy())
    inputs = dict(processor(pictures, return_tensors="pt"))
    with torch.inference_mode():
        if name in ("CLIP", "Siglip", "Siglip2"):
            found = model.get_image_features(**inputs)
            return getattr(found, "pooler_output", found)  # transformers 4 gives the tensor itself
        if name not in CLIPS:
            return model(**inputs).pooler_output
        tokens = model(**inputs).last_hidden_state
        if name == "Timesformer":  # (place, time)
            return tokens[:, 1:].view(2, 4, 4, -1).mean(dim=1)
        return (tokens[:, 1:] if name == "Vivit" else tokens).view(2, 2, 4, -1).mean(dim=2)


@pytest.mark.parametrize("name", ["DINOv3ViT", "VJEPA2"])
@pytest.mark.parametrize("shape", ["wide", "tall", "small"])
def test_it_is_what_processors_built_on_torchvision_made_of_the_same_frames(
    name: str, shape: str, hf_networks: Any
) -> None:
    """`python scripts/processor_references.py`, where torchvision is, made what is compared here."""
    folder, kept = hf_networks(name), np.load(REFERENCES / f"{name}.npz")
    if fingerprint(folder) != kept["network"] and transformers.__version__.startswith("4."):
        pytest.skip("this older transformers calls its weights otherwise, and makes others from the seed")
    assert fingerprint(folder) == kept["network"], "other weights: run scripts/processor_references.py again"
    backbone = create_backbone(f"hf:{folder}").eval()
    frames = torch.from_numpy(kept[f"{shape}.frames"])
    frames = frames[None] if name in CLIPS else frames
    with torch.inference_mode():
        phi = backbone(frames)
        np.testing.assert_allclose(phi.numpy(), kept[f"{shape}.phi"], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(for_inference(backbone)(frames), phi, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PROCESSOR)
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
