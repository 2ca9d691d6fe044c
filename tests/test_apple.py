"""The package on a device that can no more than an Apple GPU (`apple.py`): its answers are those of the CPU.

No such GPU was at hand: that these pass says that nothing is asked for that torch lacks there, not that it works.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import actor_observer as ao
from actor_observer.cli import main
from actor_observer.features.look import Look
from actor_observer.features.see import see
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.device import best_device
from actor_observer.model.losses.cycle import CycleConsistency
from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.order import Order
from actor_observer.model.losses.shared_takes import SharedTakes
from actor_observer.model.losses.soft_dtw import SoftDTW
from actor_observer.pairs import Clock, Pair
from actor_observer.training import recipe_named, train, with_settings
from apple import apple, has_kernel
from asked import small_network
from same_scene import plain_network, write_scene
from tiny import write_charades_ego
from training.small import NETWORK, log_of, paper, quick

FRAMES = torch.randint(256, (12, 3, 32, 48), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
E2E = [*NETWORK, "batch=4", "moments=4", "decode=36", "epochs=1", "look_rate=1", "workers=0", "labelled_apart="]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_charades_ego(tmp_path_factory.mktemp("data"), train=6, test=1, seconds=12, fps=2)


@pytest.fixture
def done() -> Iterator[Any]:
    """How often each operator was run on the device."""
    with apple() as counts:
        yield counts


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        (lambda: torch.ones(2, device="mps").double(), "doesn't support float64"),
        (lambda: torch.ones(2, dtype=torch.float64).to("mps"), "doesn't support float64"),
        (lambda: torch.tensor(np.zeros(2), device="mps"), "doesn't support float64"),
        (lambda: torch.ones(2, device="mps").sum(dtype=torch.float64), "doesn't support float64"),
        (lambda: torch.ones(2, device="mps") + torch.ones(2), "on the same device"),
        (lambda: torch.ones(2, device="mps").numpy(), "convert mps:0 device type tensor to numpy"),
        (lambda: np.asarray(torch.ones(2, device="mps")), "convert mps:0 device type tensor to numpy"),
        (lambda: torch.linalg.eigvals(torch.eye(2, device="mps")), "not currently implemented for the MPS"),
        (lambda: torch.rand(2, device="mps", generator=torch.Generator()), "device type for generator"),
        (lambda: torch.ones(2, device="mps", pin_memory=True), "pin"),
    ],
)
def test_the_device_refuses_what_apples_does(done: Any, asked: Callable[[], Any], refused: str) -> None:
    with pytest.raises((TypeError, RuntimeError), match=refused):  # NotImplementedError is a RuntimeError
        asked()


def test_it_does_the_rest_and_torch_says_what_that_is(done: Any) -> None:
    layer = torch.nn.Linear(3, 4).to("mps")
    layer(torch.ones(2, 3, device="mps")).square().sum().backward()
    assert layer.weight.grad is not None and layer.weight.grad.device.type == best_device("mps") == "mps"
    numbers = torch.arange(4.0, device="mps")
    numbers[1], numbers[torch.tensor([2])] = 7, 8
    assert numbers.tolist() == [0, 7, 8, 3] and numbers.cpu().double().sum() == 18
    assert has_kernel("aten.convolution.default") and not has_kernel("aten._linalg_eigh.default")


@pytest.fixture(scope="module")
def looked() -> ActorObserverNet:
    return small_network()


def asked_for_more(look: Look, frames: Tensor) -> Tensor:
    return frames.double()


def test_one_double_on_the_way_fails(looked: ActorObserverNet, done: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Look, "of", asked_for_more)
    with pytest.raises(TypeError, match="doesn't support float64"):
        see(looked, FRAMES, "first", 3.0, 6.0, "mps")


def test_videos_are_seen_named_indexed_found_and_explained(
    looked: ActorObserverNet, videos: list[Path], tmp_path: Path
) -> None:
    def answers(device: str) -> list[Any]:
        where: dict[str, Any] = {"model": looked, "device": device}
        ao.index(videos, tmp_path / device, "first", **where)
        ao.embed(videos[:1], tmp_path / f"{device}.safetensors", "first", **where)
        ao.explain(f"{videos[0]}@2", tmp_path / f"explained-{device}", "first", **where)
        hits = ao.search(tmp_path / device, f"{videos[1]}@3", view="third", **where).hits
        ao.select(videos[0], "first", **where)
        named = ao.recognise(videos[0], "first", **where)
        seen = see(looked, FRAMES, "first", 3.0, 6.0, device)
        return [seen.features, named.scores, [hit.distance for hit in hits]]

    ours = answers("cpu")
    with apple() as done:
        theirs = answers("mps")
    assert done["convolution"] > 100
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5)


def test_two_videos_are_put_in_step(tmp_path: Path) -> None:
    room = write_scene(tmp_path / "room.mp4", 14, 8)
    head = write_scene(tmp_path / "head.mp4", 10, 8, start=3.0, tint=0.3)
    network = plain_network()
    with apple() as done:
        found = ao.align(room, head, model=network, look_rate=3.0, device="mps")
    assert done["convolution"] and found.offset == pytest.approx(3.0, abs=0.5)


@pytest.mark.parametrize("name", ["VideoMAE", "Dinov2"])
def test_networks_of_others_see_clips_and_pictures(name: str, hf_networks: Any, done: Any) -> None:
    network = ActorObserverNet(NetworkConfig(f"hf:{hf_networks(name)}", size=32, unit_length=True))
    theirs = see(network, FRAMES, "first", 3.0, 6.0, "mps").features
    assert done["native_layer_norm"] or done["layer_norm"]
    np.testing.assert_allclose(theirs, see(network, FRAMES, "first", 3.0, 6.0, "cpu").features, atol=1e-5)


RECIPES = {
    "heads on kept features": quick(
        "epochs=1", "batch=2", "network.naming=views", "network.placing=1", "network.naming_hidden=8"
    ),
    "triplets": paper("epochs=1", "size=16", "decode=20"),
    "end to end": with_settings(recipe_named("end-to-end"), [*E2E, "crops.style=0.5", "optimiser.anchor=0.1"]),
}


@pytest.mark.parametrize("name", RECIPES)
def test_it_learns_the_same(name: str, data: Path, tmp_path: Path) -> None:
    def losses(device: str) -> list[float]:
        run = train(RECIPES[name], data, tmp_path / device, cache=tmp_path, device=device, quiet=True)
        return [line["loss"] for line in log_of(run) if "loss" in line]

    with apple() as done:
        theirs = losses("mps")
    assert any(operator.endswith("_backward") for operator in done)
    if name != "end to end":  # its noise is the device's own
        np.testing.assert_allclose(theirs, losses("cpu"), rtol=1e-4)


SHARED = [Pair(f"{third}F", third, "F", Clock(((0.0, 5.0), (10.0, 15.0)))) for third in ("T1", "T2")]
LOSSES = {
    "contrast": SoftInfoNCE(0.5, 0.1, within=0.5),
    "contrast of pairs that share a take": SoftInfoNCE(0.5, 0.1, shared=SharedTakes.of(SHARED)),
    "cycle": CycleConsistency(moments=4),
    "soft-dtw": SoftDTW(moments=4),
    "order": Order(moments=4),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_their_gradients_are_the_same(name: str, done: Any) -> None:
    frames, times = torch.nn.functional.normalize(torch.rand(2, 8, 6), dim=2), torch.rand(2, 8) * 10
    pair = torch.arange(8) // 4
    found = []
    for device in ("cpu", "mps"):
        third, first = (side.clone().to(device).requires_grad_() for side in frames)
        loss = LOSSES[name].to(device)(third, first, *times.to(device), pair.to(device), pair.to(device))
        loss.backward()
        found.append([loss.item(), *(side.grad.cpu().detach() for side in (third, first))])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-6)


def test_an_operator_that_is_not_there_is_one_line(
    hf_networks: Any, data: Path, tmp_path: Path, done: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = [*E2E, "network.projection_hidden=0", f"network.backbone=hf:{hf_networks('Siglip2')}", "init=imagenet"]
    settings = [setting for setting in settings if setting not in NETWORK[:2]]
    told = ["--data", str(data), "--out", str(tmp_path / "run"), "--cache", str(tmp_path), "--device", "mps"]
    with pytest.raises(SystemExit):
        main(["train", "end-to-end", *told, "--set", *settings])
    said = capsys.readouterr().err.strip().splitlines()
    assert said[-1].endswith(
        "the device mps lacks aten::_upsample_bilinear2d_aa_backward: "
        "set PYTORCH_ENABLE_MPS_FALLBACK=1 (the CPU does it, slower), or --device cpu"
    )
