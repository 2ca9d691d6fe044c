"""A backbone whose launches are recorded: the same numbers, whatever the batch. Most of it needs a GPU."""

import numpy as np
import pytest
import torch

from actor_observer.features.extract import CHUNK, cuts
from actor_observer.features.passes.replay import MOST, STEP, Replayed
from actor_observer.features.running import precision_of, runner
from actor_observer.model import create_backbone
from actor_observer.model.backbones.backbone import Backbone, Normalise
from actor_observer.model.backbones.fold import for_inference

on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


class Mean(Backbone):
    """φ is the mean colour."""

    plain = True

    def __init__(self) -> None:
        super().__init__(3, Normalise())
        self.calls = 0

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return frames.float().mean(dim=(2, 3))


class Waits(Mean):
    """Looks at a number of its own on the way, as models of other libraries may."""

    plain = False

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        assert frames.float().max().item() >= 0
        return super().forward(frames)


def frames_of(count: int, height: int = 8, device: str = "cpu") -> torch.Tensor:
    return torch.randint(0, 256, (count, 3, height, 12), dtype=torch.uint8, device=device)


@pytest.mark.filterwarnings("ignore:CUDA is not available")
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=on_gpu)])
def test_what_cannot_be_recorded_is_run_every_time(device: str) -> None:
    backbone, frames = Waits().to(device), frames_of(5, device=device)
    run = Replayed(backbone)
    for _ in range(4):
        torch.testing.assert_close(run(frames), frames.float().mean(dim=(2, 3)))
    assert backbone.calls == 4


def test_a_gpu_is_asked_for_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the CPU in its place: whatever runs there runs under autocast, and what comes out is of full precision."""
    asked, usual = [], torch.autocast

    def on_cpu(device: str, dtype: torch.dtype, **more: bool) -> torch.autocast:
        asked.append((device, dtype))
        return usual("cpu", dtype, **more)

    monkeypatch.setattr(torch, "autocast", on_cpu)
    layer = torch.nn.Linear(3, 4)

    class Layer(Waits):
        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            found = layer(super().forward(frames) / 255)
            assert found.dtype == torch.bfloat16
            return found

    run = runner(Layer(), torch.device("cuda"))
    assert isinstance(run, Replayed) and run(frames_of(5)).dtype == torch.float32
    assert asked == [("cuda", torch.bfloat16)] and precision_of("cuda") == "bfloat16"


def test_our_own_backbones_are_recorded() -> None:
    assert all(create_backbone(name, pretrained=False).plain for name in ("resnet18", "mobilenet_v2", "vgg16"))


@on_gpu
def test_a_batch_is_recorded_the_second_time_and_replayed_from_then_on() -> None:
    backbone = Mean()
    run = Replayed(backbone.cuda())
    for _ in range(6):
        frames = frames_of(16, device="cuda")
        torch.testing.assert_close(run(frames), frames.float().mean(dim=(2, 3)))
    assert backbone.calls == 2  # once launched, once recorded


@on_gpu
def test_batches_of_nearly_the_same_size_share_a_recording() -> None:
    backbone = Mean()
    run = Replayed(backbone.cuda())
    for count in (16, 15, 13, 14, 16, 13):
        frames = frames_of(count, device="cuda")
        torch.testing.assert_close(run(frames), frames.float().mean(dim=(2, 3)))
    assert backbone.calls == 2


def test_chunks_that_end_at_keyframes_a_second_apart_need_no_filling() -> None:
    looks = np.repeat(np.arange(60), 6)  # which keyframe each is decoded from
    assert {its.stop - its.start for its in cuts(len(looks), looks, CHUNK)} == {60}
    assert 60 % STEP == 0 and CHUNK % STEP == 0 and MOST >= 4 * CHUNK // STEP


@on_gpu
def test_many_sizes_of_frames_are_all_right() -> None:
    run = Replayed(Mean().cuda())
    for _ in range(3):
        for height in range(4, 4 + 2 * MOST):
            frames = frames_of(8, height, device="cuda")
            torch.testing.assert_close(run(frames), frames.float().mean(dim=(2, 3)))


@on_gpu
def test_a_real_backbone_says_the_same_recorded() -> None:
    fast = for_inference(create_backbone("resnet18", pretrained=False), "cuda")
    run, frames = Replayed(fast), frames_of(16, 64, device="cuda").contiguous(memory_format=torch.channels_last)
    first = run(frames).clone()
    run(frames_of(16, 64, device="cuda"))
    torch.testing.assert_close(run(frames), first)
