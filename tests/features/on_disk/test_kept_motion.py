"""Motion is measured once for each recording, wherever it lies, and again where the file is damaged or gone."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from actor_observer.features.on_disk import kept_motion as module
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.frames.motion import Motion, motion_of_take
from actor_observer.pairs.manifest import Take
from tiny import write_video


@pytest.fixture
def take(tmp_path: Path) -> Take:
    return Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)


def same(one: Motion, other: Motion) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("times", "whole", "cells"))


def test_it_is_measured_once_and_again_when_damaged(
    take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Path] = []

    def counted(take: Take, part: Callable[[float], object]) -> Motion:
        calls.append(take.path)
        return motion_of_take(take, part)

    monkeypatch.setattr(module, "motion_of_take", counted)
    made = kept_motion(take, tmp_path / "cache")
    assert same(made, kept_motion(take, tmp_path / "cache")) and len(calls) == 1
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    assert same(made, kept_motion(take, tmp_path / "cache")) and len(calls) == 2


def test_a_cache_that_cannot_be_written_is_no_fault(take: Take, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert len(kept_motion(take, tmp_path / "file").times)
