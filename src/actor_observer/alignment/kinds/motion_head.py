"""A small learned head on motion: what moves where, in both views, as vectors that follow each other in step.

It learned from rendered performances (scripts/train_motion_head.py), whose pictures look like no real ones; but motion
has no textures. Its correlation over lags is one more channel of evidence beside the untrained ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from actor_observer.alignment.evidence import LagScores, on_lags
from actor_observer.alignment.kinds.treatments import resampled, standardised
from actor_observer.alignment.lags import Array, Lags, chunk_middles, correlate, lag_grid
from actor_observer.alignment.recording import Recording
from actor_observer.errors import UserError
from actor_observer.frames.motion import CELLS, GRID, WHOLE, Motion
from actor_observer.model.pretrained import BOX

__all__ = ["HEAD_RATE", "LearnedMotion", "MotionHead", "head_scores", "load_head", "take_inputs"]

HEAD_RATE = 15.0  # samples a second
LONGEST = 9000.0  # seconds of both recordings: beyond, the vectors would fill the memory
FILE = "motion.safetensors"
INPUTS = len(CELLS) * GRID + len(WHOLE) - 1  # light is left out
_SIGNED = ("right", "down")


@dataclass(frozen=True, eq=False)
class LearnedMotion:
    """What moves where, as the head learned it."""

    head: MotionHead
    name: str = "learned motion"

    def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores | None:
        if third.length + first.length > LONGEST or third.motion.still or first.motion.still:
            return None
        own = lag_grid(third.length, first.length, HEAD_RATE)

        def scores() -> Array:
            return on_lags(head_scores(self.head, third.motion, first.motion, own), own, lags)

        return LagScores([(self.name, scores)], chunk_middles(first.length))


class MotionHead(nn.Module):
    """Dilated convolutions over time, one stack for each view: (B, 103, T) to vectors of (B, 24, T).

    >>> head = MotionHead(width=8, size=4)
    >>> head(torch.zeros(2, INPUTS, 30), "third").shape
    torch.Size([2, 4, 30])
    """

    def __init__(self, width: int = 64, size: int = 24) -> None:
        super().__init__()
        self.views = nn.ModuleDict({view: _stack(width, size) for view in ("third", "first")})

    def forward(self, inputs: Tensor, view: str) -> Tensor:
        vectors = self.views[view](inputs)
        vectors = vectors - vectors.mean(dim=2, keepdim=True)  # what a take has all the time says nothing about when
        return vectors / (vectors.square().mean(dim=(1, 2), keepdim=True) + 1e-6).sqrt()


def _stack(width: int, size: int) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv1d(INPUTS, width, 1), nn.GELU()]
    for dilation in (1, 2, 4):
        layers += [nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation), nn.GELU(), nn.Dropout(0.1)]
    return nn.Sequential(*layers, nn.Conv1d(width, size, 1))


def take_inputs(moved: Motion) -> NDArray[np.float32]:
    """A take's motion as the head sees it, (103, T) at 15 samples a second: logarithms, standardised over the take.

    >>> still = Motion(np.arange(30) / 15, np.zeros((30, 8), np.float32), np.zeros((30, 4, 24), np.float16), 2.0)
    >>> take_inputs(still).shape
    (103, 30)
    """
    rows = []
    for place, name in enumerate(CELLS):
        values = moved.cells[:, place].astype(np.float32)  # (T, 24)
        level = float(np.abs(values).mean()) + 1e-6
        values = np.arcsinh(values / level) if name in _SIGNED else np.log(np.maximum(values, 0) + 0.1 * level)
        rows += [_row(moved, column) for column in values.T]
    for place, name in enumerate(WHOLE):
        if name != "light":
            values = np.maximum(moved.whole[:, place], 0)
            rows.append(_row(moved, np.log(values + 0.1 * float(values.mean()) + 1e-6)))
    return np.stack(rows).astype(np.float32)


def _row(moved: Motion, values: NDArray[np.float32]) -> Array:
    return np.clip(standardised(resampled(moved.times, values, moved.length, HEAD_RATE)), -5, 5)


@torch.no_grad()
def head_scores(head: MotionHead, third: Motion, first: Motion, lags: Lags) -> Array:
    """The learned score at every lag, (C, L): the correlations of all dimensions added up."""
    inputs = take_inputs(third), take_inputs(first)  # (103, T) each
    if not inputs[0].any() or not inputs[1].any():
        return np.zeros((len(chunk_middles(first.length)), lags.count))  # nothing moves
    vectors = [
        head(torch.from_numpy(one)[None], view)[0].double().numpy()  # (D, T)
        for view, one in zip(("third", "first"), inputs, strict=True)
    ]
    total = sum(correlate(a, b, lags) for a, b in zip(*vectors, strict=True))
    return np.asarray(total / np.sqrt(len(vectors[0])))


@lru_cache(maxsize=1)
def load_head(folder: Path = BOX) -> MotionHead | None:
    """The head that comes with the package; None where there is none."""
    path = folder / FILE
    if not path.is_file():
        return None
    head = MotionHead()
    try:
        head.load_state_dict(safetensors.torch.load_file(path))
    except (OSError, RuntimeError, safetensors.SafetensorError) as error:
        raise UserError(f"{path}: not a motion head ({str(error).splitlines()[0]})") from error
    return head.eval()
