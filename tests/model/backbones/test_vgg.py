"""VGG-16 has torchvision's parameters; φ is fc7."""

import pytest
import torch

from actor_observer.model.backbones.vgg import VGG16


def test_it_has_torchvisions_parameters() -> None:
    with torch.device("meta"):
        network = VGG16(classes=1000)
    shapes = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    assert sum(parameter.numel() for parameter in network.parameters()) == 138_357_544
    assert shapes["features.28.weight"] == (512, 512, 3, 3)
    assert shapes["classifier.0.weight"] == (4096, 25088)
    assert shapes["classifier.6.weight"] == (1000, 4096)
    assert len(shapes) == 32


def test_features_come_before_dropout_and_scores() -> None:
    with torch.device("meta"):
        network, frames = VGG16(classes=5), torch.rand(2, 3, 96, 64)
        assert network(frames).shape == (2, 4096)
        assert network.logits(frames).shape == (2, 5)
        with pytest.raises(ValueError, match="without classes"):
            VGG16().logits(frames)
