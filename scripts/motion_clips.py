"""Clips of rendered events for training motion heads: drawn at random, and spoilt as real recordings are.

They are flipped, shifted, sped up or slowed down, made noisy and robbed of channels, and strangers walk about in a part
of the picture.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import affine_grid, avg_pool1d, grid_sample, interpolate

from actor_observer.alignment.kinds.learned_motion import fine_inputs, take_inputs
from actor_observer.frames.moving.flow import AMOUNTS, CELLS, FINE, FINE_COLUMNS, FINE_ROWS
from actor_observer.model.motion_heads import HEAD_RATE, SHAPES
from actor_observer.pairs.manifest import View

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from cuts import retimed
from motion_set import SPLITS, EventTake, read_event_motion

__all__ = ["Clips", "Event", "Filmed", "cells_of", "draw", "read_events"]

LENGTHS = range(136, 301, 20)  # samples of a clip, 9 to 20 seconds: a GPU makes ready for each length once
SPEED = 0.22  # log of how much faster or slower both clips of a pair are played
STRANGER = 0.3  # how often somebody of another event moves in a part of the picture
AFAR = 0.4  # how often everybody is seen from afar
SMALL = 0.35  # of the picture's width and height, at least, is what is seen from afar
OTHERS = 2  # of other events, at most, that are seen beside it
NOTHING = float(np.log(0.1))  # an amount of no motion (`take_inputs`)
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

    views: tuple[View, View]
    inputs: tuple[Tensor, Tensor]  # (B, 6, C, T) and (B, 6, C, S)
    lag: Tensor  # (B,) samples: the second clip's sample s is the first clip's s + lag
    wearer: Tensor | None  # (B, C, T): in which cells of the first clip the wearer of the second camera is


def read_events(folder: Path, splits: tuple[str, ...] = SPLITS, device: str = "cpu") -> list[Event]:
    """The events of these splits in a folder that bench/motion_set.py made."""
    return [[_filmed(take, device) for take in event.takes] for event in read_event_motion(folder, splits)]


def _filmed(take: EventTake, device: str) -> Filmed:
    start, end = (float(take.offset + take.motion.times[at] / take.rate) for at in (0, -1))  # of the event
    moved = retimed(take.motion, lambda times: take.offset + times / take.rate - start, end - start)
    inputs = torch.from_numpy((fine_inputs if take.view == "third" else take_inputs)(moved))
    people = {}
    if take.masks is not None and take.masks.size and take.people_times is not None:
        at = start + (np.arange(inputs.shape[2]) + 0.5) / HEAD_RATE  # of the event
        seen = take.offset + take.people_times / take.rate
        nearest = np.clip(np.searchsorted((seen[1:] + seen[:-1]) / 2, at), 0, len(seen) - 1)
        there = cells_of(take.masks)[nearest]  # (T, K, C)
        people = {name: torch.from_numpy(there[:, k].T.copy()).to(device) for k, name in enumerate(take.names)}
    return Filmed(take.view, take.wearer, start, inputs.to(device), people)


def cells_of(masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In which cells of the fine grid people have a tenth of the pixels or more: (S, K, 18, 24) to (S, K, C).

    >>> cells_of(np.ones((2, 1, 18, 24), bool)).shape
    (2, 1, 192)
    """
    samples, people, height, width = masks.shape
    double = masks.repeat(2, axis=2).repeat(2, axis=3)  # 36 × 48: whole numbers of them are a cell
    blocks = double.reshape(
        samples, people, FINE_ROWS, 2 * height // FINE_ROWS, FINE_COLUMNS, 2 * width // FINE_COLUMNS
    )
    return np.asarray(blocks.mean(axis=(3, 5)) >= 0.1).reshape(samples, people, FINE)


