"""How well people find a moment of one video in the other: errors against truth, or against each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.markers import FILE, Markers, interval_json
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of, median_of, share_of
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest
from actor_observer.web.data import Places, open_data
from actor_observer.web.store.database import FILE as DATABASE
from actor_observer.web.store.database import Database
from actor_observer.web.study.studies import Answer, Studies

__all__ = ["Agreement", "Line", "agreement_of", "exact_clocks", "measure", "opened", "write_agreement"]


@dataclass(frozen=True)
class Line:
    """The errors of one marker, or of all of them, in seconds."""

    name: str
    median: Interval
    mean: Interval
    within: Interval  # share of answers within one second
    answers: int
    skipped: int
    pairs: int
    people: bool  # whether every answer was given by somebody who says they are a person, and by no program
    who: str = "people"  # or "not said", or "not only people"


@dataclass(frozen=True)
class Agreement:
    """What a data set's studies say: a line for each marker and one for all, against truth or each other."""

    against: str  # "truth" or "each other"; with "marks", not of studies but of what people marked
    lines: tuple[Line, ...]
    overall: Line | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        every = [*self.lines, *([self.overall] if self.overall else [])]
        return {
            "against": self.against,
            "lines": [_line_json(line) for line in self.lines],
            "overall": _line_json(every[-1]) if self.overall else None,
        }


def measure(answers: Sequence[Answer], clocks: dict[str, Clock]) -> list[Agreement]:
    """Errors against truth for the pairs that have an exact clock, and against each other for every pair.

    Against truth, errors are third-person seconds whichever video was searched. Against each other, an answer is
    compared with the median of the other people's answers to the same task, in seconds of the video searched.

    >>> one = Answer(1, "third", "a", 4.0, 6.5, 1, "ann", "person", False)
    >>> [found] = measure([one], {"a": Clock(((2.0, 0.0),))})
    >>> found.against, found.overall.median.value, found.overall.name, found.overall.people
    ('truth', 0.5, 'ann', True)
    """
    found = []
    truth = [(one, _error(one, clocks[one.pair])) for one in answers if one.pair in clocks]
    others = [(one, _against_others(one, answers)) for one in answers]
    for against, errors in (("truth", truth), ("each other", others)):
        known = [(one, error) for one, error in errors if error is not None or one.time is None]
        if any(error is not None for _, error in known):
            found.append(agreement_of(against, known))
    return found


def write_agreement(data: Path, studio: Path | None = None, out: Path | None = None) -> list[Agreement]:
    """Measure the studies of a data set and write `agreement.json` beside it, where `evaluate` reads it.

    >>> write_agreement(Path("no-such-folder"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    with opened(data, studio) as (keep, manifest, database):
        found = measure(Studies(database).answers(), exact_clocks(data, manifest))
    if not found:
        raise UserError(f"{keep}: no study has answers yet; open the page Study in: actor-observer studio {data}")
    place = out or Places((data,)).home / FILE
    try:
        write_whole(place, (json.dumps(_markers(found[0]).to_dict(), indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise UserError(f"{place}: cannot be written ({error.strerror or error}); choose another --out") from None
    return found


@contextmanager
def opened(data: Path, studio: Path | None) -> Iterator[tuple[Path, Manifest, Database]]:
    """The studio's folder of a data set, its manifest, and the studio's database for as long as the block lasts."""
    places = Places((data,))
    manifest = open_data(places.data)
    keep = studio or places.home / "studio"
    if not (keep / DATABASE).is_file():
        raise UserError(f"{keep}: no studio there yet; start one with: actor-observer studio {data}")
    with closing(Database(keep)) as database:
        yield keep, manifest, database


def exact_clocks(data: Path, manifest: Manifest) -> dict[str, Clock]:
    """The clocks that count as truth: those of `truth/`, and those that a pairs.csv states."""
    truth = find_truth(data)
    clocks = {pair.id: pair.clock for pair in (truth.exact(manifest.pairs) if truth else ())}
    for pair in manifest.pairs:
        stated = pair.clock.anchors != Clock.scaled(*manifest.lengths(pair)).anchors
        if pair.id not in clocks and stated and pair.same_person:
            clocks[pair.id] = pair.clock
    return clocks


def _error(answer: Answer, clock: Clock) -> float | None:
    if answer.time is None:
        return None
    third, first = (answer.time, answer.shown) if answer.find == "third" else (answer.shown, answer.time)
    asked = clock.first_in_both(np.array([first])) if answer.find == "third" else clock.in_both(np.array([third]))
    return abs(third - clock.to_third(first)) if asked[0] else None


def _against_others(answer: Answer, answers: Sequence[Answer]) -> float | None:
    others = [
        other.time
        for other in answers
        if (other.study, other.pair, other.shown) == (answer.study, answer.pair, answer.shown)
        and other.person != answer.person
        and other.time is not None
    ]
    return abs(answer.time - float(np.median(others))) if others and answer.time is not None else None


def agreement_of(against: str, errors: Sequence[tuple[Answer, float | None]]) -> Agreement:
    """A line for each person, and one for all; an error is None where somebody skipped."""
    people: dict[int, list[tuple[Answer, float | None]]] = {}
    for one, error in errors:
        people.setdefault(one.person, []).append((one, error))
    lines = [line for line in (_line(own[0][0].name, own) for own in people.values()) if line]
    names = ", ".join(line.name for line in lines)
    return Agreement(against, tuple(lines), _line(names, errors))


def _line(name: str, errors: Sequence[tuple[Answer, float | None]]) -> Line | None:
    given = [(one, error) for one, error in errors if error is not None]
    if not given:
        return None
    pairs = sorted({one.pair for one, _ in given})
    values = np.array([error for _, error in given])
    video: NDArray[np.int64] = np.array([pairs.index(one.pair) for one, _ in given], dtype=np.int64)
    people = all(one.kind == "person" and not one.automated for one, _ in errors)
    return Line(
        name=name,
        median=bootstrap(median_of(values, video), len(pairs)),
        mean=bootstrap(mean_of(values, video), len(pairs)),
        within=share_over(share_of((values <= 1.0).astype(float), video), len(pairs)),
        answers=len(given),
        skipped=len(errors) - len(given),
        pairs=len(pairs),
        people=people,
        who="people" if people else "not only people" if any(map(_by_program, errors)) else "not said",
    )


def _by_program(given: tuple[Answer, float | None]) -> bool:
    return given[0].automated or given[0].kind == "program"


def _markers(found: Agreement) -> Markers:
    line = found.overall
    assert line is not None
    names = tuple(one.name for one in found.lines)
    return Markers(names, line.people, found.against, line.median, line.mean, line.within, line.answers, line.pairs)


def _line_json(line: Line) -> dict[str, Any]:
    figures = {name: interval_json(getattr(line, name)) for name in ("median", "mean", "within")}
    rest = ("name", "answers", "skipped", "pairs", "people", "who")
    return {**{name: getattr(line, name) for name in rest}, **figures}
