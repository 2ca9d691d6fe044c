"""What moves where, as small networks learned it: the whole picture, and anybody in it who could wear the camera.

They learned from rendered events (scripts/train_motion_head.py), whose pictures look like no real ones; but motion has
no textures. Each kind here is one more channel of evidence beside the untrained correlations of motion.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import safetensors
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from actor_observer.alignment.recordings.evidence import LagScores, Sense, on_lags
from actor_observer.alignment.recordings.lags import Array, Lags, chunk_edges, chunk_middles, correlate, lag_grid
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.errors import UserError
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import AMOUNTS, CELLS, COLUMNS, FINE, ROWS
from actor_observer.model.box import read_beside
from actor_observer.model.motion_heads import (
    COARSE,
    HEAD_RATE,
    CoarseHead,
    CoarseHeads,
    MotionHead,
    MotionHeads,
    Watched,
)
from actor_observer.model.pretrained import BOX
from actor_observer.model.spell_scores import SPELL, followed_scores
from actor_observer.pairs.manifest import View

__all__ = [
    "FILE",
    "PEOPLE_FILE",
    "Anybody",
    "LearnedMotion",
    "by_spells",
    "fine_inputs",
    "load_coarse_heads",
    "load_heads",
    "take_inputs",
    "watch",
    "watch_ahead",
]

LONGEST = 9000.0  # seconds of both recordings: beyond, the vectors would fill the memory
LONGEST_CELLS = 900.0  # the same where every cell of the picture has a vector
FILE, PEOPLE_FILE = "motion.safetensors", "people.safetensors"
Heads = TypeVar("Heads", bound=nn.Module)


@dataclass(frozen=True)
class LearnedMotion:
    """What moves in both pictures as a whole: by heads that learned from people alone, and from several."""

    name: str = "learned motion"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        heads, coarse = load_heads(), load_coarse_heads()
        if heads is None or coarse is None or one.motion.still or other.motion.still:
            return None
        if one.length + other.length > LONGEST:
            return None
        own = lag_grid(one.length, other.length, HEAD_RATE)

        def alone() -> Array:
            vectors = [watch_coarsely(coarse, recording).double().numpy() for recording in (one, other)]
            return on_lags(correlate(vectors[0], vectors[1], own), own, lags)

        def several() -> Array:
            vectors = _whole(heads, one, other.view), _whole(heads, other, one.view)
            return on_lags(correlate(*vectors, own), own, lags)

        return LagScores([("one person", alone), ("several people", several)], chunk_middles(other.length))


@dataclass(frozen=True)
class Anybody:
    """Whether anybody in a room camera's picture moves as the wearer of a head camera does, whoever else is there."""

    name: str = "anybody"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        if (one.view, other.view) != ("third", "first") or one.length + other.length > LONGEST_CELLS:
            return None
        return by_spells(self.name, _anybody, one, other, lags)


def by_spells(
    name: str,
    scores: Callable[[MotionHeads, Recording, Recording, Lags], Array],  # of every spell of the other and lag, (K, L)
    one: Recording,
    other: Recording,
    lags: Lags,
) -> LagScores | None:
    """A kind with one channel, whose scores the heads for several people give spell by spell."""
    heads = load_heads()
    if heads is None or one.motion.still or other.motion.still:
        return None
    own = lag_grid(one.length, other.length, HEAD_RATE)

    def on_common_lags() -> Array:
        return on_lags(_by_chunk(scores(heads, one, other, own), other.length), own, lags)

    return LagScores([(name, on_common_lags)], chunk_middles(other.length))


def watch(heads: MotionHeads, recording: Recording) -> list[Watched]:
    """What each head makes of a recording's motion; kept with it: in a folder each is compared with many."""
    if heads not in recording.watched:
        with torch.no_grad():
            see = fine_inputs if recording.view == "third" else take_inputs
            inputs = torch.from_numpy(see(recording.motion))[None]
            # nobody asks for the cells of a long recording
            seen = heads(inputs, recording.view, recording.length <= LONGEST_CELLS)
            recording.watched[heads] = [replace(one, cells=one.cells.half()) for one in seen]  # the most by far
    return recording.watched[heads]


