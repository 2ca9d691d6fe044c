"""Published checkpoints, old and new; and a stranger's file that tries to run something."""

import os
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.model.backbones.mobilenet import MobileNetV2
from actor_observer.model.backbones.published_weights import read_checkpoint
from actor_observer.model.backbones.resnet import ResNet
from actor_observer.model.backbones.vgg import VGG16
from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet


def light(network: torch.nn.Module, prefix: str = "", drop: str = "num_batches_tracked") -> dict[str, Tensor]:
    """A state_dict of the right shapes that is small on disk: each tensor is one number, repeated."""
    return {
        prefix + name: torch.full((1,), 0.001 * place, dtype=torch.float32).expand(tensor.shape)
        for place, (name, tensor) in enumerate(network.state_dict().items())
        if drop not in name
    }


@pytest.mark.parametrize("new_format", [False, True])
def test_the_charades_resnet152_loads(tmp_path: Path, new_format: bool) -> None:
    with torch.device("meta"):
        shapes = ResNet("resnet152", classes=157)
    tensors = light(shapes, "module.")
    content = {"state_dict": tensors, "epoch": 7, "arch": "resnet152", "best_mAP": np.float64(0.22)}
    torch.save(content, tmp_path / "model.pth.tar", _use_new_zipfile_serialization=new_format)
    network = load(tmp_path / "model.pth.tar")
    assert network.config.backbone == "resnet152"
    assert network.config.labels[:2] == ("c000", "c001")
    assert network.classifier is not None
    assert torch.equal(network.classifier.weight, tensors["module.fc.weight"])
    assert network.classifier.weight.shape == (157, 2048)
    assert torch.equal(network.backbone.state_dict()["conv1.weight"], tensors["module.conv1.weight"])
    assert torch.equal(
        network.backbone.state_dict()["layer3.35.bn3.running_var"], tensors["module.layer3.35.bn3.running_var"]
    )


class Python2Pickler(pickle._Pickler):  # type: ignore[misc, name-defined]
    """Strings as Python 2 wrote them: bytes of no known encoding."""

    dispatch: ClassVar[dict[type, object]] = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]

    def save_string(self, text: str | bytes) -> None:
        raw = text.encode("latin1") if isinstance(text, str) else text
        self.write(pickle.SHORT_BINSTRING + bytes([len(raw)]) + raw)
        self.memoize(text)

    dispatch[str] = dispatch[bytes] = save_string


def test_a_checkpoint_of_python_2_loads(tmp_path: Path) -> None:
    with torch.device("meta"):
        shapes = ResNet("resnet18", classes=3)
    tensors = light(shapes, "module.")
    content = {"state_dict": tensors, "best": np.float64(np.pi)}
    python2 = SimpleNamespace(
        __name__="python2", Pickler=Python2Pickler, dump=lambda o, file, protocol: Python2Pickler(file, 2).dump(o)
    )
    torch.save(content, tmp_path / "old.pth.tar", pickle_module=python2, _use_new_zipfile_serialization=False)
    network = load(tmp_path / "old.pth.tar")
    assert torch.equal(network.backbone.state_dict()["conv1.weight"], tensors["module.conv1.weight"])


@pytest.mark.parametrize("numbers", [(0, 3, 6), (1, 4, 6)])
def test_the_charades_vgg16_loads(tmp_path: Path, numbers: tuple[int, int, int]) -> None:
    with torch.device("meta"):
        shapes = VGG16(classes=157)
    places = dict(zip((0, 3, 6), numbers, strict=True))
    tensors = {}
    for name, tensor in light(shapes).items():
        part, number, rest = name.split(".")
        new = f"features.module.{number}.{rest}" if part == "features" else f"{part}.{places[int(number)]}.{rest}"
        tensors[new] = tensor
    torch.save({"state_dict": tensors}, tmp_path / "vgg.pth.tar", _use_new_zipfile_serialization=False)
    network = ActorObserverNet.from_published(tmp_path / "vgg.pth.tar", NetworkConfig(heads="shared"))
    assert (network.config.backbone, network.config.heads) == ("vgg16", "shared")
    assert network.classifier is not None
    assert torch.equal(network.classifier.weight, tensors[f"classifier.{numbers[2]}.weight"])
    assert torch.equal(network.backbone.state_dict()["features.28.bias"], tensors["features.module.28.bias"])
    assert torch.equal(network.backbone.state_dict()["classifier.3.bias"], tensors[f"classifier.{numbers[1]}.bias"])


def test_the_network_scores_as_the_published_one_did(tmp_path: Path) -> None:
    published = MobileNetV2(classes=9).eval()
    torch.save(published.state_dict(), tmp_path / "bare.pth")
    network, frames = load(tmp_path / "bare.pth"), torch.rand(2, 3, 64, 64)
    torch.testing.assert_close(network.classify(network(frames, "third").features), published.logits(frames))


class Exploit:
    """Unpickling this runs a command: here, one that leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch '{self.mark}'",)


@pytest.mark.parametrize("form", ["zip", "legacy", "pickle"])
def test_a_malicious_pickle_runs_nothing(tmp_path: Path, form: str) -> None:
    mark, path = tmp_path / "mark", tmp_path / "gift.pth.tar"
    content = {"state_dict": {"conv1.weight": torch.zeros(1)}, "epoch": Exploit(mark)}
    if form == "pickle":
        path.write_bytes(pickle.dumps(content))
    else:
        torch.save(content, path, _use_new_zipfile_serialization=form == "zip")

    if form == "pickle":
        pickle.loads(path.read_bytes())
    else:
        torch.load(path, weights_only=False)
    assert mark.exists(), "the exploit must be a real one"
    mark.unlink()

    for read in (load, ActorObserverNet.from_published, read_checkpoint):
        with pytest.raises(UserError, match=r"gift\.pth\.tar: refused.* nothing in it was run") as caught:
            read(path)
        assert "\n" not in str(caught.value)
        assert not mark.exists()
    with pytest.raises(UserError, match="not a whole safetensors file"):
        ActorObserverNet.from_pretrained(path)
    assert not mark.exists()


def test_what_is_no_checkpoint_is_one_line(tmp_path: Path) -> None:
    with torch.device("meta"):
        resnet = ResNet("resnet18", classes=5)
    complaints = {
        "there is no state_dict": {"state_dict": 3},
        "neither a ResNet": {"state_dict": {"encoder.weight": torch.zeros(2)}},
        "class scores": {name: value for name, value in light(resnet).items() if "fc" not in name},
        "do not fit resnet18": {**light(resnet), "conv1.weight": torch.zeros(2, 2)},
    }
    for complaint, content in complaints.items():
        torch.save(content, tmp_path / "model.pth")
        with pytest.raises(UserError, match=complaint) as caught:
            load(tmp_path / "model.pth")
        assert "\n" not in str(caught.value)
    torch.save(light(resnet), tmp_path / "model.pth")
    with pytest.raises(UserError, match="leave the projection out"):
        ActorObserverNet.from_published(tmp_path / "model.pth", NetworkConfig(projection="shared"))
    with pytest.raises(UserError, match="do not fit"):
        ActorObserverNet.from_published(tmp_path / "model.pth", NetworkConfig(labels=("a", "b")))
    (tmp_path / "model.pth").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(UserError, match="not a readable checkpoint"):
        load(tmp_path / "model.pth")
