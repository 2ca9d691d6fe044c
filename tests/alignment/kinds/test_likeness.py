"""Likeness as evidence: partners stand out at their offset."""

import numpy as np
import pytest

from actor_observer.alignment.kinds.likeness import Likeness
from actor_observer.alignment.recordings.lags import lag_grid
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.pairs.manifest import View
from made_motion import made_motion, recording_of


def walk(seed: int = 0, count: int = 240) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 8)).cumsum(axis=0)


def take(view: View, features: np.ndarray) -> TakeEmbedding:
    return TakeEmbedding(view, (np.arange(len(features)) + 0.5) / 6, features)


def told(third: np.ndarray, first: np.ndarray, phi: bool = True) -> dict[str, float] | None:
    """The best offset by each channel."""
    takes = take("third", third), take("first", first)
    lengths = len(third) / 6, len(first) / 6
    lags = lag_grid(*lengths, 15.0)
    both = recording_of(made_motion(lengths[0], 5), "third"), recording_of(made_motion(lengths[1], 5), "first")
    found = Likeness(takes, takes if phi else None).lags(*both, lags)
    if found is None:
        return None
    assert found.middles.tolist() == [lengths[1] / 2]
    return {name: float(lags.offsets[scores().sum(axis=0).argmax()]) for name, scores in found.channels}


@pytest.mark.parametrize("start", [0, 30, 84])
def test_partners_stand_out_at_their_offset(start: int) -> None:
    best = told(walk(), walk()[start : start + 150])
    assert best is not None
    assert best["likeness"] == pytest.approx(start / 6, abs=0.1)
    assert best["features"] == pytest.approx(start / 6, abs=0.2)


def test_without_features_the_embeddings_speak_alone() -> None:
    best = told(walk(), walk()[30:180], phi=False)
    assert best is not None and set(best) == {"likeness"}


def test_a_take_that_is_near_everything_moves_nothing() -> None:
    """Distances are judged against their row's and column's mean: a dull moment is like every other."""
    third, first = walk(), walk()[48:198].copy()
    first[60:70] = third.mean(axis=0)
    best = told(third, first)
    assert best is not None and best["likeness"] == pytest.approx(8.0, abs=0.1)


def test_too_few_moments_score_nothing() -> None:
    takes = take("third", walk(count=1)), take("first", walk(count=1))
    lags = lag_grid(0.2, 0.2, 15.0)
    both = recording_of(made_motion(1, 5), "third"), recording_of(made_motion(1, 5), "first")
    found = Likeness(takes, takes).lags(*both, lags)
    assert found is not None and not any(scores().any() for _, scores in found.channels)
