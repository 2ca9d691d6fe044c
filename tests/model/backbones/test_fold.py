"""Folded networks give the same numbers, in another layout, and leave the original alone."""

import pytest
import torch
from torch import nn

from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.fold import copied_to, for_inference
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet


def shake(module: nn.Module) -> None:
    """Batch norm as it is after training: no statistic at its first value."""
    for norm in module.modules():
        if isinstance(norm, nn.BatchNorm2d):
            nn.init.normal_(norm.running_mean, 0, 0.1)  # type: ignore[arg-type]
            nn.init.uniform_(norm.running_var, 0.5, 2)  # type: ignore[arg-type]
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, 0, 0.1)


@pytest.mark.parametrize("name", ["resnet18", "resnet50", "mobilenet_v2"])
def test_folded_equals_unfolded(name: str) -> None:
    backbone = create_backbone(name, pretrained=False).eval()
    shake(backbone)
    frames = torch.rand(2, 3, 64, 64)
    with torch.no_grad():
        plain = backbone(frames)
        fast = for_inference(backbone)
        torch.testing.assert_close(fast(frames) / plain.abs().max(), plain / plain.abs().max(), rtol=0, atol=1e-5)
    assert not [module for module in fast.modules() if isinstance(module, nn.BatchNorm2d)]
    assert [module for module in backbone.modules() if isinstance(module, nn.BatchNorm2d)]


def test_a_folded_network_embeds_alike_and_refuses_to_be_saved(tmp_path: object) -> None:
    network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False).eval()
    fast, frames = for_inference(network), torch.rand(2, 3, 64, 64)
    for view in ("third", "first"):
        torch.testing.assert_close(fast(frames, view).features, network(frames, view).features, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="cannot be saved"):
        fast.save_pretrained(str(tmp_path))


def test_a_backbone_of_another_library_is_not_folded() -> None:
    """Its norm may come before the convolution, or do more than a norm."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bn1, self.conv1 = nn.BatchNorm2d(3), nn.Conv2d(3, 3, 3)

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            return self.conv1(torch.relu(self.bn1(frames)))

    class Theirs(Backbone):
        def __init__(self) -> None:
            super().__init__(3)
            self.block = Block()

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            return self.block(self.normalise(frames)).mean(dim=(2, 3))

    backbone, frames = Theirs().eval(), torch.rand(2, 3, 16, 16)
    shake(backbone)
    with torch.no_grad():
        torch.testing.assert_close(for_inference(backbone)(frames), backbone(frames))


class Tied(Backbone):
    """One weight under two names, a buffer that is not saved, and a number that is neither."""

    def __init__(self) -> None:
        super().__init__(3)
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.scale = torch.full((3,), 2.0)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(self.normalise(frames).mean(dim=(2, 3)))) * self.scale


def test_a_copy_is_the_same_network_and_shares_no_memory() -> None:
    backbone, frames = Tied(), torch.rand(2, 3, 8, 8)
    expected = backbone(frames).detach()
    fast = for_inference(backbone)
    assert torch.equal(fast(frames), expected)
    assert fast.second.weight is fast.first.weight and not fast.first.weight.requires_grad and not fast.training
    assert backbone.first.weight.requires_grad and backbone.training
    with torch.no_grad():
        for tensor in (*backbone.parameters(), *backbone.buffers(), backbone.scale):
            tensor.zero_()
    assert torch.equal(fast(frames), expected)


@pytest.mark.parametrize("name", ["resnet18", "vgg16"])
def test_a_copy_for_another_device_is_not_made_here_first(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for the weights of a large network, and the time to fill it, are only needed there."""
    backbone = create_backbone(name, pretrained=False)

    def refuse(tensor: torch.Tensor, memo: object) -> torch.Tensor:
        raise AssertionError(f"{tuple(tensor.shape)} on the {tensor.device} was copied here")

    with monkeypatch.context() as only_now:
        only_now.setattr(nn.Parameter, "__deepcopy__", refuse)
        only_now.setattr(torch.Tensor, "__deepcopy__", refuse)
        there = copied_to(backbone, torch.device("meta"))
    assert {weight.device.type for weight in (*there.parameters(), *there.buffers())} == {"meta"}
    assert {weight.device.type for weight in (*backbone.parameters(), *backbone.buffers())} == {"cpu"}
    assert there.state_dict().keys() == backbone.state_dict().keys()
    assert for_inference(backbone, "meta")(torch.rand(2, 3, 64, 64, device="meta")).shape == (2, backbone.feature_size)
