"""The tasks that helper processes know. Each gets a `progress` to call with a share from 0 to 1, and plain values.

Each imports what it needs when it is first asked for: converting a video need not wait for the network.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError

__all__ = ["TASKS"]

Progress = Callable[[float], object]
Answer = dict[str, Any]


def _warm(progress: Progress) -> Answer:
    from actor_observer.web.media import pictures  # brings torch

    return {"ready": bool(pictures)}


def _echo(progress: Progress, **said: Any) -> Answer:
    return said


def _facts(progress: Progress, path: str) -> Answer:
    from dataclasses import asdict

    from actor_observer.web.media.examine_child import read_facts

    return asdict(read_facts(Path(path)))


def _manifest(progress: Progress, data: list[str], videos: list[str], seed: int, first: str | None) -> Answer:
    from actor_observer.web.data import open_data
    from actor_observer.web.work.plain_manifest import to_plain

    return to_plain(open_data([Path(one) for one in data], [Path(one) for one in videos], seed, first))


def _strip(progress: Progress, path: str, rate: float | None, length: float, out: str) -> Answer:
    from actor_observer.web.media import pictures

    pictures.write_strip(Path(path), rate, length, Path(out))
    return {}


def _wave(progress: Progress, path: str, length: float, out: str) -> Answer:
    from actor_observer.web.media import wave

    wave.write_wave(Path(path), length, Path(out))
    return {}


def _frame(progress: Progress, path: str, rate: float | None, time: float, height: int, out: str) -> Answer:
    from actor_observer.web.media import pictures

    pictures.write_frame(Path(path), rate, time, height, Path(out))
    return {}


def _convert(progress: Progress, path: str, rate: float | None, out: str, encode: bool = False) -> Answer:
    from actor_observer.web.media import convert

    convert.convert(Path(path), Path(out), rate, progress, encode)
    return {}


def _curves(progress: Progress, data: str, event: str, files: list[str]) -> Answer:
    from actor_observer.web.event.curves import curves_of, file_curves

    own = curves_of(Path(data), event) if data and event else []
    return {"curves": own, "files": file_curves([Path(path) for path in files])}


def _signal_clocks(progress: Progress, third: str, rate: float | None, signals: dict[str, str]) -> Answer:
    from actor_observer.web import library

    for number, (signal, out) in enumerate(signals.items()):
        library.put_signal_in_step(Path(third), rate, Path(signal), Path(out))
        progress((number + 1) / len(signals))
    return {}


def _look(progress: Progress, third: str, first: str, rates: list[float | None], model: str | None, out: str) -> Answer:
    from actor_observer.web import library

    return library.look(Path(third), Path(first), rates, model, Path(out), progress)


def _align(progress: Progress, third: str, first: str, rates: list[float | None], model: str | None) -> Answer:
    from actor_observer.web import library

    return library.put_in_step(Path(third), Path(first), rates, model)


def _index(progress: Progress, takes: list[dict[str, Any]], out: str, model: str | None) -> Answer:
    from actor_observer.web import library

    return library.make_index(takes, Path(out), model, progress)


def _search(progress: Progress, **asked: Any) -> Answer:
    from actor_observer.web import library

    return library.find(**asked)


def _spread(progress: Progress, index: str, out: str) -> Answer:
    from actor_observer.web.overview.spread import write_spread

    write_spread(Path(index), Path(out))
    return {}


def _check(progress: Progress, path: str, view: str) -> Answer:
    from actor_observer.web.collect.checks import check_recording

    return check_recording(Path(path), view)


def _agreement(progress: Progress, data: list[str], keep: str) -> Answer:
    from actor_observer.web.data import open_data
    from actor_observer.web.store.database import Database
    from actor_observer.web.store.marks import Marks
    from actor_observer.web.store.people import People
    from actor_observer.web.study.agreement import exact_clocks, measure
    from actor_observer.web.study.mark_agreement import measure_marks
    from actor_observer.web.study.studies import Studies

    places = [Path(place) for place in data]
    try:
        clocks = exact_clocks(places[0], open_data(places)) if len(places) == 1 else {}
    except UserError:  # all that was collected has been withdrawn: people can still be compared with each other
        clocks = {}
    database = Database(Path(keep))
    found = measure(Studies(database).answers(), clocks)
    found += measure_marks(Marks(database).everybodys(), People(database).names(), clocks)
    database.close()
    return {"found": [one.to_dict() for one in found]}


TASKS: dict[str, Callable[..., Answer]] = {
    "echo": _echo,
    "warm": _warm,
    "facts": _facts,
    "manifest": _manifest,
    "strip": _strip,
    "wave": _wave,
    "frame": _frame,
    "convert": _convert,
    "curves": _curves,
    "signal_clocks": _signal_clocks,
    "look": _look,
    "align": _align,
    "index": _index,
    "search": _search,
    "spread": _spread,
    "check": _check,
    "agreement": _agreement,
}
