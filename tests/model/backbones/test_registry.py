"""The registry, and one clear line when weights cannot be had."""

import hashlib
from io import BytesIO
from pathlib import Path

import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.model.backbones import registry
from actor_observer.model.backbones.registry import BACKBONES, WEIGHTS, create_backbone, imagenet_weights


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No weights in the cache, and no server to get them from."""
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    monkeypatch.setattr(registry, "SERVER", "http://127.0.0.1:9/")
    (tmp_path / "checkpoints").mkdir()
    return tmp_path / "checkpoints"


def test_every_backbone_has_weights_and_says_how_wide_it_is() -> None:
    assert BACKBONES.keys() == WEIGHTS.keys()
    with torch.device("meta"):
        sizes = {name: create_backbone(name, pretrained=False).feature_size for name in BACKBONES}
    assert sizes["resnet18"] == sizes["resnet34"] == 512
    assert sizes["resnet50"] == sizes["resnet101"] == sizes["resnet152"] == 2048
    assert (sizes["vgg16"], sizes["mobilenet_v2"]) == (4096, 1280)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"no backbone 'alexnet'; there are resnet18, .*hf:NAME"):
        create_backbone("alexnet")


@pytest.mark.usefixtures("empty_cache")
def test_without_network_and_cache_one_line_says_what_to_do() -> None:
    with pytest.raises(UserError, match=r"resnet18-f37072fd\.pth into .*checkpoints") as caught:
        create_backbone("resnet18")
    assert "\n" not in str(caught.value)


def test_a_broken_file_in_the_cache_is_named(empty_cache: Path) -> None:
    (empty_cache / WEIGHTS["resnet18"]).write_bytes(b"cut short")
    with pytest.raises(UserError, match=r"resnet18-f37072fd\.pth cannot be read .*: delete it"):
        imagenet_weights("resnet18")


def test_weights_load_without_their_head_and_a_flipped_bit_is_noticed(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = BACKBONES["mobilenet_v2"](classes=1000)
    file = BytesIO()
    torch.save(full.state_dict(), file)
    content = file.getvalue()
    monkeypatch.setitem(WEIGHTS, "mobilenet_v2", f"mobilenet_v2-{hashlib.sha256(content).hexdigest()[:8]}.pth")
    (empty_cache / WEIGHTS["mobilenet_v2"]).write_bytes(content)
    backbone = create_backbone("mobilenet_v2")
    assert torch.equal(backbone.features[0][0].weight, full.features[0][0].weight)
    assert not [name for name in backbone.state_dict() if name.startswith("classifier")]
    (empty_cache / WEIGHTS["mobilenet_v2"]).write_bytes(content[:-9000] + bytes([content[-9000] ^ 1]) + content[-8999:])
    with pytest.raises(UserError, match=r"damaged: not what its name says\): delete it"):
        create_backbone("mobilenet_v2")


def test_a_download_says_so_beside_the_answer(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Torch prints where it downloads to; a program reads the answer."""
    monkeypatch.setattr("torch.hub.download_url_to_file", lambda url, path, *_, **__: torch.save({}, path))
    assert imagenet_weights("resnet18") == {}
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "resnet18" in printed.err
