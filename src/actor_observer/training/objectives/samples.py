"""The frames of a training step: what the plan asks for, and what a reader brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.model.backbones.clip import Clip
from actor_observer.sampling.rows import Rows

__all__ = ["Asked", "BatchPart", "clips_of", "nothing_asked"]


@dataclass(frozen=True)
class Asked(Rows):
    """Frames asked for: V of them for each item (three of a triplet, both views' moments of a pair, one labelled)."""

    take: NDArray[np.int64]  # (N, V) number of the take in the material
    time: NDArray[np.float64]  # (N, V) seconds
    mark: NDArray[np.int64]  # (N,) number of the pair, or of the class


@dataclass(frozen=True)
class BatchPart:
    """One part of a step, ready for the network. Times are those of the frames that were found."""

    paired: Asked
    frames: Tensor  # (N, V, 3, H, W), clips (N, V, F, 3, H, W), or φ (N, V, D)
    labelled: Asked
    labelled_frames: Tensor  # (M, 3, H, W), clips (M, F, 3, H, W), or φ (M, D)


def clips_of(asked: Asked, clip: Clip) -> Asked:
    """The frames of the clips around what is asked for, (N, V·F): each clip's one after the other.

    >>> one = Asked(np.array([[7]]), np.array([[3.0]]), np.array([0]))
    >>> clips_of(one, Clip(2, rate=2.0)).time.tolist(), clips_of(one, Clip()) is one
    ([[2.75, 3.25]], True)
    """
    if not clip.moving:
        return asked
    times = clip.around(asked.time)  # (N, V, F)
    return Asked(np.repeat(asked.take, clip.frames, axis=1), times.reshape(len(times), -1), asked.mark)


def nothing_asked(frames: int) -> Asked:
    """An empty request, for items of this many frames.

    >>> nothing_asked(3).take.shape
    (0, 3)
    """
    return Asked(np.zeros((0, frames), np.int64), np.zeros((0, frames)), np.zeros(0, np.int64))
