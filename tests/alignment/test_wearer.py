"""Who wears the camera: the one who moves as it does, whoever else is there; nobody where nothing tells."""

import numpy as np

from actor_observer.alignment.belief import Belief
from actor_observer.alignment.figures import Figures
from actor_observer.alignment.wearer import find_wearer, smoothed, where
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import COLUMNS, FINE, FINE_COLUMNS, FINE_ROWS, WHOLE
from actor_observer.pairs.manifest import View
from made_motion import made_motion, recording_of, room

SECONDS = 24.0


def belief(offset: float = 0.0) -> Belief:
    return Belief(offset, 1.0, 0.02, 0.01, 0.0, (), 0.99, Figures(9.0, 4.0, 4.0, 1.0, 5.0), 0.0, {})


def test_the_one_who_moves_as_the_camera_does_is_found() -> None:
    wearer, other = made_motion(SECONDS, 15, seed=1, salt=1), made_motion(SECONDS, 15, seed=2, salt=2)
    head = recording_of(made_motion(SECONDS, 15, seed=1, salt=3), "first")
    for at, away in ((1, 6), (6, 1)):
        third = recording_of(room({at: wearer, away: other}), "third")
        shares = where(third, head, belief()).reshape(-1, FINE_ROWS, COLUMNS, 2).sum(axis=(0, 1, 3))
        assert shares[max(0, at - 1) : at + 2].sum() > shares[max(0, away - 1) : away + 2].sum()


def test_boxes_lie_in_the_picture_and_in_time_and_shares_are_shares() -> None:
    moved = made_motion(SECONDS, 15, seed=1, salt=1)
    third, head = (
        recording_of(room({3: moved}), "third"),
        recording_of(made_motion(16, 15, start=4.0, seed=1, salt=3), "first"),
    )
    for place in find_wearer(third, head, belief(4.0)):
        left, top, right, bottom = place.box
        assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1
        assert 0 <= place.share <= 1 and 4.0 <= place.time <= 20.0


def test_nobody_is_pointed_at_where_nothing_moves_or_no_room_camera_looks() -> None:
    moved = made_motion(8, 15, salt=1)
    still = Motion(moved.times, np.zeros((len(moved.times), len(WHOLE)), np.float32), np.zeros_like(moved.cells), 8.0)
    head = recording_of(moved, "first")
    assert find_wearer(recording_of(still, "third"), head, belief()) == ()
    views: tuple[View, View] = ("third", "third")
    assert find_wearer(recording_of(moved, views[0]), recording_of(moved, views[1]), belief()) == ()


def test_of_two_people_in_mirror_image_movement_neither_is_surely_the_wearer() -> None:
    twin = made_motion(SECONDS, 15, seed=1, salt=1)
    head = recording_of(made_motion(SECONDS, 15, seed=1, salt=3), "first")
    shares = where(recording_of(room({1: twin, 6: twin}), "third"), head, belief()).reshape(-1, FINE_ROWS, FINE_COLUMNS)
    left, right = shares[:, :, :8].sum(axis=(1, 2)), shares[:, :, 8:].sum(axis=(1, 2))  # (K,)
    assert max(left.mean(), right.mean()) < 0.8


def test_people_do_not_jump() -> None:
    shares = np.full((9, FINE), 0.5 / (FINE - 1))
    shares[:, 20] = 0.5
    shares[4] = np.roll(shares[4], 17)  # one spell says elsewhere
    assert smoothed(shares).argmax(axis=1).tolist() == [20] * 9
