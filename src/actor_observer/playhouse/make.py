"""Make a set: plan it, record every take, write the tables. Resumes where it was stopped."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from actor_observer.disk import only_writer, write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import SPLITS, Split
from actor_observer.playhouse.event_plan import Events, plan_events
from actor_observer.playhouse.filming.render import check_drawing
from actor_observer.playhouse.planner import SECONDS, Tempo, plan_set, plan_together
from actor_observer.playhouse.record import FOLDERS, Look
from actor_observer.playhouse.record_all import ForEach, record_all, record_elsewhere
from actor_observer.playhouse.set_plan import SetPlan
from actor_observer.playhouse.tables import write_tables
from actor_observer.playhouse.varied_plan import vary
from actor_observer.shards import NOTE, PartNote, Shard, write_note

__all__ = ["Made", "make"]

MADE = Path("truth", "made.json")  # what is made in a folder


@dataclass(frozen=True)
class Made:
    """What a run of `make` did."""

    takes: int
    frames: int  # drawn in this run; 0 if all were already there
    seconds: float

    @property
    def frames_per_second(self) -> float:
        return self.frames / max(self.seconds, 1e-9)


def make(
    out: str | Path,
    pairs: int,
    seed: int,
    size: tuple[int, int] = (224, 168),
    fps: float = 12.0,
    workers: int | None = None,
    together: bool = False,
    events: Events | None = None,
    varied: bool = False,
    rates: tuple[float, float] = (0.9, 1.1),
    labelled: int = 0,
    seconds: tuple[float, float] | None = None,
    tempo: Tempo = "free",
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
    different: tuple[Split, ...] = SPLITS,
    crf: int = 23,
    preset: str = "veryfast",
    quiet: bool = False,
    shard: Shard | None = None,
    for_each: ForEach | None = None,
) -> Made:
    """Make a set in the folder `out`. Called again with the same settings, it continues where it stopped.

    With `shard` only that part of the takes is recorded, for `merge`. With `for_each`, a function that does something
    for every take in order, such as a cluster's, takes are recorded by it, and written here.

    `pairs` and `seed` decide everything else; `labelled` adds third-person takes that carry labels and belong to no
    pair; `different` names the splits whose pairs get a third-person take by another actor; `tempo` is that of the
    separate performances (see `plan_set`). With `together` both
    cameras record one performance, the head camera's clock at a rate in `rates`; `varied` draws cameras, frame rates,
    recordings that overlap in part, bystanders and whole-body movement for each pair (`fps` and `rates` then do not
    matter). With `events` there are `pairs` events instead, each with several cameras and people, all varied so.

    >>> make(Path("OUT"), pairs=20, seed=0, size=(223, 167))
    Traceback (most recent call last):
    actor_observer.errors.UserError: the playhouse needs ... a size of multiples of 4 from 32 up, such as 224x168
    """
    if pairs < 1 or min(size) < 32 or size[0] % 4 or size[1] % 4:
        raise UserError(
            "the playhouse needs at least one pair, and a size of multiples of 4 from 32 up, such as 224x168"
        )
    if events and (together or varied or labelled):
        raise UserError("events are always varied and filmed together, without labelled takes: leave those options out")
    if varied and not together:
        raise UserError("varied is for sets of both cameras on one performance: give --together as well")
    out = Path(out)
    _refuse_others(out)
    if for_each is None:
        check_drawing()
    once = seconds or SECONDS["steady"]  # of performances that are recorded once
    if events:
        plan = plan_events(pairs, seed, events, seconds=once, shares=shares)
    elif together:
        plan = plan_together(pairs, seed, fps=fps, seconds=once, shares=shares, rates=rates)
        plan = vary(plan, seed) if varied else plan
    else:
        plan = plan_set(
            pairs, seed, fps=fps, labelled=labelled, seconds=seconds, shares=shares, different=different, tempo=tempo
        )
    for folder in FOLDERS:
        (out / folder).mkdir(parents=True, exist_ok=True)
    with only_writer(out, "this folder"):
        look = Look(size, crf, preset)
        return _make_planned(plan, out, look, workers or os.cpu_count() or 1, quiet, shard, for_each)


def _make_planned(
    plan: SetPlan, out: Path, look: Look, workers: int, quiet: bool, shard: Shard | None, for_each: ForEach | None
) -> Made:
    for folder in FOLDERS:
        for half in (out / folder).glob("*.part"):  # left by a run that was killed
            half.unlink(missing_ok=True)
    settings = _claim(out, plan, look)
    takes = shard.of(plan.takes) if shard else [*plan.takes]
    started = time.monotonic()
    if for_each is None:
        frames = record_all(takes, out, look, workers, quiet)
    else:
        frames = record_elsewhere(takes, out, look, for_each, quiet)
    taken = time.monotonic() - started
    write_tables(plan, out)
    if shard:
        names = [take.id for take in plan.takes]
        files = [path for path in sorted(out.rglob("*")) if path.is_file() and path.name != NOTE]
        write_note(out, PartNote.of("playhouse", shard, names, settings, shard.of(names)), files)
    return Made(len(takes), frames, taken)


def _refuse_others(out: Path) -> None:
    """Only a folder that a set was begun in, or one without takes and tables: those of a data set are written over."""
    if (out / MADE).exists():
        return
    tables = [*out.glob("*.csv"), *out.glob("classes.txt")]
    takes = [path for folder in FOLDERS for path in (out / folder).glob("*") if path.suffix != ".part"]
    for path in sorted([*tables, *takes]):
        name = path.relative_to(out)
        raise UserError(f"{out}: holds {name}, which the playhouse did not make; choose another folder")


def _claim(out: Path, plan: SetPlan, look: Look) -> dict[str, object]:
    """Remember what is made here, so that two sets never mix in one folder; returns what is remembered."""
    mark: dict[str, object] = {
        "plan": hashlib.sha256(repr(plan).encode()).hexdigest(),
        **asdict(look),
        "size": list(look.size),
    }
    if plan.events:
        facts = [(take, take.lively, take.shot, take.event) for take in plan.events]
        mark["events"] = hashlib.sha256(repr(facts).encode()).hexdigest()
    free = [take.free for take in plan.takes if take.free]
    if free:
        mark["free"] = hashlib.sha256(repr(free).encode()).hexdigest()
    varied = [(take.lively, take.shot) for take in plan.takes if take.shot and not take.event]
    if varied:
        mark["varied"] = hashlib.sha256(repr(varied).encode()).hexdigest()
    path = out / MADE
    if path.exists() and _mark_of(path) != mark:
        raise UserError(f"{out} holds a set made with other settings; choose another folder, or empty this one")
    write_whole(path, (json.dumps(mark) + "\n").encode())
    return mark


def _mark_of(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise UserError(f"{path}: cannot be read; choose another folder, or empty this one") from None
