"""The figures of a curve: rivals take the lead, one moment that fits is not all of them, nothing says nothing."""

import numpy as np
import pytest
from numpy.typing import NDArray

from actor_observer.alignment.belief import believe
from actor_observer.alignment.curve import Curve, add_up
from actor_observer.alignment.figures import figures_of
from actor_observer.alignment.recordings.lags import chunk_middles, lag_grid

LENGTHS = (40.0, 32.0)
LAGS = lag_grid(*LENGTHS, 15.0)
NOISE = np.random.default_rng(0).normal(0, 0.5, (8, LAGS.count))


def hill(at: float, height: float) -> NDArray[np.float64]:
    return height * np.exp(-0.5 * ((LAGS.offsets - at) / 0.15) ** 2)


def curve_of(chunks: NDArray[np.float64]) -> Curve:
    middles = chunk_middles(LENGTHS[1])
    return add_up({"moves": chunks}, (), middles, LAGS, LENGTHS, {"moves": "motion"}, same_speed=True)


def test_one_rival_shares_the_belief_and_many_take_the_lead() -> None:
    """Activity that repeats once fits twice: how sure it is of either is for the belief to say, not for the lead."""
    places = {"alone": (3.0,), "rival": (3.0, 6.0), "many": (3.0, -3.0, 0.0, 6.0, 9.0, 12.0)}
    curves = {name: curve_of(NOISE + sum(hill(at, 4.0) for at in some)) for name, some in places.items()}
    ahead = {name: figures_of(curve).ahead for name, curve in curves.items()}
    assert ahead["rival"] > 0.6 * ahead["alone"] and ahead["many"] < 0.2 * ahead["alone"]
    assert believe(curves["alone"], tells=0.95).confidence == pytest.approx(0.95, abs=0.01)
    assert believe(curves["rival"], tells=0.95).confidence < 0.9


def test_what_one_half_finds_holds_in_the_other_if_it_is_more_than_chance() -> None:
    found, chance = figures_of(curve_of(NOISE + hill(3.0, 2.0))), figures_of(curve_of(NOISE))
    assert found.holds > 4 and found.stands > 4
    assert chance.stands > 2 and chance.holds < 1.5  # some offset is the best; the other half knows nothing of it


@pytest.mark.parametrize("times", [0.2, 5.0])
def test_the_lead_is_in_spreads_whatever_the_weights(times: float) -> None:
    chunks = NOISE + hill(3.0, 4.0)
    assert figures_of(curve_of(times * chunks)).ahead == pytest.approx(figures_of(curve_of(chunks)).ahead, rel=0.05)


def test_one_moment_that_fits_is_not_all_of_them() -> None:
    all_parts, one_part = NOISE + hill(3.0, 2.0), NOISE.copy()
    one_part[4] += hill(3.0, 16.0)  # as much in the sum
    whole, moment = figures_of(curve_of(all_parts)), figures_of(curve_of(one_part))
    assert whole.weakest > 1 and moment.weakest < 0.5
    assert moment.ahead == pytest.approx(whole.ahead, rel=0.2)


def test_parts_that_are_not_shared_do_not_count() -> None:
    chunks = NOISE + hill(-12.0, 4.0)  # the other recording's first 12 seconds are before the one begins
    chunks[:3] = NOISE[:3] - hill(-12.0, 4.0)
    found = figures_of(curve_of(chunks))
    assert found.weakest > 1


def test_a_drift_is_followed() -> None:
    lengths = (1300.0, 1200.0)
    lags, middles = lag_grid(*lengths, 15.0, max_offset=60.0), chunk_middles(1200.0)
    moved = 5.0 + 300e-6 * (middles - middles.mean())  # by a third of a second from start to end
    chunks = 6.0 * np.exp(-0.5 * ((lags.offsets - moved[:, None]) / 0.05) ** 2)
    curve = add_up({"moves": chunks}, (), middles, lags, lengths, {"moves": "motion"})
    found = figures_of(curve)
    assert found.weakest > 4 and found.holds > 4


def test_nothing_at_all_says_nothing() -> None:
    found = figures_of(curve_of(np.zeros((8, LAGS.count))))
    assert found.ahead == 0 and found.weakest == 0 and found.stands == 0 and found.holds == 0
