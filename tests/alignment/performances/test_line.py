"""Offset and rate of two recordings of one thing come out, and nonsense gives no peak."""

import numpy as np
import pytest

from actor_observer.alignment.performances.line import fit_line
from actor_observer.alignment.performances.moment_matrix import match_moments
from actor_observer.features import TakeEmbedding


def take(view: str, offset: float, rate: float, seconds: float, seed: int = 0, noise: float = 0.0) -> TakeEmbedding:
    """A recording of one walk through feature space; its own time t shows walk time offset + rate·t."""
    rng = np.random.default_rng(seed)
    knots = rng.normal(size=(200, 12))
    times = (np.arange(round(seconds * 6)) + 0.5) / 6
    at = offset + rate * times + 50
    low = at.astype(int)
    features = knots[low] + (at - low)[:, None] * (knots[low + 1] - knots[low])
    features = features + noise * np.random.default_rng(len(view) + 100).normal(size=features.shape)
    return TakeEmbedding("third" if view == "third" else "first", times, features)


@pytest.mark.parametrize("offset", [-8.0, -2.3, 0.0, 5.1, 8.0])
@pytest.mark.parametrize("rate", [0.9, 1.0, 1.07])
def test_offset_and_rate_come_out(offset: float, rate: float) -> None:
    third, first = take("third", 0, 1, 40), take("first", offset, rate, 33, noise=0.3)
    line = fit_line(match_moments(third, first))
    assert abs(line.offset - offset) < 0.25
    assert abs(line.rate - rate) < 0.012


def test_a_short_clip_is_found_anywhere_in_a_long_recording() -> None:
    for offset in (3.0, 60.0, 118.0):
        line = fit_line(match_moments(take("third", 0, 1, 140), take("first", offset, 1.05, 20, noise=0.3)))
        assert abs(line.offset - offset) < 0.3


@pytest.mark.parametrize(("learned", "seeds"), [(True, (0, 1, 3, 5)), (False, (0, 1, 2, 3, 4, 5))])
def test_motion_alone_tells_the_offset(learned: bool, seeds: tuple[int, ...]) -> None:
    """Against embeddings that know nothing where it is clear; against mere frozen features in any case."""
    for seed in seeds:
        third, first = moving_at_once(seed)
        evidence = match_moments(third, first, (third, first), learned=learned)
        assert abs(fit_line(evidence).offset - 5.0) < 0.5


def moving_at_once(seed: int) -> tuple[TakeEmbedding, TakeEmbedding]:
    """Two walks that have only in common when they are fast; the second recording starts 5 s later."""
    rng = np.random.default_rng(seed)
    busy = np.repeat(rng.uniform(0.05, 1.0, 60), 6)  # how much moves in each second
    walks = [np.cumsum(rng.normal(size=(360, 16)) * busy[:, None], axis=0) for _ in range(2)]  # nothing else in common
    times = (np.arange(240) + 0.5) / 6
    return TakeEmbedding("third", times, walks[0][60:300]), TakeEmbedding("first", times, walks[1][90:330])


def test_what_one_walk_shares_stands_out_and_strangers_do_not() -> None:
    together = fit_line(match_moments(take("third", 0, 1, 30), take("first", 3, 1, 30)))
    apart = [fit_line(match_moments(take("third", 0, 1, 30), take("first", 3, 1, 30, seed=s))).peak for s in (1, 2, 3)]
    assert together.peak > max(apart) + 2


def test_very_short_takes_have_a_line_too() -> None:
    line = fit_line(match_moments(take("third", 0, 1, 0.5), take("first", 0, 1, 0.3)))
    assert np.isfinite([line.offset, line.rate, line.peak]).all()
