"""ResNets have torchvision's parameters, and load checkpoints of every age."""

import pytest
import torch

from actor_observer.model.backbones.resnet import RESNETS, ResNet

PARAMETERS = {  # of torchvision's models with 1000 classes
    "resnet18": 11_689_512,
    "resnet34": 21_797_672,
    "resnet50": 25_557_032,
    "resnet101": 44_549_160,
    "resnet152": 60_192_808,
}


@pytest.mark.parametrize("name", RESNETS)
def test_it_has_torchvisions_parameters(name: str) -> None:
    with torch.device("meta"):
        network = ResNet(name, classes=1000)
    assert sum(parameter.numel() for parameter in network.parameters()) == PARAMETERS[name]
    names = network.state_dict().keys()
    last = "conv3" if name in ("resnet50", "resnet101", "resnet152") else "conv2"
    assert {"conv1.weight", "bn1.running_var", f"layer4.2.{last}.weight", "fc.bias"} <= names or name == "resnet18"
    assert {"layer2.0.downsample.0.weight", "layer2.0.downsample.1.num_batches_tracked"} <= names
    assert not [name for name in names if "normalise" in name]


def test_the_stride_is_in_the_bottlenecks_3x3_convolution() -> None:
    with torch.device("meta"):
        block = ResNet("resnet50").layer2[0]
    assert (block.conv1.stride, block.conv2.stride) == ((1, 1), (2, 2))


def test_features_are_the_pooled_layer_and_logits_the_head_on_them() -> None:
    network = ResNet("resnet18", classes=7).eval()
    frames = torch.rand(2, 3, 64, 96)
    assert network.fc is not None
    torch.testing.assert_close(network.logits(frames), network.fc(network(frames)))
    assert (network(frames) >= 0).all()


def test_a_checkpoint_from_before_batch_counts_loads_strictly() -> None:
    network = ResNet("resnet18", classes=7)
    old = {name: value for name, value in network.state_dict().items() if "num_batches" not in name}
    assert ResNet("resnet18", classes=7).load_state_dict(old, strict=True)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="resnet18"):
        ResNet("resnet19")
    with pytest.raises(ValueError, match="without classes"):
        ResNet("resnet18").logits(torch.rand(1, 3, 32, 32))
