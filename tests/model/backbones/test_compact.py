"""A network in a quarter of its size: close to the original, and nothing said twice."""

from pathlib import Path

import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.model import ActorObserverNet, NetworkConfig, load, network
from actor_observer.model.backbones.compact import pack, unpack


@pytest.fixture
def imagenet(monkeypatch: pytest.MonkeyPatch) -> dict[str, torch.Tensor]:
    """Weights that stand for ImageNet's."""
    start = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False).backbone.state_dict()
    named = {f"backbone.{name}": value for name, value in start.items()}
    monkeypatch.setattr(network, "_imagenet", lambda backbone: named)
    return named


def test_a_step_is_never_further_off_than_half_of_itself() -> None:
    start = {"w": torch.randn(6, 40)}
    tensor = start["w"] + 0.1 * torch.randn(6, 40)
    found = unpack(pack({"w": tensor}, start, {"w"}), start)["w"]
    step = (tensor - start["w"]).abs().amax(dim=1, keepdim=True) / 127
    assert ((found - tensor).abs() <= 0.51 * step).all()


def test_an_unchanged_backbone_takes_no_room(tmp_path: Path, imagenet: dict[str, torch.Tensor]) -> None:
    small = ActorObserverNet(NetworkConfig(backbone="resnet18", projection="shared"), pretrained=False).eval()
    small.load_state_dict(imagenet, strict=False)
    small.save_pretrained(tmp_path, compact=True)
    assert (tmp_path / "model.safetensors").stat().st_size < 1_000_000  # the backbone alone has 11 million numbers
    again, frames = load(tmp_path), torch.rand(2, 3, 64, 64)
    torch.testing.assert_close(again.phi(frames), small.phi(frames))
    a, b = again(frames, "first"), small(frames, "first")
    assert torch.nn.functional.cosine_similarity(a.features, b.features).min() > 0.999


def test_a_changed_backbone_comes_back_closely(tmp_path: Path, imagenet: dict[str, torch.Tensor]) -> None:
    tuned = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False).eval()
    tuned.load_state_dict({name: value * 1.01 if value.ndim > 1 else value for name, value in imagenet.items()}, False)
    tuned.save_pretrained(tmp_path, compact=True)
    again, frames = load(tmp_path), torch.rand(2, 3, 64, 64)
    torch.testing.assert_close(again.phi(frames), tuned.phi(frames), rtol=1e-3, atol=1e-3)


def test_steps_without_their_size_are_refused(tmp_path: Path, imagenet: dict[str, torch.Tensor]) -> None:
    from actor_observer.model.pretrained import write_pretrained

    write_pretrained(tmp_path, {"backbone": "resnet18"}, {"heads.x.steps": torch.zeros(2, 2, dtype=torch.int8)})
    with pytest.raises(UserError, match="do not fit"):
        load(tmp_path)