def draw(
    events: Sequence[Event], views: tuple[View, View], batch: int, rng: np.random.Generator, spoilt: bool = True
) -> Clips | None:
    """Clips of cameras of these views, of different events as far as there are enough; None if no event has them."""
    speed = float(np.exp(rng.uniform(-SPEED, SPEED))) if spoilt and rng.random() < 0.6 else 1.0
    played = [int(rng.choice(LENGTHS)) for _ in range(2)]
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
    if first.shape[2] == wearer.shape[1]:  # a room camera's
        first = torch.cat([first, wearer[:, None]], dim=1)
    both = [
        one
        @ interpolate(torch.eye(one.shape[3], device=one.device)[None], size=length, mode="linear")[
            0
        ]  # much faster than itself
        for one, length in zip((first, second), played, strict=True)
    ]
    if spoilt:
        both = [
            one if view == "first" else from_afar(one) if rng.random() < AFAR else with_strangers(one)
            for one, view in zip(both, views, strict=True)
        ]
        both = [_moved_about(one, view, rng) for one, view in zip(both, views, strict=True)]
        both = [torch.cat([spoil(one[:, : len(CELLS)], rng), one[:, len(CELLS) :]], dim=1) for one in both]
    inputs, where = both[0][:, : len(CELLS)], both[0][:, len(CELLS) :].flatten(1, 2)
    return Clips(views, (inputs, both[1]), lag, where if views == ("third", "first") and where.any() else None)


