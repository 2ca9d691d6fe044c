"""What transformers' own processors and networks make of a few frames, where they need torchvision: kept for tests.

    python -m venv REF        # and torch, torchvision, transformers into it
    REF/bin/python scripts/processor_references.py        # writes tests/model/backbones/hugging_face/references/*.npz

DINOv3's processor and V-JEPA 2's are built on torchvision, which this package does without. Their networks are made
small, from a seed (bench/tiny_networks.py); frames are wide, tall and smaller than the network's.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from tiny_networks import fingerprint, make_network

OUT = Path(__file__).parents[1] / "tests" / "model" / "backbones" / "hugging_face" / "references"
SHAPES = {"wide": (45, 70), "tall": (75, 50), "small": (20, 27)}
PROCESSORS = {"DINOv3ViT": "DINOv3ViTImageProcessor", "VJEPA2": "VJEPA2VideoProcessor"}


def frames_of(shape: tuple[int, int]) -> Tensor:  # (4, 3, H, W) bytes
    """Four frames of soft colours."""
    soft = torch.rand((4, 3, 9, 14), generator=torch.Generator().manual_seed(3))
    return nn.functional.interpolate(soft, shape, mode="bilinear").mul(255).to(torch.uint8)


def phi_of(name: str, folder: Path, frames: Tensor) -> Tensor:
    """DINOv3: the pooled output of each frame. V-JEPA 2: the mean over space of the clip's two time steps."""
    processor = getattr(transformers, PROCESSORS[name]).from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        if name == "VJEPA2":
            seen = processor(frames, return_tensors="pt")["pixel_values_videos"]  # (1, 4, 3, 32, 32)
            return model(seen, skip_predictor=True).last_hidden_state.unflatten(1, (2, -1)).mean(dim=2)
        return model(**processor(list(frames), return_tensors="pt")).pooler_output


def main() -> None:
    """Write one small file for each of the two."""
    OUT.mkdir(exist_ok=True)
    for name in PROCESSORS:
        with tempfile.TemporaryDirectory() as place:
            folder = make_network(name, Path(place))
            kept: dict[str, Any] = {
                "network": np.array(fingerprint(folder)),
                "transformers": np.array(transformers.__version__),
            }
            for shape, size in SHAPES.items():
                frames = frames_of(size)
                kept |= {f"{shape}.frames": frames.numpy(), f"{shape}.phi": phi_of(name, folder, frames).numpy()}
        np.savez_compressed(OUT / f"{name}.npz", **kept)
        print(f"{name}: {(OUT / f'{name}.npz').stat().st_size} bytes")


if __name__ == "__main__":
    main()
