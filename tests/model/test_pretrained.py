"""A network on disk: all of it, whole or not at all, and one clear line for what is no network."""

import json
import os
import resource
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import safetensors.torch
import torch

from actor_observer.errors import UserError
from actor_observer.model import pretrained
from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.triplet import TripletStep


@pytest.fixture
def network() -> ActorObserverNet:
    """A network with a history: tables, running loss and balance have moved."""
    config = NetworkConfig(backbone="resnet18", labels=("sit", "stand"), videos=4, projection="per_view")
    network = ActorObserverNet(config, pretrained=False)
    videos = torch.tensor([[0, 1, 1], [2, 3, 3], [0, 1, 1]])
    TripletStep(network)(*torch.rand(3, 3, 512), videos)
    return network


def test_everything_comes_back(network: ActorObserverNet, tmp_path: Path) -> None:
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    network.save_pretrained(tmp_path / "run")
    for source in (tmp_path / "run", str(tmp_path / "run"), tmp_path / "run" / "model.safetensors"):
        again = load(source)
        assert again.config == network.config
        assert not again.training
        state = again.state_dict()
        assert state.keys() == network.state_dict().keys()
        assert all(torch.equal(value, state[name]) for name, value in network.state_dict().items())
    assert again.video_softmax.count.sum() == 9  # the training state is part of it
    assert again.running_loss.count.item() == 3
    assert again.balance.seen
    assert json.loads((tmp_path / "run" / "config.json").read_text())["labels"] == ["sit", "stand"]


def test_a_save_that_dies_leaves_the_old_network(
    network: ActorObserverNet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network.save_pretrained(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full_disk(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    torch.nn.init.zeros_(network.heads.heads[0].linear.weight)  # type: ignore[arg-type, union-attr]
    with pytest.raises(UserError, match=r"cannot be written \(No space left on device"):
        network.save_pretrained(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_save_that_dies_between_the_two_files_still_loads(
    network: ActorObserverNet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network.save_pretrained(tmp_path)
    other = ActorObserverNet(NetworkConfig(backbone="resnet18", videos=99), pretrained=False)
    whole = pretrained.write_whole

    def die_at_the_second(path: Path, content: bytes) -> None:
        if path.suffix == ".json":
            raise KeyboardInterrupt
        whole(path, content)

    monkeypatch.setattr(pretrained, "write_whole", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        other.save_pretrained(tmp_path)
    assert load(tmp_path).config == other.config


@pytest.mark.skipif(os.name != "posix", reason="modes are a posix matter")
def test_others_may_read_the_files_as_the_umask_says(network: ActorObserverNet, tmp_path: Path) -> None:
    network.save_pretrained(tmp_path)
    mask = os.umask(0)
    os.umask(mask)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o666 & ~mask}


def test_what_is_no_network_is_one_line(network: ActorObserverNet, tmp_path: Path) -> None:
    network.save_pretrained(tmp_path / "good")
    weights = (tmp_path / "good" / "model.safetensors").read_bytes()
    config = json.loads((tmp_path / "good" / "config.json").read_text())

    def complaint(name: str, content: bytes) -> str:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(content)
        with pytest.raises(UserError) as caught:
            load(folder)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def edited(**changes: object) -> bytes:
        text = json.dumps({**config, **changes})
        return safetensors.torch.save(network.state_dict(), {"config": text})

    assert "damaged, not as it was written" in complaint("cut", weights[: len(weights) // 2])
    assert "not a whole safetensors file" in complaint("empty", b"")
    assert "no readable configuration" in complaint("bare", safetensors.torch.save(network.state_dict()))
    assert "not a network of actor-observer" in complaint("other", edited(format="something else"))
    assert "do not fit" in complaint("newer", edited(setting_of_tomorrow=1))
    assert "do not fit" in complaint("smaller", edited(videos=2))
    assert "heads" in complaint("bad", edited(heads="both"))
    (tmp_path / "void").mkdir()
    with pytest.raises(UserError, match=r"there is no model.safetensors"):
        load(tmp_path / "void")


def test_a_hub_id_needs_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match="downloading hf:someone/network needs the extra `hf`"):
        load("hf:someone/network")


def test_a_mistyped_name_is_refused_without_asking_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "huggingface_hub", SimpleNamespace(hf_hub_download=lambda *_: pytest.fail("asked"))
    )
    with pytest.raises(UserError, match=r"run/first: no such file or folder \(a network on the hub is written hf:run/"):
        load("run/first")


def test_a_hub_id_is_downloaded_where_there_is_a_hub(
    network: ActorObserverNet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network.save_pretrained(tmp_path)
    hub = SimpleNamespace(hf_hub_download=lambda name, file: str(tmp_path / file))
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert load("hf:someone/network").config == network.config
    hub.hf_hub_download = lambda name, file: 1 / 0
    with pytest.raises(UserError, match="hf:someone/network: cannot be had from the hub"):
        load("hf:someone/network")


@pytest.mark.parametrize("huge", [{"projection_size": 10**7}, {"videos": 10**9}, {"projection_hidden": 10**12}])
def test_a_configuration_larger_than_its_file_is_refused_before_memory_is_taken(
    huge: dict[str, int], network: ActorObserverNet, tmp_path: Path
) -> None:
    network.save_pretrained(tmp_path)
    config, tensors = pretrained.read_pretrained(tmp_path)
    pretrained.write_pretrained(tmp_path, config | huge, tensors)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UserError, match=r"configuration and weights do not fit \(.* numbers, not "):
        load(tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10  # KiB


def test_a_flipped_bit_is_noticed(network: ActorObserverNet, tmp_path: Path) -> None:
    network.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(UserError, match="damaged"):
        load(tmp_path)


def test_a_nested_configuration_is_one_line(network: ActorObserverNet, tmp_path: Path) -> None:
    safetensors.torch.save_file({"a": torch.zeros(1)}, tmp_path / "model.safetensors", {"config": "[" * 100_000})
    with pytest.raises(UserError, match="no readable configuration"):
        load(tmp_path)