def _cut(
    event: Event, views: tuple[View, View], lengths: Sequence[int], rng: np.random.Generator
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
            nowhere = torch.zeros(FINE, lengths[0], device=clips[0].device)
            there = nowhere if where is None else where[:, starts[0] : starts[0] + lengths[0]].float()
            return clips[0], clips[1], there, begin[1] - begin[0]
    return None


def with_strangers(clips: Tensor) -> Tensor:
    """Some room cameras' clips (B, 6 or 7, 192, T) with the next one's motion added to their left or right part."""
    count, device = len(clips), clips.device
    column = torch.arange(FINE, device=device) % FINE_COLUMNS
    edge = torch.randint(2, FINE_COLUMNS - 1, (count, 1), device=device)
    there = torch.where(torch.rand(count, 1, device=device) < 0.5, column < edge, column >= edge)
    there = there & (torch.rand(count, 1, device=device) < STRANGER)
    others = flipped(clips.roll(1, 0), "third", torch.rand(count, device=device) < 0.5)
    both = _together(clips, others, 0.7 * torch.randn(count, 1, 1, 1, device=device))
    return torch.where(there[:, None, :, None], both, clips)


def from_afar(clips: Tensor) -> Tensor:
    """Room cameras' clips (B, 6 or 7, 192, T) as a wide lens would see them: small, with others in the same picture."""
    found = _small_somewhere(clips)
    for nth in range(1, 1 + OTHERS):
        there = torch.rand(len(clips), 1, 1, 1, device=clips.device) < 0.5
        others = _small_somewhere(
            flipped(clips.roll(nth, 0), "third", torch.rand(len(clips), device=clips.device) < 0.5)
        )
        gain = 0.7 * torch.randn(len(clips), 1, 1, 1, device=clips.device)
        found = torch.where(there, _together(found, others, gain), found)
    return found


def _small_somewhere(clips: Tensor) -> Tensor:
    """Each clip's picture made smaller, and put somewhere in one in which nothing else moves."""
    count, kinds, _, length = clips.shape
    scale = SMALL + (1 - SMALL) * torch.rand(count, 2, device=clips.device)
    move = (2 * torch.rand(count, 2, device=clips.device) - 1) * (1 - scale)
    theta = torch.diag_embed(1 / scale)  # (B, 2, 2): of the small picture's places to the large one's
    theta = torch.cat([theta, -(move / scale)[..., None]], dim=2)
    nothing = torch.tensor([NOTHING] * AMOUNTS + [0.0] * (kinds - AMOUNTS), device=clips.device)[:, None, None]
    grid = (clips - nothing).transpose(2, 3).flatten(1, 2).unflatten(2, (FINE_ROWS, FINE_COLUMNS))  # (B, K · T, 12, 16)
    at = affine_grid(theta, list(grid.shape), align_corners=False)
    small = grid_sample(grid, at, align_corners=False)
    return small.flatten(2).unflatten(1, (kinds, length)).transpose(2, 3) + nothing


def _together(clips: Tensor, others: Tensor, gain: Tensor) -> Tensor:
    """The motion of two pictures, one over the other; where the wearer is (if known), in the first."""
    amounts = torch.logaddexp(clips[:, :AMOUNTS], others[:, :AMOUNTS] + gain)
    signed = slice(AMOUNTS, len(CELLS))
    own, added = (one[:, signed].clamp(-6, 6).sinh() for one in (clips, others))
    return torch.cat([amounts, torch.asinh(own + added * gain.exp()), clips[:, len(CELLS) :]], dim=1)


def flipped(clips: Tensor, view: View, which: Tensor) -> Tensor:
    """Some clips (B, 6 or 7, C, T) left for right."""
    other = clips.unflatten(2, SHAPES[view]).flip(3).flatten(2, 3).clone()
    other[:, CELLS.index("right")] *= -1
    return torch.where(which[:, None, None, None], other, clips)


def _moved_about(clips: Tensor, view: View, rng: np.random.Generator) -> Tensor:
    """Flip and shift clips (B, 6 or 7, C, T), where the wearer is with them."""
    clips, (rows, columns) = flipped(clips, view, torch.rand(len(clips), device=clips.device) < 0.5), SHAPES[view]
    for axis, most, often in ((3, columns // 4, 0.5), (2, rows // 6, 0.3)):
        if rng.random() < often:
            by = int(rng.integers(-most, most + 1))
            clips = torch.roll(clips.unflatten(2, (rows, columns)), by, axis).flatten(2, 3)
    return clips


def spoil(clips: Tensor, rng: np.random.Generator) -> Tensor:
    """Raise the floor, add noise, smooth, drop: (B, 6, C, T) to the same."""
    count, device, cells = len(clips), clips.device, clips.shape[2]

    def uniform(*shape: int) -> Tensor:
        return torch.rand(count, *shape, device=device)

    def normal(*shape: int) -> Tensor:
        return torch.randn(count, *shape, device=device)

    amounts, signed = clips[:, :AMOUNTS], clips[:, AMOUNTS:]
    length, noisy = clips.shape[3], 0.8 * uniform(1, 1, 1)
    # Noise of sensors and codecs is a floor under every amount: it hides small movements and leaves large ones.
    floor = 5 * uniform(1, 1, 1) - 3.5 + 0.5 * normal(AMOUNTS, cells, 1) + 0.15 * normal(AMOUNTS, cells, length)
    amounts = torch.where(uniform(1, 1, 1) < 0.6, torch.logaddexp(amounts, floor), amounts)
    amounts = amounts * (1 + 0.2 * normal(AMOUNTS, 1, 1)) + 0.3 * normal(AMOUNTS, cells, 1)
    amounts = amounts + 0.7 * noisy * normal(AMOUNTS, cells, length)
    amounts = amounts + 0.3 * uniform(1, 1, 1) * normal(AMOUNTS, 1, length)  # flicker of the whole picture
    signed = signed * (0.5 + uniform(1, 1, 1)) + noisy * normal(len(CELLS) - AMOUNTS, cells, length)
    clips = torch.cat([amounts, signed], dim=1)
    if rng.random() < 0.3:  # as if the camera had taken fewer frames
        side = int(rng.integers(1, 3))
        smooth = avg_pool1d(clips.flatten(0, 1), 2 * side + 1, 1, side, count_include_pad=False)
        clips = smooth.unflatten(0, (count, len(CELLS)))
    kept = (uniform(len(CELLS), 1, 1) > 0.15) & (uniform(1, cells, 1) > 0.15 * uniform(1, 1, 1))
    return torch.where(kept, clips, clips.mean(dim=3, keepdim=True))
