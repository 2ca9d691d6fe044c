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
    head_scores,
    load_heads,
    take_inputs,
)
from actor_observer.alignment.lags import lag_grid
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


def test_scores_are_the_sum_of_all_dimensions() -> None:
    torch.manual_seed(0)
    head = MotionHead(width=8, gates=2, size=2).eval()
    third, first = made_motion(20, 15, salt=1), made_motion(14, 15, start=2, salt=2)
    lags = lag_grid(20, 14, HEAD_RATE)
    scores = head_scores(head, third, first, lags)
    assert scores.shape == (1, lags.count) and np.isfinite(scores).all()
    coarse = lag_grid(20, 14, 10.0)
    told = LearnedMotion(head).lags(recording_of(third, "third"), recording_of(first, "first"), coarse)
    assert told is not None
    [(name, told_scores)] = told.channels
    assert name == "learned motion" and told_scores().shape == (1, coarse.count)


def test_the_one_in_the_box_gives_finite_scores_even_of_odd_recordings() -> None:
    head = load_heads()
    if head is None:
        pytest.skip("no motion head in the box")
    short = made_motion(2, 10)
    scores = head_scores(head, short, made_motion(40, 30), lag_grid(2, 40, HEAD_RATE))
    assert np.isfinite(scores).all()
    still = Motion(short.times, np.zeros_like(short.whole), np.zeros_like(short.cells), 2.0)
    assert (
        LearnedMotion(head).lags(recording_of(still, "third"), recording_of(short, "first"), lag_grid(2, 2, 15)) is None
    )


def test_a_box_without_a_head_has_none_and_a_damaged_one_is_said(tmp_path: Path) -> None:
    assert load_heads(tmp_path / "empty") is None
    (tmp_path / FILE).write_bytes(b"no tensors")
    with pytest.raises(UserError, match="not the heads on motion"):
        load_heads(tmp_path)
