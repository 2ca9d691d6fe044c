"""One small place of a room camera's picture changes whenever the head camera moves, whatever happens elsewhere."""

import numpy as np
import pytest

from actor_observer.alignment.kinds.learned_motion import LONGEST_CELLS
from actor_observer.alignment.kinds.one_place import OnePlace, place_scores
from actor_observer.alignment.lags import chunk_middles, lag_grid
from actor_observer.frames.motion import Motion
from actor_observer.model.motion_heads import HEAD_RATE
from made_motion import made_motion, recording_of, room


@pytest.mark.parametrize("at", [0, 3, 7])
def test_the_place_is_found_among_people_who_do_other_things(at: int) -> None:
    others = {column: made_motion(40, 15, seed=5 + column) for column in range(8) if column != at}
    third = recording_of(room({at: made_motion(40, 15, seed=1, salt=1), **others}), "third")
    head = recording_of(made_motion(30, 15, start=6.0, seed=1, salt=2), "first")
    lags = lag_grid(40, 30, HEAD_RATE)
    found = OnePlace().lags(third, head, lags)
    assert found is not None
    told = found.channels[0][1]()
    assert told.shape == (len(chunk_middles(30)), lags.count)
    assert abs(float(lags.offsets[told.sum(axis=0).argmax()]) - 6.0) < 0.2


def test_chunks_add_up_to_the_whole_which_knows_no_scale() -> None:
    rng = np.random.default_rng(0)
    places, lags = rng.normal(size=(4, 300)), lag_grid(20.0, 10.0, 15.0)
    head = places[2, 60:210] + 0.5 * rng.normal(size=150)
    found, louder = place_scores(places, head, lags), place_scores(places, 7 * head, lags)
    assert np.allclose(found, louder) and found.shape == (8, lags.count)
    assert lags.offsets[found.sum(axis=0).argmax()] == pytest.approx(4.0)
    assert np.isfinite(place_scores(np.zeros((4, 300)), head, lags)).all()


def test_it_says_nothing_of_other_views_of_still_pictures_and_of_very_long_ones() -> None:
    moved = made_motion(8, 15)
    still = Motion(moved.times, np.zeros_like(moved.whole), np.zeros_like(moved.cells), 8.0)
    long = Motion(moved.times, moved.whole, moved.cells, LONGEST_CELLS)
    third, head, lags = recording_of(moved, "third"), recording_of(moved, "first"), lag_grid(8, 8, HEAD_RATE)
    assert OnePlace().lags(third, head, lags) is not None
    assert OnePlace().lags(third, third, lags) is None and OnePlace().lags(head, head, lags) is None
    assert OnePlace().lags(recording_of(still, "third"), head, lags) is None
    assert OnePlace().lags(recording_of(long, "third"), head, lags) is None
