"""Backbones of other libraries: used where they are installed, one clear line where they are not."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet, load


@pytest.mark.parametrize(
    ("name", "library", "needed"),
    [("hf:some/model", "transformers", "the extra `hf`"), ("timm:vit", "timm", "timm")],
)
def test_a_missing_library_is_named(name: str, library: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UserError, match=f"{name} needs {needed}"):
        create_backbone(name)


class FakeTimm(nn.Module):
    num_features = 5

    def __init__(self) -> None:
        super().__init__()
        self.pretrained_cfg = {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)}

    def forward(self, x: Tensor) -> Tensor:
        return x.mean(dim=(1, 2, 3), keepdim=False)[:, None].expand(-1, 5)


def test_timm_models_are_used_without_their_head(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def create_model(name: str, pretrained: bool, num_classes: int) -> nn.Module:
        asked.append((name, pretrained, num_classes))
        return FakeTimm()

    monkeypatch.setitem(sys.modules, "timm", SimpleNamespace(create_model=create_model))
    backbone = create_backbone("timm:tiny", pretrained=False)
    assert asked == [("tiny", False, 0)]
    torch.testing.assert_close(backbone(torch.ones(2, 3, 4, 4)), torch.ones(2, 5))


def test_timm_without_such_a_model_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "timm", SimpleNamespace(create_model=lambda *_, **__: 1 / 0))
    with pytest.raises(UserError, match="timm:tiny cannot be had: division by zero"):
        create_backbone("timm:tiny")


@pytest.fixture
def tiny_vit(tmp_path: Path) -> Path:
    """A transformers model on disk, with random weights."""
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, image_size=32, patch_size=16
    )
    transformers.ViTModel(config).save_pretrained(tmp_path / "vit")
    settings = {"image_mean": [0.4, 0.4, 0.4], "image_std": [0.2, 0.2, 0.2]}
    (tmp_path / "vit" / "preprocessor_config.json").write_text(json.dumps(settings))
    return tmp_path / "vit"


@pytest.mark.parametrize(("family", "why"), [("VideoMAE", "clips of 4 frames"), ("Bert", "input_ids")])
def test_what_looks_at_something_else_than_frames_is_refused_in_one_line(
    family: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transformers = pytest.importorskip("transformers")
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    own = {"image_size": 32, "num_frames": 4} if family == "VideoMAE" else {"vocab_size": 30}
    config = getattr(transformers, f"{family}Config")(**small, **own)
    getattr(transformers, f"{family}Model")(config).save_pretrained(tmp_path / "model")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match=f"cannot be had as a vision model: .*{why}"):
        create_backbone(f"hf:{tmp_path / 'model'}")


def test_a_transformers_model_embeds_frames_of_any_size(tiny_vit: Path) -> None:
    backbone = create_backbone(f"hf:{tiny_vit}").eval()
    assert backbone.feature_size == 16
    assert backbone.normalise.mean.flatten().tolist() == pytest.approx([0.4] * 3)
    assert backbone(torch.randint(256, (2, 3, 48, 64), dtype=torch.uint8)).shape == (2, 16)


SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
FAMILIES = {
    "CLIP": {"vision_config": {**SMALL, "image_size": 32, "patch_size": 16}, "text_config": {**SMALL, "vocab_size": 9}},
    "Siglip": {
        "vision_config": {**SMALL, "image_size": 32, "patch_size": 16},
        "text_config": {**SMALL, "vocab_size": 9},
    },
    "Dinov2": {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14},
    "ConvNext": {"hidden_sizes": [4, 8, 12, 16], "depths": [1, 1, 1, 1]},
    "ResNet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_models_of_all_kinds_give_a_vector_a_frame(family: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    model = getattr(transformers, f"{family}Model")(getattr(transformers, f"{family}Config")(**FAMILIES[family])).eval()
    model.save_pretrained(tmp_path / "model")
    backbone = create_backbone(f"hf:{tmp_path / 'model'}").eval()
    frames = torch.randint(256, (3, 3, 40, 56), dtype=torch.uint8)
    with torch.inference_mode():
        phi = backbone(frames)
        assert phi.shape == (3, backbone.feature_size) == (3, 16)
        torch.testing.assert_close(for_inference(backbone)(frames[1:2]), phi[1:2], rtol=1e-3, atol=1e-4)
    assert not torch.allclose(phi[0], phi[1])


def test_a_saved_network_needs_no_hub_for_its_backbone(tiny_vit: Path, tmp_path: Path) -> None:
    network = ActorObserverNet(NetworkConfig(backbone=f"hf:{tiny_vit}")).eval()
    network.save_pretrained(tmp_path / "saved")
    for file in tiny_vit.iterdir():
        file.unlink()
    again = ActorObserverNet.from_pretrained(tmp_path / "saved")
    frames = torch.rand(2, 3, 32, 32)
    torch.testing.assert_close(again(frames, "third").features, network(frames, "third").features)


def test_a_pooling_layer_that_a_checkpoint_lacks_is_not_made_of_noise(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, image_size=32, patch_size=16
    )
    model = transformers.ViTModel(config, add_pooling_layer=False).eval()
    model.save_pretrained(tmp_path / "vit")
    network = ActorObserverNet(NetworkConfig(backbone=f"hf:{tmp_path / 'vit'}")).eval()
    frames = torch.rand(2, 3, 32, 32)
    expected = model(pixel_values=(frames - 0.5) / 0.5).last_hidden_state[:, 0]
    torch.testing.assert_close(network(frames, "third").features, expected)
    network.save_pretrained(tmp_path / "saved")
    torch.testing.assert_close(load(tmp_path / "saved")(frames, "third").features, expected)


def test_an_unknown_transformers_model_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="cannot be had as a vision model") as caught:
        create_backbone(f"hf:{tmp_path / 'empty'}")
    assert "\n" not in str(caught.value)
