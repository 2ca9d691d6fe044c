"""MobileNetV2 takes torchvision's very file, and sees what is in a photograph."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_sample_image
from torch import Tensor
from torch.nn import functional

from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.mobilenet import MobileNetV2
from actor_observer.model.backbones.registry import WEIGHTS, create_backbone, imagenet_weights

FILE = Path(torch.hub.get_dir()) / "checkpoints" / WEIGHTS["mobilenet_v2"]
needs_weights = pytest.mark.skipif(not FILE.exists(), reason="ImageNet weights are not in torch.hub's cache")


def photograph(name: str) -> Tensor:
    pixels = torch.from_numpy(np.array(load_sample_image(name))).permute(2, 0, 1)[None]  # (1, 3, 427, 640)
    square = pixels[..., 106:533].float() / 255
    return functional.interpolate(square, (224, 224), mode="bilinear", antialias=True).clamp(0, 1)


@needs_weights
def test_torchvisions_file_loads_strictly_and_recognises_a_palace() -> None:
    network = MobileNetV2(classes=1000).eval()
    network.load_state_dict(imagenet_weights("mobilenet_v2"), strict=True)
    with torch.no_grad():
        probability = network.logits(photograph("china.jpg")).softmax(dim=1)[0]
    assert probability.argmax().item() == 698  # ImageNet's "palace"
    assert probability[698] > 0.4


@needs_weights
def test_folding_does_not_change_what_it_sees() -> None:
    backbone = create_backbone("mobilenet_v2").eval()
    frames = torch.cat([photograph("china.jpg"), photograph("flower.jpg")])
    with torch.no_grad():
        plain, fast = backbone(frames), for_inference(backbone)(frames)
    torch.testing.assert_close(fast, plain, rtol=1e-5, atol=1e-5)
    assert plain.shape == (2, 1280)
    assert ((plain >= 0) & (plain <= 6)).all()  # a mean of ReLU6


def test_it_has_torchvisions_parameters() -> None:
    with torch.device("meta"):
        network = MobileNetV2(classes=1000)
    assert sum(parameter.numel() for parameter in network.parameters()) == 3_504_872
    assert len(network.state_dict()) == 314
    with pytest.raises(ValueError, match="without classes"):
        MobileNetV2().logits(torch.rand(1, 3, 32, 32))
