"""Clips cut at random out of events whose clocks are known, matched and mismatched, as evidence sees them.

What was measured once on a whole recording (motion, and what the motion heads make of it) is cut; videos stay as they
are. Mismatched are clips of two events of a set, or, of one long event, clips that share no moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.belief import Belief
from actor_observer.alignment.kinds import KINDS
from actor_observer.alignment.kinds.learned_motion import load_coarse_heads, load_heads, watch, watch_coarsely
from actor_observer.alignment.kinds.motion import motion_rate
from actor_observer.alignment.kinds.signal_curves import signal_rate
from actor_observer.alignment.recordings.lags import Lags, chunk_middles, lag_grid
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.model.motion_heads import HEAD_RATE, Watched, unit
from actor_observer.pairs.manifest import View
from cuts import Cut, retimed
from cuts import clip as cut_clip
from motion_set import SPLITS, Event, EventTake, read_event_motion

__all__ = [
    "Case",
    "Filmed",
    "TwoClips",
    "at_offset",
    "case_of",
    "cases_of",
    "clip_of",
    "draw_cut",
    "filmed",
    "open_set",
    "pairs_of",
]

Array = NDArray[np.float64]
LONG = 60.0  # seconds: of longer events, cuts are made out of stretches of this length
SHORTEST = 12.0  # seconds of an event that cuts can be made of
APART = 5.0  # seconds between two clips of one event that share no moment
WIDE = 0.25  # of the cuts share less than 60 % of the shorter clip


@dataclass(frozen=True, eq=False)
class Filmed:
    """One camera's recording of an event, in seconds of the event."""

    take: EventTake
    start: float  # seconds of the event at which it begins
    end: float
    whole: Recording  # in its own seconds


@dataclass(frozen=True, eq=False)
class Case:
    """Two clips: the scores of all kinds of evidence, and the truth."""

    set: str
    event: int
    views: tuple[View, View]
    lengths: tuple[float, float]
    lags: Lags
    channels: tuple[tuple[str, str], ...]  # kind and channel of each row
    middles: Array  # (C,) seconds of the other clip, of each chunk's middle
    scores: NDArray[np.float32]  # (K, C, L)
    truth: float | None  # seconds; None: mismatched
    people: int = 1
    shared: float = 0.0  # of the shorter clip


@dataclass(frozen=True, eq=False)
class TwoClips:
    """Two clips of one event, or of two, and the truth."""

    event: int
    one: Recording
    other: Recording
    truth: float | None  # seconds; None: mismatched
    shared: float = 0.0  # of the shorter clip


def open_set(folder: Path, splits: tuple[str, ...] = SPLITS) -> list[tuple[Event, list[Filmed]]]:
    """All events of a folder that bench/motion_set.py made."""
    return filmed(read_event_motion(folder, splits))


def filmed(events: Sequence[Event]) -> list[tuple[Event, list[Filmed]]]:
    """Events with their recordings, to be cut."""
    return [(event, [_filmed(take) for take in event.takes]) for event in events]


def _filmed(take: EventTake) -> Filmed:
    start, end = (float(take.offset + take.motion.times[at] / take.rate) for at in (0, -1))
    view: View = "third" if take.view == "third" else "first"
    whole = Recording(np.zeros(0, np.uint8), view, end - start)
    own = retimed(take.motion, lambda times: take.offset + times / take.rate - start, end - start)
    whole.__dict__["motion"] = own  # as if asked for
    return Filmed(take, start, end, whole)


def clip_of(film: Filmed, start: float, end: float) -> Recording:
    """A stretch of a recording (seconds of the event): its motion, and what the heads made of it, no pictures."""
    begin = start - film.start
    clip = cut_clip(film.whole.motion, begin, begin + end - start, film.whole.view)
    heads = load_heads()
    if heads is not None:
        low, count = round(begin * HEAD_RATE), max(1, int((end - start) * HEAD_RATE))
        clip.watched[heads] = [_part(one, low, count) for one in watch(heads, film.whole)]
        coarse = load_coarse_heads()
        if coarse is not None:
            clip.vectors[coarse] = unit(watch_coarsely(coarse, film.whole)[None, :, low : low + count])[0]
    return clip


def _part(seen: Watched, start: int, count: int) -> Watched:
    span = slice(start, start + count)
    whole = {view: unit(one[..., span]) for view, one in seen.whole.items()}
    return Watched(whole, unit(seen.cells[..., span].float()).half(), unit(seen.asks[..., span]))


def cases_of(
    name: str,
    films: Sequence[tuple[Event, Sequence[Filmed]]],
    views: tuple[View, View],
    cuts: int,
    seed: int,
    strangers: int = 1,
) -> Iterator[Case]:
    """So many matched cuts of each event, and so many mismatched for each, as calibration sees them."""
    for cut in pairs_of(films, views, cuts, seed, strangers):
        yield case_of(name, cut, films[cut.event][0].people)


