"""Small learned heads on motion: what moves where, in both views, as vectors that follow each other in step.

They learned from rendered performances (scripts/train_motion_head.py), whose pictures look like no real ones; but
motion has no textures. Their correlation over lags is one more channel of evidence beside the untrained ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu

from actor_observer.alignment.evidence import LagScores, on_lags
from actor_observer.alignment.lags import Array, Lags, chunk_middles, correlate, lag_grid
from actor_observer.alignment.recording import Recording
from actor_observer.errors import UserError
from actor_observer.frames.motion import AMOUNTS, CELLS, COLUMNS, GRID, ROWS, Motion
from actor_observer.model.box import read_beside
from actor_observer.model.pretrained import BOX
from actor_observer.pairs.manifest import View

__all__ = ["HEAD_RATE", "LearnedMotion", "MotionHead", "MotionHeads", "load_heads", "motion_vectors", "take_inputs"]

HEAD_RATE = 15.0  # samples a second
LONGEST = 9000.0  # seconds of both recordings: beyond, the vectors would fill the memory
PIECE = 1800  # samples that go through the network at once: its memory does not grow with the recording
FILE = "motion.safetensors"
SEEN = 2 * len(CELLS) + len(CELLS) + AMOUNTS  # what the network sees of a cell at a time: see `_seen`
REACH = 2 * (1 + 2 + 4)  # samples to either side that a vector depends on


@dataclass(frozen=True, eq=False)
class LearnedMotion:
    """What moves where, as the heads learned it."""

    heads: MotionHeads
    name: str = "learned motion"

    def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores | None:
        if third.length + first.length > LONGEST or third.motion.still or first.motion.still:
            return None
        own = lag_grid(third.length, first.length, HEAD_RATE)

        def scores() -> Array:
            return on_lags(correlate(self._vectors(third), self._vectors(first), own), own, lags)

        return LagScores([(self.name, scores)], chunk_middles(first.length))

    def _vectors(self, recording: Recording) -> Array:
        """Kept with the recording: in a folder of recordings each is compared with many."""
        if self.heads not in recording.vectors:
            recording.vectors[self.heads] = motion_vectors(self.heads, recording.motion, recording.view)
        return recording.vectors[self.heads]


class MotionHead(nn.Module):
    """Looks at a grid of cells over time, a network for each view: (B, 6, 24, T) to vectors of (B, 32, T).

    >>> head = MotionHead(width=8, gates=2, size=3)
    >>> head(torch.zeros(2, len(CELLS), GRID, 30), "third").shape
    torch.Size([2, 6, 30])
    """

    def __init__(self, width: int = 48, gates: int = 4, size: int = 8, dropout: float = 0.1) -> None:
        super().__init__()
        self.views = nn.ModuleDict({view: _Watch(width, gates, size, dropout) for view in ("third", "first")})

    def forward(self, inputs: Tensor, view: str) -> Tensor:
        vectors = self.views[view](_seen(inputs))
        vectors = vectors - vectors.mean(dim=2, keepdim=True)  # what a take has all the time says nothing about when
        return vectors / (vectors.square().mean(dim=(1, 2), keepdim=True) + 1e-6).sqrt()


class MotionHeads(nn.Module):
    """Several heads, each trained by itself: what they agree on is less likely an accident of training.

    >>> heads = MotionHeads(MotionHead(width=8, gates=2, size=3) for _ in range(2))
    >>> heads(torch.zeros(2, len(CELLS), GRID, 30), "third").shape
    torch.Size([2, 12, 30])
    """

    def __init__(self, heads: Iterable[MotionHead]) -> None:
        super().__init__()
        self.heads = nn.ModuleList(heads)

    def forward(self, inputs: Tensor, view: str) -> Tensor:
        return torch.cat([head(inputs, view) for head in self.heads], dim=1)


class _Watch(nn.Module):
    """The same small network for every cell, which also sees its neighbours; gates choose the cells that count.

    A gate is a softmax over the cells at each time: it can follow a person about, and leave out who else is there.
    """

    def __init__(self, width: int, gates: int, size: int, dropout: float) -> None:
        super().__init__()
        self.enter = nn.Conv3d(SEEN, width, 1)
        self.blocks = nn.Sequential(*[_Block(width, dilation, dropout) for dilation in (1, 2, 4)])
        self.vectors = nn.Conv3d(width, gates * size, 1)
        self.gates = nn.Conv3d(width, gates, 1)
        self.shape = gates, size

    def forward(self, seen: Tensor) -> Tensor:
        """(B, 22, 24, T) to (B, gates · size, T)."""
        length = seen.shape[3]
        if self.training or length <= PIECE:
            return self._piece(seen)
        pieces = []
        for start in range(0, length, PIECE):
            low, high = max(0, start - REACH), min(length, start + PIECE + REACH)
            part = self._piece(seen[..., low:high])
            pieces.append(part[..., start - low : start - low + PIECE])
        return torch.cat(pieces, dim=2)

    def _piece(self, seen: Tensor) -> Tensor:
        count, (gates, size), length = len(seen), self.shape, seen.shape[3]
        grid = seen.permute(0, 1, 3, 2).reshape(count, -1, length, ROWS, COLUMNS)
        found = gelu(self.blocks(self.enter(grid)))  # (B, W, T, 4, 6)
        vectors = self.vectors(found).reshape(count, gates, size, length, GRID)
        shares = self.gates(found).reshape(count, gates, 1, length, GRID).softmax(dim=-1)
        return (vectors * shares).sum(dim=-1).reshape(count, gates * size, length)


class _Block(nn.Module):
    """Over time, then over neighbouring cells; added to what came in."""

    def __init__(self, width: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.time = nn.Conv3d(width, width, (5, 1, 1), padding=(2 * dilation, 0, 0), dilation=(dilation, 1, 1))
        self.space = nn.Conv3d(width, width, (1, 3, 3), padding=(0, 1, 1))
        self.dropout = nn.Dropout(dropout)

    def forward(self, found: Tensor) -> Tensor:
        return found + self.dropout(self.space(gelu(self.time(gelu(found)))))


def _seen(cells: Tensor) -> Tensor:
    """What the network sees of a take, without units: (B, 6, 24, T) to (B, 22, 24, T).

    Each cell's motion on the scale of the whole picture (who moves most?) and on its own (when does it move?), and the
    picture's mean and largest motion, the same for every cell.
    """
    amounts, signed = cells[:, :AMOUNTS], cells[:, AMOUNTS:]
    centred = amounts - amounts.mean(dim=(2, 3), keepdim=True)
    together = [
        centred / (amounts.std(dim=(2, 3), keepdim=True) + 1e-3),
        signed / (signed.square().mean(dim=(1, 2, 3), keepdim=True).sqrt() + 1e-3),
    ]
    alone = (cells - cells.mean(dim=3, keepdim=True)) / (cells.std(dim=3, keepdim=True) + 0.1)
    overall = torch.cat([cells.mean(dim=2), amounts.amax(dim=2)], dim=1)  # (B, 10, T)
    overall = (overall - overall.mean(dim=2, keepdim=True)) / (overall.std(dim=2, keepdim=True) + 0.05)
    spread = overall[:, :, None].expand(-1, -1, cells.shape[2], -1)
    return torch.cat([*together, alone, spread], dim=1).clamp(-5, 5)


def take_inputs(moved: Motion) -> NDArray[np.float32]:
    """A take's motion as the head is given it, (6, 24, T) at 15 samples a second: logarithms in units of the take.

    >>> still = Motion(np.arange(30) / 15, np.zeros((30, 9), np.float32), np.zeros((30, 6, 24), np.float16), 2.0)
    >>> take_inputs(still).shape
    (6, 24, 30)
    """
    found = np.empty((len(moved.times), len(CELLS), GRID), np.float32)
    for place in range(len(CELLS)):
        values = moved.cells[:, place].astype(np.float32)  # (T, 24)
        level = float(np.abs(values).mean()) + 1e-6
        found[:, place] = np.log(np.maximum(values, 0) / level + 0.1) if place < AMOUNTS else np.arcsinh(values / level)
    grid = np.asarray((np.arange(max(1, int(moved.length * HEAD_RATE))) + 0.5) / HEAD_RATE, np.float64)
    return _averaged(moved.times, found.reshape(len(found), -1), grid).T.reshape(len(CELLS), GRID, -1)


def _averaged(times: Array, values: NDArray[np.float32], grid: Array) -> NDArray[np.float32]:
    """Values (T, K) at the times of a grid: means over its steps where there are more samples than steps."""
    step = 1 / HEAD_RATE
    if len(times) < 2 or float(np.median(np.diff(times))) > 0.75 * step:
        return _read(grid, times, values)
    pieces = (values[1:] + values[:-1]) / 2 * np.diff(times)[:, None]
    passed = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(pieces, axis=0)])
    low, high = np.clip(grid - step / 2, times[0], times[-1]), np.clip(grid + step / 2, times[0], times[-1])
    width = (high - low)[:, None]
    mean = (_read(high, times, passed) - _read(low, times, passed)) / np.maximum(width, 1e-6)
    return np.where(width > 0.25 * step, mean, _read(grid, times, values)).astype(np.float32)


def _read(at: Array, times: Array, values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Each column of values (T, K) at other times, by straight lines."""
    return np.stack([np.interp(at, times, column) for column in values.T], axis=1).astype(np.float32)


@torch.no_grad()
def motion_vectors(heads: MotionHeads, moved: Motion, view: View) -> Array:
    """What the heads make of a take's motion, (D, T) at 15 samples a second; zeros where nothing moves."""
    inputs = take_inputs(moved)  # (6, 24, T)
    vectors = heads(torch.from_numpy(inputs)[None], view)[0].double().numpy()
    return vectors if float(np.ptp(inputs, axis=2).max()) > 1e-6 else np.zeros_like(vectors)


@lru_cache(maxsize=1)
def load_heads(folder: Path = BOX) -> MotionHeads | None:
    """The heads that come with the package; None where there are none."""
    content = read_beside(folder, FILE)
    if content is None:
        return None
    try:
        stored = safetensors.torch.load(content)
        heads = MotionHeads(MotionHead() for _ in {name.split(".")[1] for name in stored})
        heads.load_state_dict({name: tensor.float() for name, tensor in stored.items()})
    except (RuntimeError, IndexError, safetensors.SafetensorError) as error:
        raise UserError(f"{folder / FILE}: not motion heads ({str(error).splitlines()[0]})") from error
    return heads.eval()
