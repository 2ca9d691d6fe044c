"""Networks that see clips, trained: from frames on disk and in memory, and on after a kill as if nothing had been."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from actor_observer import load
from actor_observer.model.backbones.clip import Clip
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.pairs import read_manifest
from actor_observer.training import train
from actor_observer.training.batches.readers import FrameReader, MemoryReader
from actor_observer.training.loop import Loop
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.ranks import Ranks
from tiny import number_of
from training.small import log_of, paper, quick

CLIP = Clip(4, rate=4.0, steps=2)


def test_a_clip_is_around_its_time_and_cropped_as_one(data: Path) -> None:
    recipe = paper("jitter=none", "crops.third_scale=1,1", "crops.first_scale=1,1", "crops.ratio=2,2", "crops.flip=0")
    planner = Planner(recipe, choose_material(recipe, read_manifest(data)), Ranks(), np.full(99, 2.0))
    for kind in (FrameReader, MemoryReader):
        ((_, (part,)),) = kind(planner, CLIP).steps(1, 2)
        assert part.frames.shape == (4, 3, 4, 3, 32, 32) and part.labelled_frames.shape == (4, 4, 3, 32, 32)
        for times, clips in zip(part.paired.time, part.frames, strict=True):
            for time, clip in zip(times, clips, strict=True):
                around = (CLIP.around(np.array(time)) * 4 + 1e-6).astype(int).clip(0, 51)
                assert np.abs([number_of(frame * 255) for frame in clip] - around).max() <= 1


def trained(backbone: str, data: Path, out: Path, *settings: str) -> list[Any]:
    usual = ("init=imagenet", "epochs=2", "batch=4", "anchor_rate=0.125", "save_minutes=0")
    recipe = paper(f"network.backbone={backbone}", *usual, *settings)
    train(recipe, data, out, cache=data / "cache", device="cpu", quiet=True)
    return [[line.get(key) for key in ("step", "loss", "lr", "validation")] for line in log_of(out)]


def test_a_trained_one_goes_on_bit_for_bit(
    data: Path, hf_networks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backbone = f"hf:{hf_networks('VideoMAE')}"
    whole = trained(backbone, data, tmp_path / "whole")
    step = Loop._one

    def killed(self: Loop, module: torch.nn.Module, number: int, parts: list[Any], lr: float) -> dict[str, Tensor]:
        if number == 3:
            raise MemoryError
        return step(self, module, number, parts, lr)

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(Loop, "_one", killed)
        trained(backbone, data, tmp_path / "cut")
    assert trained(backbone, data, tmp_path / "cut") == whole
    first, second = (load(tmp_path / name).state_dict() for name in ("whole", "cut"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    start = load(tmp_path / "whole").backbone.state_dict()
    before = create_backbone(backbone).state_dict()
    assert any(not torch.equal(start[name], before[name]) for name in before)  # it has learned


def test_heads_learn_on_the_features_of_clips(data: Path, hf_networks: Any, tmp_path: Path) -> None:
    recipe = quick(f"network.backbone=hf:{hf_networks('VJEPA2')}", "init=imagenet", "epochs=2")
    train(recipe, data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)
    assert all(np.isfinite(line["loss"]) for line in log_of(tmp_path / "run") if "loss" in line)
    assert load(tmp_path / "run").backbone.clip.frames == 4