def pairs_of(
    films: Sequence[tuple[Event, Sequence[Filmed]]],
    views: tuple[View, View],
    cuts: int,
    seed: int,
    strangers: int = 1,  # mismatched cuts for each matched one; one of every other event where there are no more
) -> Iterator[TwoClips]:
    """So many matched cuts of each event, and mismatched ones."""
    any_two = np.random.default_rng(0)
    fitting = [number for number, (_, some) in enumerate(films) if len(_two(some, views, any_two)) == 2]
    for place, number in enumerate(fitting):
        some = films[number][1]
        rng = np.random.default_rng([seed, number, len(views[0]), len(views[1])])
        for _ in range(cuts):
            one, other = _two(some, views, rng)
            found = draw_cut(max(one.start, other.start), min(one.end, other.end), rng)
            if found is None:
                continue
            yield _cut(number, (one, other), found, found.offset)
            every = 1 < len(fitting) - 1 <= strangers  # each of the others once
            for nth in range(len(fitting) - 1 if every else strangers):
                stranger, strange = other, None
                if len(fitting) > 1:
                    step = nth if every else int(rng.integers(len(fitting) - 1))
                    away = fitting[(place + 1 + step) % len(fitting)]
                    stranger = _two(films[away][1], views, rng)[1]
                    strange = draw_cut(stranger.start, stranger.end, rng)
                else:
                    strange = _elsewhere(found, other, rng)
                if strange is not None:
                    yield _cut(number, (one, stranger), Cut(found.third, strange.first), None)


def at_offset(belief: Belief, offset: float) -> Belief:
    """The same with another clock, which is known."""
    return replace(belief, offset=offset, rate=1.0)


def draw_cut(start: float, end: float, rng: np.random.Generator) -> Cut | None:
    """A clip of each of two recordings of one event; some share little. None where the event is too short."""
    if end - start > LONG:
        start = float(rng.uniform(start, end - LONG))
        end = start + LONG
    whole = end - start
    if whole < SHORTEST:
        return None
    wide = rng.random() < WIDE
    for _ in range(1000):
        lengths = rng.uniform(0.4 if wide else 0.55, 0.8, 2) * whole
        starts = start + rng.uniform(0, whole - lengths)
        ends = starts + lengths
        shared = (ends.min() - starts.max()) / lengths.min()
        if (0.2 <= shared < 0.6) if wide else shared >= 0.6:
            return Cut((float(starts[0]), float(ends[0])), (float(starts[1]), float(ends[1])))
    return None


def _elsewhere(cut: Cut, film: Filmed, rng: np.random.Generator) -> Cut | None:
    """A clip of the same recording that shares no moment with a cut's."""
    length = cut.first[1] - cut.first[0]
    for _ in range(200):
        start = float(rng.uniform(film.start, max(film.start, film.end - length)))
        if (start + length < cut.third[0] - APART or start > cut.third[1] + APART) and start + length <= film.end:
            return Cut(cut.third, (start, start + length))
    return None


def _two(films: Sequence[Filmed], views: tuple[View, View], rng: np.random.Generator) -> list[Filmed]:
    chosen: list[Filmed] = []
    for view in views:
        fitting = [film for film in films if film.whole.view == view and film not in chosen]
        if fitting:
            chosen.append(fitting[int(rng.integers(len(fitting)))])
    return chosen


def _cut(number: int, films: tuple[Filmed, Filmed], cut: Cut, truth: float | None) -> TwoClips:
    shared = min(cut.third[1], cut.first[1]) - max(cut.third[0], cut.first[0])
    one, other = clip_of(films[0], *cut.third), clip_of(films[1], *cut.first)
    return TwoClips(number, one, other, truth, shared / min(one.length, other.length))


def case_of(name: str, cut: TwoClips, people: int = 1) -> Case:
    """Two clips as calibration sees them: the scores of all channels that have a weight."""
    one, other = cut.one, cut.other
    rate = signal_rate(one, other) or motion_rate(one.motion, other.motion)
    lags = lag_grid(one.length, other.length, rate)
    middles, names, rows = chunk_middles(other.length), [], []
    for kind in KINDS:
        found = None if kind.likelihood else kind.lags(one, other, lags)
        if found is not None:
            names += [(kind.name, channel) for channel, _ in found.channels]
            rows += [scores() for _, scores in found.channels]
    table = np.stack(rows).astype(np.float32) if rows else np.zeros((0, len(middles), lags.count), np.float32)
    views, lengths = (one.view, other.view), (one.length, other.length)
    return Case(name, cut.event, views, lengths, lags, tuple(names), middles, table, cut.truth, people, cut.shared)
