"""What is read off one curve of evidence: the edge of what is considered, error bars, what is usual, rivals."""

import math
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from actor_observer.alignment.belief import believe
from actor_observer.alignment.curve import Curve, add_up
from actor_observer.alignment.figures import NEAR
from actor_observer.alignment.recordings.lags import Lags, chunk_middles, lag_grid

LAGS = Lags(-100, 301, 10.0)  # -10 to 20 s


def hill(at: float, height: float, wide: float = 0.15, lags: Lags = LAGS) -> NDArray[np.float64]:
    return height * np.exp(-0.5 * ((lags.offsets - at) / wide) ** 2)


def curve_of(chunks: NDArray[np.float64], lags: Lags = LAGS, lengths: tuple[float, float] = (20.0, 10.0)) -> Curve:
    middles = chunk_middles(lengths[1])[: len(chunks)] if len(chunks) > 1 else np.array([lengths[1] / 2])
    return add_up({"moves": chunks}, (), middles, lags, lengths, {"moves": "motion"})


@pytest.mark.parametrize("at", [LAGS.offsets[0], LAGS.offsets[-1]])
def test_at_the_edge_of_what_is_considered_nothing_is_sure_unless_somebody_set_the_edge(at: float) -> None:
    found = believe(curve_of(hill(at, 60.0)[None]), tells=0.99)
    assert found.candidates[0].share > 0.9 and found.edge and found.confidence == 0.5
    bounded = Lags(LAGS.start, LAGS.count, LAGS.per_second, bounded=True)
    found = believe(curve_of(hill(at, 60.0)[None], bounded), tells=0.99)
    assert not found.edge and found.confidence > 0.9


def test_the_error_of_the_offset_is_that_of_a_mean_over_independent_parts() -> None:
    lengths = (40.0, 30.0)
    lags, middles = lag_grid(*lengths, 15.0), chunk_middles(30.0)
    groups = np.array_split(np.arange(len(middles)), 4)
    moved, chunks = np.array([-0.15, -0.05, 0.05, 0.15]), np.zeros((len(middles), lags.count))
    for shift, group in zip(moved, groups, strict=True):
        chunks[group] = np.maximum(-0.5 * ((lags.offsets - 5.0 - shift) / 0.2) ** 2, -60) * 4 / len(group)
    found = believe(curve_of(chunks, lags, lengths), tells=0.9)
    assert found.offset == pytest.approx(5.0, abs=0.02)
    assert found.jumps == pytest.approx(np.std(moved, ddof=1) / math.sqrt(4), rel=0.1)


@pytest.mark.parametrize("lengths", [(40.0, 10.0), (10.0, 40.0)])
def test_how_far_apart_two_recordings_usually_are_is_a_share_of_the_longer_one(lengths: tuple[float, float]) -> None:
    lags = Lags(-450, 901, 10.0)
    usual = curve_of(np.zeros((1, lags.count)), lags, lengths).usual()[0]
    at = lags.offsets + (lengths[1] - lengths[0]) / 2  # between the two middles
    assert at[usual.argmax()] == pytest.approx(0.0, abs=0.05)
    sigma = 0.35 * 40.0
    assert usual.max() - usual[np.abs(at - sigma).argmin()] == pytest.approx(0.5, abs=0.01)


def test_rivals_are_told_with_their_shares_and_lie_apart() -> None:
    two = np.logaddexp(hill(2.0, 40.0) + math.log(0.9), hill(9.0, 40.0) + math.log(0.1))
    best, other, *_ = believe(curve_of(two[None]), tells=1.0).candidates
    assert best.offset == pytest.approx(2.0, abs=0.05) and other.offset == pytest.approx(9.0, abs=0.05)
    assert 0.03 < other.share < 0.2 and best.share + other.share == pytest.approx(1.0, abs=0.01)
    broad = believe(curve_of(hill(3.0, 6.0, wide=1.5)[None]), tells=1.0).candidates
    assert len(broad) == 3
    assert min(abs(a.offset - b.offset) for a, b in combinations(broad, 2)) >= 2 * NEAR - 0.11


def test_what_has_hardly_a_share_is_no_rival() -> None:
    sure = believe(curve_of(hill(2.0, 60.0)[None]), tells=0.9999)
    assert len(sure.candidates) == 1 and sure.confidence > 0.99
