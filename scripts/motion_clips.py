"""Clips of rendered events for training motion heads: drawn at random, and spoilt as real recordings are.

They are flipped, shifted, sped up or slowed down, made noisy and robbed of channels, and strangers walk about in a part
of the picture.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import avg_pool1d, interpolate

from actor_observer.alignment.kinds.learned_motion import take_inputs
from actor_observer.frames.motion import AMOUNTS, CELLS, COLUMNS, GRID, ROWS
from actor_observer.model.motion_heads import HEAD_RATE

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from motion_set import SPLITS, EventTake, read_event_motion

__all__ = ["Clips", "Event", "Filmed", "cells_of", "draw", "read_events"]

SECONDS = (9.0, 20.0)  # of a clip
SPEED = 0.22  # log of how much faster or slower both clips of a pair are played
STRANGER = 0.3  # how often somebody of another event moves in a part of the picture
TRIES = 60


@dataclass(frozen=True, eq=False)
class Filmed:
    """One camera's motion of an event."""

    view: str
    wearer: str  # "" for a room camera
    start: float  # seconds of the event at its first sample
    inputs: Tensor  # (6, C, T) at 15 samples a second
    people: dict[str, Tensor]  # of a room camera: in which cells each person is, (C, T)


Event = Sequence[Filmed]


@dataclass(frozen=True, eq=False)
class Clips:
    """Clips of two cameras of each of B events."""

    views: tuple[str, str]
    inputs: tuple[Tensor, Tensor]  # (B, 6, C, T) and (B, 6, C, S)
    lag: Tensor  # (B,) samples: the second clip's sample s is the first clip's s + lag
    wearer: Tensor | None  # (B, C, T): in which cells of the first clip the wearer of the second camera is


def read_events(folder: Path, splits: tuple[str, ...] = SPLITS, device: str = "cpu") -> list[Event]:
    """The events of these splits in a folder that bench/motion_set.py made."""
    return [[_filmed(take, device) for take in event.takes] for event in read_event_motion(folder, splits)]


def _filmed(take: EventTake, device: str) -> Filmed:
    times = take.offset + take.motion.times / take.rate  # of the event
    start, length = float(times[0]), float(times[-1] - times[0])
    inputs = torch.from_numpy(take_inputs(replace(take.motion, times=times - start, length=length)))
    people = {}
    if take.masks is not None and take.people_times is not None:
        at = start + (np.arange(inputs.shape[2]) + 0.5) / HEAD_RATE  # of the event
        seen = take.offset + take.people_times / take.rate
        nearest = np.clip(np.searchsorted((seen[1:] + seen[:-1]) / 2, at), 0, len(seen) - 1)
        there = cells_of(take.masks)[nearest]  # (T, K, C)
        people = {name: torch.from_numpy(there[:, k].T.copy()).to(device) for k, name in enumerate(take.names)}
    return Filmed(take.view, take.wearer, start, inputs.to(device), people)