def watch_coarsely(heads: CoarseHeads, recording: Recording) -> Tensor:
    """What the coarse heads make of a recording's motion, (D, T); kept with it."""
    if heads not in recording.vectors:
        with torch.no_grad():
            inputs = torch.from_numpy(coarser(take_inputs(recording.motion)))[None]
            recording.vectors[heads] = heads(inputs, recording.view)[0]
    return recording.vectors[heads]


def watch_ahead(recording: Recording) -> None:
    """Let all heads watch a recording before it is compared, where it will be: several recordings can at once."""
    if not recording.motion.still and recording.length <= LONGEST / 2:
        if (heads := load_heads()) is not None:
            watch(heads, recording)
        if (coarse := load_coarse_heads()) is not None:
            watch_coarsely(coarse, recording)


def coarser(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inputs (6, 48, T) on the coarse grid, (6, 24, T): means over areas.

    >>> coarser(np.ones((6, 48, 3), np.float32)).shape
    (6, 24, 3)
    """
    kinds, _, length = inputs.shape
    down, across = _areas(COARSE[0], ROWS), _areas(COARSE[1], COLUMNS)
    grid = inputs.reshape(kinds, ROWS, COLUMNS, length)
    small = np.einsum("ir,jc,krct->kijt", down, across, grid, optimize=True)
    return np.ascontiguousarray(small.reshape(kinds, -1, length), np.float32)


def _areas(few: int, many: int) -> NDArray[np.float32]:
    """How much each of many equal parts adds to each of few, (few, many); rows add up to 1."""
    edges = np.arange(many) * few / many, np.arange(1, many + 1) * few / many
    place = np.arange(few)[:, None]
    shared = np.clip(np.minimum(edges[1], place + 1) - np.maximum(edges[0], place), 0, None)
    return np.asarray(shared / shared.sum(axis=1, keepdims=True), np.float32)


def _whole(heads: MotionHeads, recording: Recording, partner: View) -> Array:
    """Vectors of the whole picture for a partner of this view, of all heads one after the other: (D, T)."""
    return torch.cat([seen.whole[partner][0] for seen in watch(heads, recording)]).double().numpy()


@torch.no_grad()
def _anybody(heads: MotionHeads, third: Recording, first: Recording, lags: Lags) -> Array:
    """The mean of all heads' scores for every spell of the first-person recording and lag, (K, L)."""
    shift = range(lags.start, lags.start + lags.count)
    both = zip(heads.heads, watch(heads, third), watch(heads, first), strict=True)
    found = [followed_scores(one.cells, other.asks, shift, head.sharp.exp())[0] for head, one, other in both]  # type: ignore[operator]
    return torch.stack(found).mean(dim=0).double().numpy()


def _by_chunk(spells: Array, length: float) -> Array:
    """Spells (K, L) added up within each chunk of a recording, (C, L).

    >>> _by_chunk(np.ones((20, 3)), 40.0)[:, 0].tolist()
    [2.0, 3.0, 2.0, 3.0, 2.0, 3.0, 2.0, 3.0]
    """
    edges = chunk_edges(length)
    middles = (np.arange(len(spells)) + 0.5) * SPELL / HEAD_RATE
    place = np.clip(np.searchsorted(edges, middles, side="right") - 1, 0, len(edges) - 2)
    return np.stack([spells[place == number].sum(axis=0) for number in range(len(edges) - 1)])


def take_inputs(moved: Motion) -> NDArray[np.float32]:
    """A take's motion as heads see it, (6, 48, T) at 15 samples a second: logarithms in units of the take.

    >>> still = Motion(np.arange(30) / 15, np.zeros((30, 9), np.float32), np.zeros((30, 6, 48), np.float16), 2.0)
    >>> take_inputs(still).shape
    (6, 48, 30)
    """
    return _in_units(moved.times, moved.cells, moved.length)


def fine_inputs(moved: Motion) -> NDArray[np.float32]:
    """The same on the fine grid, as heads see a room camera's, (6, 192, T).

    >>> still = Motion(np.arange(30) / 15, np.zeros((30, 9), np.float32), np.zeros((30, 6, 48), np.float16), 2.0)
    >>> fine_inputs(still).shape  # made up without a fine grid: each cell four times
    (6, 192, 30)
    """
    if len(moved.fine_times):
        return _in_units(moved.fine_times, moved.fine, moved.length)
    four = moved.cells.reshape(-1, len(CELLS), ROWS, COLUMNS).repeat(2, axis=2).repeat(2, axis=3)
    return _in_units(moved.times, four.reshape(-1, len(CELLS), FINE), moved.length)


def _in_units(times: Array, cells: NDArray[np.float16], length: float) -> NDArray[np.float32]:
    """Cells (N, 6, C) at the heads' pace, in units of the take: (6, C, T)."""
    grid = np.asarray((np.arange(max(1, int(length * HEAD_RATE))) + 0.5) / HEAD_RATE, np.float64)
    found = np.empty((len(CELLS), cells.shape[2], len(grid)), np.float32)
    for place in range(len(CELLS)):  # one after the other: an hour of all at once would take half a gigabyte
        values = cells[:, place].astype(np.float32)  # (N, C)
        level = float(np.abs(values).mean()) + 1e-6
        own = np.log(np.maximum(values, 0) / level + 0.1) if place < AMOUNTS else np.arcsinh(values / level)
        found[place] = _averaged(times, own, grid).T
    return found


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
    """Values (T, K) at other times, by straight lines."""
    if len(times) < 2:
        return np.repeat(values[:1], len(at), axis=0).astype(np.float32)
    after = np.clip(np.searchsorted(times, at), 1, len(times) - 1)
    share = np.clip((at - times[after - 1]) / (times[after] - times[after - 1]), 0.0, 1.0)[:, None]
    return (values[after - 1] * (1 - share) + values[after] * share).astype(np.float32)


@lru_cache(maxsize=1)
def load_heads(folder: Path = BOX) -> MotionHeads | None:
    """The heads for several people that come with the package; None where there are none."""
    stored = _stored(folder, PEOPLE_FILE)
    return (
        _loaded(folder / PEOPLE_FILE, MotionHeads(MotionHead() for _ in _numbers(stored)), stored) if stored else None
    )


@lru_cache(maxsize=1)
def load_coarse_heads(folder: Path = BOX) -> CoarseHeads | None:
    """The heads for one person that come with the package; None where there are none."""
    stored = _stored(folder, FILE)
    if stored is None:
        return None
    return _loaded(folder / FILE, CoarseHeads(CoarseHead() for _ in _numbers(stored)), stored)


def _numbers(stored: Mapping[str, Tensor]) -> set[str]:
    return {name.split(".")[1] for name in stored if name.startswith("heads.")}


def _stored(folder: Path, name: str) -> dict[str, Tensor] | None:
    content = read_beside(folder, name)
    try:
        return None if content is None else safetensors.torch.load(content)
    except safetensors.SafetensorError as error:
        raise UserError(f"{folder / name}: not motion heads ({str(error).splitlines()[0]})") from error


def _loaded(path: Path, heads: Heads, stored: Mapping[str, Tensor]) -> Heads:
    try:
        heads.load_state_dict({name: tensor.float() for name, tensor in stored.items()})
    except RuntimeError as error:
        raise UserError(f"{path}: not motion heads ({str(error).splitlines()[0]})") from error
    return heads.eval()
