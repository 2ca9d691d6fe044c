"""The learned head on motion: what it sees does not depend on gain or frame rate; the one in the box finds bursts."""

from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.alignment.kinds.motion_head import (
    FILE,
    HEAD_RATE,
    LearnedMotion,
    MotionHead,
    MotionHeads,
    load_heads,
    motion_vectors,
    take_inputs,
)
from actor_observer.alignment.lags import correlate, lag_grid
from actor_observer.errors import UserError
from actor_observer.frames.motion import CELLS, GRID, Motion
from made_motion import made_motion, recording_of


def test_what_it_sees_has_no_units() -> None:
    moved = made_motion(12, 15)
    louder = Motion(moved.times, moved.whole * 7, (moved.cells * 3).astype(np.float16), moved.length)
    assert take_inputs(moved).shape == (len(CELLS), GRID, 12 * HEAD_RATE)
    assert np.abs(take_inputs(moved) - take_inputs(louder)).mean() < 0.01


def test_what_it_sees_is_alike_at_other_frame_rates() -> None:
    slow, fast = (take_inputs(made_motion(20, fps, noise=0.0)) for fps in (15, 30))
    assert np.corrcoef(slow.ravel(), fast.ravel())[0, 1] > 0.9


def test_vectors_have_no_mean_over_time_and_one_size() -> None:
    torch.manual_seed(0)
    vectors = MotionHead(width=8, gates=2, size=2).eval()(100 * torch.randn(3, len(CELLS), GRID, 50), "first")
    assert vectors.mean(dim=2).abs().max() < 1e-5
    assert torch.allclose(vectors.square().mean(dim=(1, 2)), torch.ones(3), atol=1e-3)


def test_scores_are_those_of_all_heads_vectors_which_are_kept_with_the_recording() -> None:
    torch.manual_seed(0)
    heads = MotionHeads(MotionHead(width=8, gates=2, size=2) for _ in range(2)).eval()
    third, first = made_motion(20, 15, salt=1), made_motion(14, 15, start=2, salt=2)
    lags = lag_grid(20, 14, HEAD_RATE)
    vectors = motion_vectors(heads, third, "third"), motion_vectors(heads, first, "first")
    assert [one.shape for one in vectors] == [(8, 300), (8, 210)]
    recordings = recording_of(third, "third"), recording_of(first, "first")
    told = LearnedMotion(heads).lags(*recordings, lags)
    assert told is not None
    [(name, scores)] = told.channels
    assert name == "learned motion"
    assert np.allclose(scores(), correlate(*vectors, lags), atol=1e-6)
    assert [one.vectors[heads].shape for one in recordings] == [(8, 300), (8, 210)]


def test_the_one_in_the_box_is_there_and_finite_even_of_odd_recordings() -> None:
    heads = load_heads()
    assert heads is not None and len(heads.heads) == 3
    short = made_motion(2, 10)
    assert np.isfinite(motion_vectors(heads, short, "third")).all()
    still = Motion(short.times, np.zeros_like(short.whole), np.zeros_like(short.cells), 2.0)
    assert not motion_vectors(heads, still, "third").any()
    recordings = recording_of(still, "third"), recording_of(short, "first")
    assert LearnedMotion(heads).lags(*recordings, lag_grid(2, 2, 15)) is None


def test_a_box_without_a_head_has_none_and_a_damaged_one_is_said(tmp_path: Path) -> None:
    assert load_heads(tmp_path / "empty") is None
    (tmp_path / FILE).write_bytes(b"no tensors")
    with pytest.raises(UserError, match="not motion heads"):
        load_heads(tmp_path)
