"""Which way things move tells recordings apart that move about as much at the same moments."""

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.kinds.signal_directions import DirectionEvidence, directions, flow_of
from actor_observer.alignment.recordings.lags import Lags, lag_grid
from actor_observer.alignment.recordings.recording import Recording, open_signal
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import CELLS, GRID, WHOLE
from actor_observer.signals import make_signal

RNG = np.random.default_rng(5)
RATE = 30.0


def turning(seconds: float, seed: int, columns: int = 4) -> NDArray[np.float64]:
    """How fast each of some joints turns, (T, K) at 100 a second: all move at the same moments, each its own way."""
    rng = np.random.default_rng([6, seed])
    count = round(100 * seconds)
    when = np.convolve(np.random.default_rng(7).random(count) < 0.01, np.hanning(60), "same") + 0.02
    ways = [np.convolve(rng.normal(size=count), np.hanning(25), "same") for _ in range(columns)]
    return np.stack(ways, axis=1) * when[:, None]


def joints(rates: NDArray[np.float64], start: float, end: float, name: str = "joint") -> Recording:
    place = np.cumsum(rates, axis=0)[round(100 * start) : round(100 * end)] / 100
    return open_signal(make_signal(np.arange(len(place)) / 100, {name: place}))


def camera(rates: NDArray[np.float64]) -> Recording:
    """A room camera in whose picture the joints move some cells, each a mixture of its own."""
    count = round(len(rates) / 100 * RATE)
    at: NDArray[np.float64] = (np.arange(count, dtype=np.float64) + 0.5) / RATE
    seen = np.stack([np.interp(at, np.arange(len(rates)) / 100, row) for row in rates.T])  # (K, T)
    cells = np.zeros((count, len(CELLS), GRID), np.float16)
    for way in ("right", "down"):
        cells[:, CELLS.index(way), 10:22] = (RNG.normal(size=(12, len(seen))) @ seen).T
    whole = np.abs(RNG.normal(5, 0.1, (count, len(WHOLE)))).astype(np.float32)  # amounts that say nothing
    found = Recording(np.zeros(0, np.uint8), "third", len(rates) / 100)
    found.__dict__["motion"] = Motion(at, whole, cells, len(rates) / 100)
    return found


def best(one: Recording, other: Recording) -> tuple[float, float]:
    """The offset at which directions agree best, and how far it stands out of all others a second away."""
    grid = lag_grid(one.length, other.length, RATE)
    found = DirectionEvidence().lags(one, other, grid)
    assert found is not None and len(found.channels) == 1
    score = found.channels[0][1]().sum(axis=0)
    top = grid.offsets[score.argmax()]
    return float(top), float(score.max() - score[np.abs(grid.offsets - top) > 1].max())


def test_a_room_camera_sees_which_way_joints_turn() -> None:
    rates = turning(30, 0)
    offset, lead = best(camera(rates), joints(rates, 6.0, 26.0))
    assert abs(offset - 6.0) < 0.06 and lead > 10


def test_moving_another_way_at_the_same_moments_is_no_agreement() -> None:
    own, strange = turning(40, 0), turning(40, 1)
    _, lead = best(joints(own, 0, 40), joints(own, 8, 32))
    _, none = best(joints(own, 0, 40), joints(strange, 8, 32))
    assert lead > 30 and none < 10


def test_columns_with_names_of_their_own_are_compared_together() -> None:
    rates = turning(40, 2)
    place = np.cumsum(rates, axis=0) / 100
    names = ("shoulder", "elbow", "wrist", "hand")
    named = make_signal(np.arange(len(place)) / 100, {name: place[:, n] for n, name in enumerate(names)})
    assert len(named.groups) == 4
    mixed = rates @ RNG.normal(size=(4, 3))
    sensor = open_signal(make_signal(np.arange(2000) / 100, {"gyro": mixed[1000:3000]}))
    offset, lead = best(open_signal(named), sensor)
    assert abs(offset - 10.0) < 0.06 and lead > 20


def test_how_it_was_mounted_is_forgotten_and_how_fast_it_moved() -> None:
    rows = turning(20, 3).T
    turned, _ = np.linalg.qr(RNG.normal(size=(4, 4)))
    alike = directions(rows) @ directions(turned @ rows).T / rows.shape[1]
    assert np.linalg.svd(alike)[1].mean() > 0.95
    spread = np.ptp(np.log(np.percentile(np.linalg.norm(rows, axis=0), [50, 95])))
    even = np.ptp(np.log(np.percentile(np.linalg.norm(directions(rows), axis=0), [50, 95])))
    assert even < 0.4 * spread


def test_a_gap_in_the_rows_says_nothing() -> None:
    rates = turning(40, 4)
    place = np.cumsum(rates, axis=0) / 100
    keep = (np.arange(4000) < 1500) | (np.arange(4000) > 2300)
    holed = open_signal(make_signal(np.arange(4000)[keep] / 100, {"joint": place[keep]}))
    offset, lead = best(camera(rates), holed)
    assert abs(offset) < 0.06 and lead > 10


def test_a_picture_in_which_nothing_moves_has_no_direction() -> None:
    still = Motion(np.arange(9) / 15, np.zeros((9, len(WHOLE)), np.float32), np.zeros((9, 6, GRID), np.float16), 0.6)
    assert not flow_of(still, "first").any() and not directions(flow_of(still, "third")).any()
    assert DirectionEvidence().lags(camera(turning(9, 0)), camera(turning(9, 0)), Lags(0, 9, RATE)) is None
