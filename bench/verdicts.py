"""Verdicts judged as they are used: strangers of every kind, recordings that share little, and what is said.

    python bench/motion_set.py EVENTS MOTION        # once: the motion of all takes, without videos
    python bench/verdicts.py NAME=MOTION... [--cuts 3] [--strangers 50] [--views "room and head" …] [--write]

Two cameras of each event are cut at random, half of the cuts so that 20 to 60 % of the shorter clip is shared, half so
that it is more (bench/known_cuts.py). Each is also compared with a clip of every other recording of the set, or of so
many drawn at random: the same task for the robot, other homes for rendered people. By motion alone. It prints

- false *in step* in 1000 mismatched cuts, and *unrelated* said of them;
- matched cuts by how much they share: within 1 s, *in step* said, right when said;
- the chance told that both show one event, and the chance told that the clock is right, beside how often that was so.

Brackets are 95 % intervals over events. Nothing is fitted. `--write` puts the section "verdicts" into
docs/results/alignment.md and the figures into docs/figures.json.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

import known_cuts
from actor_observer.alignment.calibration import NAMES
from actor_observer.alignment.compare import Comparer
from actor_observer.errors import UserError
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.shares import share_interval
from align_events import RIGHT, error_of
from figures import is_shown, keep
from motion_set import SPLITS
from page import write_section

SEED, WIDE = 11, 0.5  # other cuts than those of bench/align.py; half of them share less than 60 %
ABOUT = (
    "Other cuts than above, half of which share only 20 to 60 % of the shorter clip. Strangers are clips of the set's "
    "other recordings, each once where they are few: the same task by the same arm for the robot. By motion alone. In "
    "the last table matched cuts count as much as all strangers together; in brackets, how many cuts, and how many of "
    "them are so."
)
SHARED = ((0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.0))
SAID = ((0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.0))


@dataclass(frozen=True)
class Told:
    """What was said of two clips, and what is true."""

    event: int
    matched: bool
    shared: float
    error: float  # seconds; infinite for strangers
    verdict: str
    one_event: float  # the chance told that both show one event
    clock: float  # the chance told that the clock is right

    @property
    def sure(self) -> bool:
        return self.verdict == "in step"


def main(
    motion: Positional[tuple[str, ...]],
    cuts: int = 3,
    strangers: int = 50,  # mismatched cuts for each matched one: one of every other event where there are no more
    views: tuple[str, ...] = ("room and head",),
    splits: tuple[str, ...] = SPLITS,
    write: bool = False,
) -> None:
    known_cuts.WIDE = WIDE
    found: dict[str, list[Told]] = {}
    for one in motion:
        name, _, path = one.partition("=")
        if not path:
            raise UserError(f"{one}: write NAME=FOLDER, such as robot=MOTION")
        films = known_cuts.open_set(Path(path), splits)
        for both, title in NAMES.items():
            if title not in views:
                continue
            told = [tell(cut) for cut in known_cuts.pairs_of(films, both, cuts, SEED, strangers)]
            if told:
                found[f"{name}: {title}"] = told
                print(false_row(f"{name}: {title}", told), flush=True)
    text = "\n\n".join((false_table(found), shared_table(found), said_table(found)))
    print(f"\n{text}")
    if write:
        names = " ".join(f"{one.partition('=')[0]}=MOTION" for one in motion)
        chosen = " ".join(f'"{title}"' for title in views)
        command = f"python bench/verdicts.py {names} --cuts {cuts} --strangers {strangers} --views {chosen}"
        write_section("verdicts", f"## Verdicts as they are used\n\n{ABOUT}\n\n{text}", command)
        for title, told in found.items():
            key = title.replace(": ", ".").replace(" and ", "-")
            if is_shown(f"verdicts.{key}.false"):
                keep(f"verdicts.{key}.false", false_of(told).text(1, 1000), command)
            if is_shown(f"verdicts.{key}.told"):
                keep(f"verdicts.{key}.told", told_in_words(told), command)


def tell(cut: known_cuts.TwoClips) -> Told:
    """Compare two clips."""
    told = Comparer().compare(cut.one, cut.other)
    error = np.inf if cut.truth is None else error_of(told, cut.truth)
    return Told(cut.event, cut.truth is not None, cut.shared, error, told.verdict, told.matched, told.confidence)


def share(told: Sequence[Told], right: Callable[[Told], bool]) -> Interval:
    """How often something is so, with an interval over events."""
    events = sorted({one.event for one in told})
    of = [[right(one) for one in told if one.event == event] for event in events]
    return share_interval([sum(some) for some in of], [len(some) for some in of])


def false_of(told: Sequence[Told]) -> Interval:
    return share([one for one in told if not one.matched], lambda one: one.sure)


def false_row(title: str, told: Sequence[Told]) -> str:
    strange = [one for one in told if not one.matched]
    unrelated = share(strange, lambda one: one.verdict == "unrelated")
    sure = [one for one in told if one.matched and one.sure]
    return (
        f"| {title} | {len({one.event for one in told})} | {sum(one.sure for one in strange)} of {len(strange)} | "
        f"{false_of(told).text(1, 1000)} | {unrelated.percent()} | "
        f"{sum(one.error <= RIGHT for one in sure)} of {len(sure)} |"
    )


def false_table(found: dict[str, list[Told]]) -> str:
    head = (
        "| recordings | events | false *in step* | of 1000 | *unrelated* said of strangers (%) | right when said of "
        "matched |\n|---|---|---|---|---|---|"
    )
    return "\n".join((head, *(false_row(title, told) for title, told in found.items())))


def shared_table(found: dict[str, list[Told]]) -> str:
    lines = ["| matched, shared of the shorter | cuts | within 1 s (%) | *in step* (%) | right when said |"]
    lines.append("|---|---|---|---|---|")
    for title, told in found.items():
        for low, high in SHARED:
            some = [one for one in told if one.matched and low <= one.shared < high + (high == 1.0)]
            if some:
                sure = [one for one in some if one.sure]
                lines.append(
                    f"| {title}, {100 * low:.0f} to {100 * high:.0f} % | {len(some)} | "
                    f"{share(some, lambda one: one.error <= 1).percent()} | "
                    f"{share(some, lambda one: one.sure).percent()} | "
                    f"{sum(one.error <= RIGHT for one in sure)} of {len(sure)} |"
                )
    return "\n".join(lines)


def said_table(found: dict[str, list[Told]]) -> str:
    """Matched cuts count as much as all strangers together: half of what is compared belongs together."""
    lines = ["| said | one event: told | was so | clock right: told | was so |", "|---|---|---|---|---|"]
    for title, told in found.items():
        rows = one_event(told), clock_right(told)
        for low, high in SAID:
            cells = [reliability(some, low, high) for some in rows]
            if any(cells):
                shown = " | ".join(str(cell) if cell else "– | –" for cell in cells)
                lines.append(f"| {title}, {low:g} to {high:g} | {shown} |")
    return "\n".join(lines)


Row = tuple[float, bool, float]  # what was said, whether it was so, and how much it counts


def one_event(told: Sequence[Told]) -> list[Row]:
    """Of every cut, the chance told that both clips show one event."""
    return [(one.one_event, one.matched, weight) for one, weight in zip(told, weights(told), strict=True)]


def clock_right(told: Sequence[Told]) -> list[Row]:
    """Of every cut, the chance told that the clock is right."""
    return [(one.clock, one.error <= RIGHT, weight) for one, weight in zip(told, weights(told), strict=True)]


def weights(told: Sequence[Told]) -> list[float]:
    """Half of what is compared belongs together."""
    matched = sum(one.matched for one in told)
    return [1.0 if one.matched else matched / max(1, len(told) - matched) for one in told]


@dataclass(frozen=True)
class Reliability:
    """What was told on average between two values, how often it was so, and of how many cuts."""

    told: float
    was: float
    cuts: int
    so: int

    def __str__(self) -> str:
        return f"{self.told:.2f} ({self.cuts}, {self.so}) | {self.was:.2f}"


def reliability(rows: Sequence[Row], low: float, high: float) -> Reliability | None:
    """One line of the table, where anything was told between two values.

    >>> print(reliability([(0.8, True, 1.0), (0.9, False, 1.0), (0.2, True, 1.0)], 0.7, 1.0))
    0.85 (2, 1) | 0.50
    """
    some = np.array([row for row in rows if low <= row[0] < high + (high == 1.0)], dtype=float)
    if not len(some):
        return None
    said, was = (np.average(some[:, column], weights=some[:, 2]) for column in (0, 1))
    return Reliability(float(said), float(was), len(some), int(some[:, 1].sum()))


def told_in_words(told: Sequence[Told]) -> str:
    """The chance told that both show one event, beside how often that was so: `said .25, was so .59; …`.

    >>> told_in_words([Told(0, True, 1.0, 0.0, "in step", 0.9, 0.9), Told(0, False, 1.0, 9.0, "", 0.2, 0.1)])
    'said 0.20, was so 0.00; 0.90, 1.00'
    """
    found = [one for low, high in SAID if (one := reliability(one_event(told), low, high))]
    return "said " + "; ".join(
        f"{one.told:.2f}, {'' if number else 'was so '}{one.was:.2f}" for number, one in enumerate(found)
    )


if __name__ == "__main__":
    tyro.cli(main)
