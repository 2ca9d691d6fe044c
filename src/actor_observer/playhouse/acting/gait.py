"""Gait: what walking does to the whole body, beside the legs: steps are felt in the head and swing the arms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from actor_observer.playhouse.acting.performance import Tracks

__all__ = ["add_gait"]

STRIDE = 1.3  # metres of two steps, of a person of average height


def add_gait(tracks: Tracks, gait: float, scale: float, side: float) -> Tracks:
    """The tracks with bob, sway, nod and arm swing; `gait` is a factor on all of them, around one."""
    turn, force = 2 * np.pi * tracks.walked / (STRIDE * scale), gait * np.clip(tracks.speed, 0.0, 1.0)
    bob = force * (0.020 * np.cos(2 * turn) - 0.006 * np.cos(4 * turn))
    swing = 0.17 * force * np.sin(turn) * side  # the arm goes against the leg of its side
    free = 1.0 - tracks.grips  # hands that carry something stay with it
    hands = tracks.hands.copy()
    hands[:, 0, 1] += swing * free[:, 0]
    hands[:, 1, 1] -= swing * free[:, 1]
    hands[..., 2] += bob[:, None]
    root = tracks.root.copy()
    root[:, 0] += 0.018 * force * np.sin(turn) * np.cos(root[:, 2])
    root[:, 1] += 0.018 * force * np.sin(turn) * np.sin(root[:, 2])
    nod = 0.014 * force * np.cos(2 * turn + 0.6)
    return replace(tracks, hands=hands, root=root, rise=tracks.rise + bob, nod=tracks.nod + nod)
