"""Motion is measured once for each recording, wherever it lies, and again where the file is damaged or gone."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.features.on_disk import kept_motion as module
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.frames.at import frames_at
from actor_observer.frames.glimpses import Glimpses
from actor_observer.frames.motion import Motion, motion_of_take
from actor_observer.pairs.manifest import Take
from tiny import write_video


@pytest.fixture
def take(tmp_path: Path) -> Take:
    return Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)


def same(one: Motion, other: Motion) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("times", "whole", "cells"))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What was measured, in order."""
    found: list[Path] = []

    def counted(take: Take, part: Callable[[float], object], glimpses: Glimpses | None) -> Motion:
        found.append(take.path)
        return motion_of_take(take, part, glimpses)

    monkeypatch.setattr(module, "motion_of_take", counted)
    return found


def test_it_is_measured_once_and_again_when_damaged(take: Take, tmp_path: Path, calls: list[Path]) -> None:
    made = kept_motion(take, tmp_path / "cache")
    assert same(made, kept_motion(take, tmp_path / "cache")) and len(calls) == 1
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    assert same(made, kept_motion(take, tmp_path / "cache")) and len(calls) == 2


def test_a_cache_that_cannot_be_written_is_no_fault_and_it_is_still_measured_once(
    take: Take, tmp_path: Path, calls: list[Path]
) -> None:
    (tmp_path / "file").write_text("no folder")
    made = kept_motion(take, tmp_path / "file")
    assert len(made.times) and kept_motion(take, tmp_path / "file") is made and len(calls) == 1


def test_frames_in_colour_are_kept_on_the_way(take: Take, tmp_path: Path) -> None:
    times = np.array([0.0, 0.31, 0.32, take.length / 2, take.length - 0.01])
    glimpses = Glimpses(times, 24)
    assert glimpses.frames() is None
    kept_motion(take, tmp_path / "cache", glimpses=glimpses)
    found = glimpses.frames()
    assert found is not None and torch.equal(found, frames_at(take, times, 24))
    again = Glimpses(times, 24)
    kept_motion(take, tmp_path / "cache", glimpses=again)  # from the cache: nothing is decoded
    assert again.frames() is None
