"""Events filmed by several cameras: two cameras of any views, all cameras together, and who wears the head camera.

    python bench/motion_set.py EVENTS MOTION        # once: the motion of all takes, without videos
    python bench/align.py events MOTION... [--cuts 3] [--wide] [--strangers 10] [--splits test]

Clips are cut at random (bench/known_cuts.py), and at least 60 % of the shorter is shared; with `--wide` 20 to 60 %.
Mismatched are clips of two events of a set, or clips of one event that share no moment. What a network sees is left
out: these are the answers by motion alone. The error is that of the clock at the middle of the other clip. Beside it
stands a rule that does not look: the middles of both clips are one moment. Brackets are 95 % intervals over events.
Nothing is fitted here; say how often a test part was run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

import known_cuts
from actor_observer.alignment.calibration import NAMES, load_calibration
from actor_observer.alignment.cameras.join import join_cameras
from actor_observer.alignment.cameras.many import compare_all
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.wearer import find_wearer
from actor_observer.evaluation.statistics.shares import share_interval
from known_cuts import Filmed, clip_of
from motion_set import SPLITS, Event

RIGHT = 0.5  # seconds
Films = Sequence[tuple[Event, Sequence[Filmed]]]
Span = tuple[Filmed, float, float]  # a camera, and the start and end of a clip, in seconds of its event
HEAD = (
    "| recordings | cuts | within 1 s (%) | both middles together, within 1 s (%) | median (s) | *in step* (%) | "
    "right when said | mismatched *in step* |\n|---|---|---|---|---|---|---|---|"
)


def main(
    motion: Positional[tuple[Path, ...]],
    cuts: int = 3,
    wide: bool = False,
    strangers: int = 1,  # mismatched cuts for each matched one
    splits: tuple[str, ...] = SPLITS,
) -> None:
    """Cut, compare, count, print."""
    known_cuts.WIDE = 1.0 if wide else 0.0
    print(HEAD)
    for folder in motion:
        films = known_cuts.open_set(folder, splits)
        count = cuts if len(films) > 3 else 15 * cuts
        for views, title in NAMES.items():
            found = [*known_cuts.pairs_of(films, views, count, 5, strangers)]
            if found:
                print(f"| {folder.name}: {title} | " + " | ".join(row(found)) + " |", flush=True)
                by_people(folder.name, title, films, found)
        if len(films) > 3 and max(len(some) for _, some in films) > 2:
            print(f"\n{together(films)}\n\n{wearers(films)}\n", flush=True)


def row(found: Sequence[known_cuts.TwoClips]) -> list[str]:
    """The figures of some cuts."""
    comparer = Comparer()
    right, said, near, blind, false, strangers, off = [], [], [], [], 0, 0, []
    events: list[int] = []
    for cut in found:
        told = comparer.compare(cut.one, cut.other)
        if cut.truth is None:
            strangers += 1
            false += told.verdict == "in step"
            continue
        off.append(error_of(told, cut.truth))
        events.append(cut.event)
        said.append(told.verdict == "in step")
        near.append(off[-1] <= 1)
        blind.append(abs((cut.one.length - cut.other.length) / 2 - cut.truth) <= 1)
        right.append(said[-1] and off[-1] <= RIGHT)
    named = sum(said)
    return [
        str(len(off)),
        over_events(near, events),
        over_events(blind, events),
        f"{np.median(off):.3f}",
        over_events(said, events),
        f"{sum(right)} of {named}",
        f"{false} of {strangers}",
    ]


def by_people(name: str, title: str, films: Films, found: Sequence[known_cuts.TwoClips]) -> None:
    """The same by how many people are there, where sets differ in it."""
    groups = {"1 person": (1, 1), "2 people": (2, 2), "3 to 5 people": (3, 5)}
    if title != "room and head" or len({event.people for event, _ in films}) < 2:
        return
    for group, (low, high) in groups.items():
        some = [cut for cut in found if low <= films[cut.event][0].people <= high]
        if some:
            print(f"| {name}: {title}, {group} | " + " | ".join(row(some)) + " |", flush=True)


def error_of(found: Comparison, truth: float) -> float:
    middle = found.other.length / 2
    return abs(found.belief.to_one(middle) - middle - truth)


def over_events(hits: Sequence[bool], events: Sequence[int]) -> str:
    """A share with an interval over events, in per cent."""
    numbers = sorted(set(events))
    counts = [sum(event == number for event in events) for number in numbers]
    good = [sum(hit for hit, event in zip(hits, events, strict=True) if event == number) for number in numbers]
    return share_interval(np.array(good, float), np.array(counts, float)).percent()


def together(films: Films) -> str:
    """All cameras of each event at once, each cut at random."""
    every, heads, sure, false = [], [], [], 0
    for number, (_, some) in enumerate(films):
        spans = cut_each(some, np.random.default_rng([6, number]))
        clips = [clip_of(*span) for span in spans]
        found = join_cameras(clips, compare_all(clips, Comparer()), load_calibration())
        off = errors_of(found, spans)
        every.append(max(off) <= 1)
        heads += [one <= 1 for one, camera in zip(off, found.cameras, strict=True) if camera.view == "first"]
        said = [one <= RIGHT for one, camera in zip(off, found.cameras, strict=True) if camera.verdict == "in step"]
        sure.append(len(said) / len(off))
        false += len(said) - sum(said)
    events = [*range(len(every))]
    return (
        f"All cameras of an event together ({len(every)} events): all within 1 s in {over_events(every, events)} %, "
        f"head cameras in {np.mean(heads):.1%}; *in step* said for {np.mean(sure):.1%} of the cameras, {false} of them "
        f"more than {RIGHT:g} s off."
    )


def cut_each(some: Sequence[Filmed], rng: np.random.Generator) -> list[Span]:
    """A clip of each camera of an event, 60 to 85 % of what all of them filmed."""
    start, end = max(film.start for film in some), min(film.end for film in some)
    spans = []
    for film in some:
        length = float(rng.uniform(0.6, 0.85)) * (end - start)
        begin = float(rng.uniform(start, end - length))
        spans.append((film, begin, begin + length))
    return spans


def errors_of(found: Cameras, spans: Sequence[Span]) -> list[float]:
    """Seconds by which each camera's clock is off at its middle; those of another event than the reference's, too."""
    assert found.cameras[found.reference].offset == 0
    off = []
    for camera, (_, begin, _) in zip(found.cameras, spans, strict=True):
        middle, truth = camera.length / 2, begin - spans[found.reference][1]
        off.append(abs(camera.offset + camera.rate * middle - middle - truth))
    return off


def wearers(films: Films) -> str:
    """How often the middle of the box lies on the wearer's body, the recordings in step; beside it, on anybody's."""
    lines = ["| people in the room | boxes | on the wearer (%) | a person at random (%) |", "|---|---|---|---|"]
    for low, high in ((1, 1), (2, 2), (3, 3), (4, 5)):
        hits, chances, events = [], [], []
        for number, (event, some) in enumerate(films):
            if not low <= event.people <= high:
                continue
            for room in (film for film in some if film.whole.view == "third"):
                for head in (film for film in some if film.whole.view == "first"):
                    for hit, chance in _boxes(room, head):
                        hits.append(hit)
                        chances.append(chance)
                        events.append(number)
        if hits:
            people = str(low) if low == high else f"{low} to {high}"
            cells = f"{len(hits)} | {over_events(hits, events)} | {100 * np.mean(chances):.0f}"
            lines.append(f"| {people} | {cells} |")
    return "\n".join(lines)


def _boxes(room: Filmed, head: Filmed) -> list[tuple[bool, float]]:
    """For each box: whether its middle lies on the wearer; and how likely it is to meet the wearer by chance."""
    start, end = max(room.start, head.start), min(room.end, head.end)
    third, first = clip_of(room, start, end), clip_of(head, start, end)
    belief = Comparer().compare(third, first).belief
    belief = known_cuts.at_offset(belief, 0.0)
    take, found = room.take, []
    assert take.masks is not None and take.people_times is not None
    if head.take.wearer not in take.names:
        return []
    wearer = take.names.index(head.take.wearer)
    seen = take.offset + take.people_times / take.rate
    for place in find_wearer(third, first, belief):
        at = int(np.abs(seen - (start + place.time)).argmin())
        masks = take.masks[at]  # (K, 18, 24)
        if not masks[wearer].any():
            continue
        left, top, right, bottom = place.box
        row, column = int((top + bottom) / 2 * masks.shape[1]), int((left + right) / 2 * masks.shape[2])
        near = masks[wearer, max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
        visible = sum(bool(mask.any()) for mask in masks)
        found.append((bool(near.any()), 1 / max(1, visible)))
    return found


if __name__ == "__main__":
    tyro.cli(main)
