"""Backbones that see clips: what a moment's φ is, however the video is cut into pieces."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import actor_observer as ao
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look
from actor_observer.features.models import frozen_network
from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.features.passes.clips import clips_for
from actor_observer.features.running import phi_at
from actor_observer.frames.at import frames_at
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.clip import Clip
from actor_observer.pairs.manifest import Take
from tiny import number_of, write_video

LOOK = Look(3.0, 48, "whole")


class Numbers(Backbone):
    """φ of a time step is the numbers that its frames show."""

    def __init__(self, clip: Clip) -> None:
        super().__init__(clip.step)
        self.clip = clip
        self.shown: list[list[int]] = []
        self.register_parameter("unused", torch.nn.Parameter(torch.zeros(1)))

    def forward(self, frames: Tensor) -> Tensor:
        assert frames.ndim == 5 and frames.shape[1] == self.clip.frames
        numbers = torch.tensor([[float(number_of(frame)) for frame in clip] for clip in frames])
        self.shown += numbers.int().tolist()
        return numbers.unflatten(1, (self.clip.steps, -1))  # (B, S, step)


def phi_of(backbone: Backbone, take: Take, look: Look = LOOK) -> np.ndarray:
    [(_, found)] = extract(backbone, [take], look)
    assert isinstance(found, TakeEmbedding), found
    return np.asarray(found.features)


def take_of(folder: Path, frames: int, fps: int = 8) -> Take:
    return Take("a", "third", write_video(folder / f"{frames}.mp4", frames, fps), frames / fps)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[[Clip], Numbers]:
    """A backbone whose every clip is remembered: it is not copied to be made fast."""
    for module in ("extract", "running"):
        monkeypatch.setattr(
            sys.modules[f"actor_observer.features.{module}"], "for_inference", lambda backbone, _: backbone
        )
    return Numbers


def test_a_moment_is_read_between_the_two_time_steps_around_it(
    tmp_path: Path, shown: Callable[[Clip], Numbers]
) -> None:
    """Frame n is on screen around (n + ½)/8 seconds: what is read at t is 8·t − ½, if nothing is mixed up."""
    backbone, take = shown(Clip(8, rate=8.0, steps=8)), take_of(tmp_path, 40)
    phi = phi_of(backbone, take)[:, 0]
    times = (np.arange(15) + 0.5) / 3
    np.testing.assert_allclose(phi, times * 8 - 0.5, atol=1e-4)
    starts = [clip[0] for clip in backbone.shown]
    assert starts == [0, 4, 8, 12, 16, 20, 24, 28, 32]  # they overlap by half, and none is padded


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_a_video_shorter_than_a_clip_is_filled_up_with_its_last_frame(
    frames: int, tmp_path: Path, shown: Callable[[Clip], Numbers]
) -> None:
    backbone = shown(Clip(8, rate=8.0, steps=4))
    assert phi_of(backbone, take_of(tmp_path, frames)).shape[1] == 2
    assert backbone.shown == [[*range(frames), *[frames - 1] * (8 - frames)]]


@pytest.mark.parametrize("name", ["VJEPA2", "VideoMAE", "Timesformer", "Vivit"])
def test_chunked_is_whole(name: str, hf_networks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = frozen_network(f"hf:{hf_networks(name)}")
    take, look = take_of(tmp_path, 88), Look.of_network(network.config, 3.0)
    whole = phi_of(network.backbone, take, look)
    monkeypatch.setattr("actor_observer.features.passes.clips.MOST", 1)
    assert len(list(clips_for(network.backbone.clip, 11.0, np.arange(33) / 3))) > 3
    np.testing.assert_allclose(phi_of(network.backbone, take, look), whole, atol=1e-5)
    # a few moments alone, as a query has them
    read, some = (lambda times: frames_at(take, times, look.decode_size)), np.array([4, 5, 29])
    found = phi_at(network.backbone, look, read, (some + 0.5) / 3, take.length, "cpu")
    np.testing.assert_allclose(found, whole[some], atol=1e-5)


def test_a_frame_that_stays_on_screen_is_decoded_once_and_seen_as_often_as_it_is_shown(
    tmp_path: Path, shown: Callable[[Clip], Numbers]
) -> None:
    backbone = shown(Clip(8, rate=4.0, steps=4))
    phi_of(backbone, take_of(tmp_path, 6, fps=1))
    every = [frame for frame in range(6) for _ in range(4)]
    assert backbone.shown == [every[start : start + 8] for start in (0, 4, 8, 12, 16)]


def test_cache_and_fingerprint_know_the_clip(tmp_path: Path) -> None:
    four, eight = Numbers(Clip(4, rate=8.0, steps=2)), Numbers(Clip(4, rate=4.0, steps=2))
    assert weights_hash(four) != weights_hash(eight)
    take = take_of(tmp_path, 16)
    for backbone in (four, eight, four):
        FeatureCache(tmp_path / "kept").features("numbers", backbone, [take], LOOK)
    assert len(list((tmp_path / "kept").glob("*.safetensors"))) == 2


def test_the_backbone_of_ones_own_in_the_docs_sees_videos(videos: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from actor_observer.model.backbones import registry

    monkeypatch.setattr(registry, "BACKBONES", dict(registry.BACKBONES))
    page = (Path(__file__).parents[3] / "docs" / "model.md").read_text()
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "class Changes" in block)
    assert len(code.strip().splitlines()) <= 30
    told: dict[str, Any] = {}
    exec(code, told)
    seen = ao.see(told["network"], videos[0], "third", look_rate=3.0, device="cpu")
    assert seen.features.shape == (18, 16) and seen.features.std(axis=0).max() > 1e-3