def cells_of(masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In which cells of the grid people have a tenth of the pixels or more: (S, K, H, W) to (S, K, C).

    >>> cells_of(np.ones((2, 1, 18, 24), bool)).shape
    (2, 1, 48)
    """
    samples, people, height, width = masks.shape
    blocks = masks.reshape(samples, people, ROWS, height // ROWS, COLUMNS, width // COLUMNS)
    return np.asarray(blocks.mean(axis=(3, 5)) >= 0.1).reshape(samples, people, GRID)


def draw(
    events: Sequence[Event], views: tuple[str, str], batch: int, rng: np.random.Generator, spoilt: bool = True
) -> Clips | None:
    """Clips of cameras of these views, of different events as far as there are enough; None if no event has them."""
    speed = float(np.exp(rng.uniform(-SPEED, SPEED))) if spoilt and rng.random() < 0.6 else 1.0
    played = [round(rng.uniform(*SECONDS) * HEAD_RATE) for _ in range(2)]
    lengths = [round(length * speed) for length in played]
    rows: list[tuple[Tensor, Tensor, Tensor, float]] = []
    order = [*rng.permutation(len(events))]
    for place in range(TRIES * batch):
        found = _cut(events[int(order[place % len(order)])], views, lengths, rng)
        if found is not None:
            rows.append(found)
        if len(rows) == batch:
            break
    if len(rows) < batch:
        return None
    first, second, wearer = (torch.stack([row[part] for row in rows]) for part in (0, 1, 2))  # type: ignore[misc]
    lag = torch.tensor([row[3] for row in rows], device=first.device) / speed
    both = [
        interpolate(one.flatten(1, 2), size=length, mode="linear").unflatten(1, one.shape[1:3])
        for one, length in zip((torch.cat([first, wearer[:, None]], dim=1), second), played, strict=True)
    ]
    if spoilt:
        strangers = both[0][:, : len(CELLS)].roll(1, 0)
        if views[0] == "third":
            both[0] = torch.cat([with_strangers(both[0][:, : len(CELLS)], strangers), both[0][:, len(CELLS) :]], dim=1)
        both = [_moved_about(one, rng) for one in both]
        both = [torch.cat([spoil(one[:, : len(CELLS)], rng), one[:, len(CELLS) :]], dim=1) for one in both]
    inputs, where = both[0][:, : len(CELLS)], both[0][:, len(CELLS)]
    return Clips(views, (inputs, both[1]), lag, where if views == ("third", "first") and where.any() else None)


def _cut(
    event: Event, views: tuple[str, str], lengths: Sequence[int], rng: np.random.Generator
) -> tuple[Tensor, Tensor, Tensor, float] | None:
    """A clip of each of two cameras that overlap by half at least: inputs, where the wearer is, and the lag."""
    chosen: list[Filmed] = []
    for view in views:
        fitting = [film for film in event if film.view == view and film not in chosen]
        if not fitting:
            return None
        chosen.append(fitting[int(rng.integers(len(fitting)))])
    if any(film.inputs.shape[2] < length for film, length in zip(chosen, lengths, strict=True)):
        return None
    for _ in range(8):
        starts = [
            int(rng.integers(0, film.inputs.shape[2] - length + 1))
            for film, length in zip(chosen, lengths, strict=True)
        ]
        begin = [film.start * HEAD_RATE + start for film, start in zip(chosen, starts, strict=True)]
        shared = min(begin[0] + lengths[0], begin[1] + lengths[1]) - max(begin)
        if shared >= 0.5 * min(lengths):
            clips = [
                film.inputs[..., start : start + length]
                for film, start, length in zip(chosen, starts, lengths, strict=True)
            ]
            where = chosen[0].people.get(chosen[1].wearer)
            nowhere = torch.zeros(GRID, lengths[0], device=clips[0].device)
            there = nowhere if where is None else where[:, starts[0] : starts[0] + lengths[0]].float()
            return clips[0], clips[1], there, begin[1] - begin[0]
    return None


def with_strangers(clips: Tensor, others: Tensor) -> Tensor:
    """Some of the clips (B, 6, C, T) with another take's motion added to the left or the right of the picture."""
    count, device = len(clips), clips.device
    column = torch.arange(GRID, device=device) % COLUMNS
    edge = torch.randint(1, COLUMNS, (count, 1), device=device)
    there = torch.where(torch.rand(count, 1, device=device) < 0.5, column < edge, column >= edge)
    there = there & (torch.rand(count, 1, device=device) < STRANGER)
    gain = 0.7 * torch.randn(count, 1, 1, 1, device=device)
    others = flipped(others, torch.rand(count, device=device) < 0.5)
    amounts = torch.logaddexp(clips[:, :AMOUNTS], others[:, :AMOUNTS] + gain)
    own, added = (one[:, AMOUNTS:].clamp(-6, 6).sinh() for one in (clips, others))
    both = torch.cat([amounts, torch.asinh(own + added * gain.exp())], dim=1)
    return torch.where(there[:, None, :, None], both, clips)


def flipped(clips: Tensor, which: Tensor) -> Tensor:
    """Some clips (B, 6 or 7, C, T) left for right."""
    other = clips.unflatten(2, (ROWS, COLUMNS)).flip(3).flatten(2, 3).clone()
    other[:, CELLS.index("right")] *= -1
    return torch.where(which[:, None, None, None], other, clips)


def _moved_about(clips: Tensor, rng: np.random.Generator) -> Tensor:
    """Flip and shift clips (B, 6 or 7, C, T), where the wearer is with them."""
    clips = flipped(clips, torch.rand(len(clips), device=clips.device) < 0.5)
    for axis, most, often in ((3, 2, 0.5), (2, 1, 0.3)):  # columns, rows
        if rng.random() < often:
            by = int(rng.integers(-most, most + 1))
            clips = torch.roll(clips.unflatten(2, (ROWS, COLUMNS)), by, axis).flatten(2, 3)
    return clips


def spoil(clips: Tensor, rng: np.random.Generator) -> Tensor:
    """Raise the floor, add noise, smooth, drop: (B, 6, C, T) to the same."""
    count, device = len(clips), clips.device

    def uniform(*shape: int) -> Tensor:
        return torch.rand(count, *shape, device=device)

    def normal(*shape: int) -> Tensor:
        return torch.randn(count, *shape, device=device)

    amounts, signed = clips[:, :AMOUNTS], clips[:, AMOUNTS:]
    length, noisy = clips.shape[3], 0.8 * uniform(1, 1, 1)
    # Noise of sensors and codecs is a floor under every amount: it hides small movements and leaves large ones.
    floor = 5 * uniform(1, 1, 1) - 3.5 + 0.5 * normal(AMOUNTS, GRID, 1) + 0.15 * normal(AMOUNTS, GRID, length)
    amounts = torch.where(uniform(1, 1, 1) < 0.6, torch.logaddexp(amounts, floor), amounts)
    amounts = amounts * (1 + 0.2 * normal(AMOUNTS, 1, 1)) + 0.3 * normal(AMOUNTS, GRID, 1)
    amounts = amounts + 0.7 * noisy * normal(AMOUNTS, GRID, length)
    amounts = amounts + 0.3 * uniform(1, 1, 1) * normal(AMOUNTS, 1, length)  # flicker of the whole picture
    signed = signed * (0.5 + uniform(1, 1, 1)) + noisy * normal(len(CELLS) - AMOUNTS, GRID, length)
    clips = torch.cat([amounts, signed], dim=1)
    if rng.random() < 0.3:  # as if the camera had taken fewer frames
        side = int(rng.integers(1, 3))
        smooth = avg_pool1d(clips.flatten(0, 1), 2 * side + 1, 1, side, count_include_pad=False)
        clips = smooth.unflatten(0, (count, len(CELLS)))
    kept = (uniform(len(CELLS), 1, 1) > 0.15) & (uniform(1, GRID, 1) > 0.15 * uniform(1, 1, 1))
    return torch.where(kept, clips, clips.mean(dim=3, keepdim=True))
