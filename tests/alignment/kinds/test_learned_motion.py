"""Learned heads on motion: what they see has no units; those in the box find bursts, and know who moves."""

from pathlib import Path

import numpy as np
import pytest

from actor_observer.alignment.kinds.learned_motion import (
    FILE,
    Anybody,
    LearnedMotion,
    coarser,
    load_coarse_heads,
    load_heads,
    take_inputs,
    watch,
)
from actor_observer.alignment.recordings.lags import lag_grid
from actor_observer.errors import UserError
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import CELLS, COLUMNS, GRID, ROWS
from actor_observer.model.motion_heads import HEAD_RATE
from made_motion import made_motion, recording_of


def test_what_they_see_has_no_units() -> None:
    moved = made_motion(12, 15)
    louder = Motion(moved.times, moved.whole * 7, (moved.cells * 3).astype(np.float16), moved.length)
    assert take_inputs(moved).shape == (len(CELLS), GRID, 12 * HEAD_RATE)
    assert np.abs(take_inputs(moved) - take_inputs(louder)).mean() < 0.01


def test_what_they_see_is_alike_at_other_frame_rates() -> None:
    slow, fast = (take_inputs(made_motion(20, fps, noise=0.0)) for fps in (15, 30))
    assert np.corrcoef(slow.ravel(), fast.ravel())[0, 1] > 0.9


def test_a_coarser_grid_keeps_the_mean_and_where_things_are() -> None:
    inputs = np.zeros((len(CELLS), ROWS, COLUMNS, 2), np.float32)
    inputs[:, :3, :4] = 1.0  # the upper left quarter
    small = coarser(inputs.reshape(len(CELLS), GRID, 2)).reshape(len(CELLS), 4, 6, 2)
    assert small.mean() == pytest.approx(0.25) and small[:, :2, :3].min() == 1.0 and not small[:, 2:].any()


@pytest.mark.parametrize("views", [("third", "first"), ("third", "third"), ("first", "first")])
def test_the_heads_in_the_box_find_shared_bursts_for_every_pair_of_views(views: tuple[str, str]) -> None:
    one, other = made_motion(30, 15, salt=1), made_motion(24, 15, start=4.0, salt=2)
    both = recording_of(one, views[0]), recording_of(other, views[1])  # type: ignore[arg-type]
    lags = lag_grid(30, 24, HEAD_RATE)
    found = LearnedMotion().lags(*both, lags)
    assert found is not None
    best = {name: float(lags.offsets[scores().sum(axis=0).argmax()]) for name, scores in found.channels}
    assert set(best) == {"one person", "several people"}
    assert any(abs(offset - 4.0) < 0.3 for offset in best.values()), best
    anybody = Anybody().lags(*both, lags)
    assert (anybody is not None) == (views == ("third", "first"))


def test_what_they_make_of_a_recording_is_kept_with_it_and_finite_even_of_odd_ones() -> None:
    heads = load_heads()
    assert heads is not None and load_coarse_heads() is not None
    short = recording_of(made_motion(2, 10), "third")
    assert watch(heads, short) is watch(heads, short)
    assert all(bool(seen.cells.isfinite().all()) for seen in watch(heads, short))
    still = short.motion
    still = Motion(still.times, np.zeros_like(still.whole), np.zeros_like(still.cells), 2.0)
    both = recording_of(still, "third"), recording_of(made_motion(2, 10), "first")
    for kind in (LearnedMotion(), Anybody()):
        assert kind.lags(*both, lag_grid(2, 2, 15)) is None


def test_a_box_without_heads_has_none_and_damaged_ones_are_said(tmp_path: Path) -> None:
    assert load_heads(tmp_path / "empty") is None and load_coarse_heads(tmp_path / "empty") is None
    (tmp_path / FILE).write_bytes(b"no tensors")
    with pytest.raises(UserError, match="not motion heads"):
        load_coarse_heads(tmp_path)
