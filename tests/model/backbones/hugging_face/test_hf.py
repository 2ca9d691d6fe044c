"""Backbones of other libraries: used where they are installed, one clear line where they are not."""

import json
import shutil
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch.nn import functional

from actor_observer.errors import UserError
from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.hugging_face.hf_load import hf_backbone
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet


@pytest.mark.parametrize(
    ("name", "library", "needed"),
    [("hf:some/model", "transformers", "the extra `hf`"), ("timm:vit", "timm", "timm")],
)
def test_a_missing_library_is_named(name: str, library: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UserError, match=f"{name} needs {needed}"):
        create_backbone(name)


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


def test_what_looks_at_something_else_than_frames_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transformers = pytest.importorskip("transformers")
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    transformers.BertModel(transformers.BertConfig(**small, vocab_size=30)).save_pretrained(tmp_path / "model")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match=r"cannot be had as a vision model: .*(input_ids|pixel_values)"):
        create_backbone(f"hf:{tmp_path / 'model'}")


def test_a_transformers_model_embeds_frames_of_any_size(tiny_vit: Path) -> None:
    backbone = create_backbone(f"hf:{tiny_vit}").eval()
    assert backbone.feature_size == 16
    assert backbone.normalise.mean.flatten().tolist() == pytest.approx([0.4] * 3)
    assert backbone(torch.randint(256, (2, 3, 48, 64), dtype=torch.uint8)).shape == (2, 16)


@pytest.mark.parametrize("kind", ["ConvNext", "ResNet"])
def test_convolutional_networks_give_a_vector_a_frame(kind: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    settings = {"hidden_sizes": [4, 8, 12, 16], "depths": [1, 1, 1, 1]}
    settings = settings if kind == "ConvNext" else {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}
    model = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**settings)).eval()
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


def write(folder: Path, **config: object) -> str:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    return f"hf:{folder}"


def test_what_cannot_be_opened_is_one_line(tiny_vit: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    pickled = tmp_path / "pickled"
    shutil.copytree(tiny_vit, pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    cut, pointer = (shutil.copytree(tiny_vit, tmp_path / name) / "model.safetensors" for name in ("cut", "pointer"))
    cut.write_bytes(cut.read_bytes()[:-100])
    pointer.write_text("version https://git-lfs.github.com/spec/v1\n")
    other = json.loads((tiny_vit / "config.json").read_text()) | {"intermediate_size": 12}
    (tiny_vit / "config.json").write_text(json.dumps(other))
    (tmp_path / "list").mkdir()
    (tmp_path / "list" / "config.json").write_text("[1]")
    asked = {
        f"hf:{tmp_path / 'empty'}": "there is no config.json in this folder",
        write(
            tmp_path / "own", model_type="mine", auto_map={"AutoModel": "code.Mine"}
        ): "code of its own, which is never",
        write(tmp_path / "new", model_type="of-2031"): "this transformers lacks it",
        write(
            tmp_path / "kernel", model_type="clip", vision_config={"_attn_implementation": "someone/kernel"}
        ): "code from the hub .someone/kernel., which is never run",
        f"hf:{pickled}": "pytorch_model.bin is not: a pickle can run code",
        f"hf:{cut.parent}": "a file of weights is damaged, or not all there",
        f"hf:{pointer.parent}": "fetch it again, with `git lfs pull` where it came with git",
        f"hf:{tiny_vit}": "the weights do not fit its config.json",
        f"hf:{tmp_path / 'list'}": "not a configuration",
        f"hf:{tmp_path / 'nowhere'}": "no such folder",
    }
    for name, why in asked.items():
        with pytest.raises(UserError, match=why) as caught:
            create_backbone(name)
        assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")  # transformers tells nothing beside it


@pytest.mark.parametrize("kept", ["", "layer.1."])
def test_a_network_whose_weights_are_in_no_file_is_not_filled_with_noise(tiny_vit: Path, kept: str) -> None:
    """Of all weights, or of one layer: transformers says so on the side, and goes on with random numbers."""
    settings = json.loads((tiny_vit / "config.json").read_text()) | {"num_hidden_layers": 2 if kept else 1}
    (tiny_vit / "config.json").write_text(json.dumps(settings))
    if not kept:
        save_file({"something.else": torch.zeros(3, 3)}, tiny_vit / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"of the \d+ weights that its config.json speaks of are in no file") as caught:
        create_backbone(f"hf:{tiny_vit}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "said", "why"),
    [
        ("preprocessor_config.json", {"size": "big"}, "preprocessor_config.json makes no sense .*'big'"),
        ("preprocessor_config.json", {"crop_size": {"side": 3}, "do_center_crop": True}, "makes no sense .*height"),
        ("preprocessor_config.json", {"image_mean": ["a"]}, "makes no sense"),
        ("model.safetensors.index.json", {"weight_map": {"a": "../../a"}}, "one of its files lacks 'metadata'"),
    ],
)
def test_a_file_that_makes_no_sense_is_named(tiny_vit: Path, file: str, said: dict[str, object], why: str) -> None:
    (tiny_vit / file).write_text(json.dumps(said))
    if file.endswith("index.json"):
        (tiny_vit / "model.safetensors").rename(tiny_vit / "other.safetensors")
    with pytest.raises(UserError, match=why) as caught:
        create_backbone(f"hf:{tiny_vit}")
    assert "\n" not in str(caught.value)


def test_networks_saved_before_processors_were_followed_give_the_same_numbers(tiny_vit: Path, tmp_path: Path) -> None:
    """As a run of that time has it: an architecture that says nothing of preparing, and frames of any size squeezed."""
    backbone = hf_backbone(str(tiny_vit), as_before=True).eval()
    assert backbone.architecture().keys() == {"config", "pooled", "mean", "std"}
    again = hf_backbone("gone", False, backbone.architecture()).eval()
    again.load_state_dict(backbone.state_dict())
    frames = torch.randint(256, (2, 3, 40, 56), dtype=torch.uint8)
    squeezed = functional.interpolate((frames / 255 - 0.4) / 0.2, (32, 32), mode="bilinear", antialias=True)
    expected = backbone.model(pixel_values=squeezed).pooler_output
    torch.testing.assert_close(again(frames), expected)
