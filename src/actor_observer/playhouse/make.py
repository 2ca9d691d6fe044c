"""Make a set: plan it, record every take in parallel, write the tables. Resumes where it was stopped."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from actor_observer.disk import only_writer, write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import SPLITS, Split
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.filming.encode import VideoWriter
from actor_observer.playhouse.filming.filming import Filming, film
from actor_observer.playhouse.filming.render import Frames, Painter, check_drawing
from actor_observer.playhouse.set_plan import SetPlan, TakePlan, bystanders_of, performance_of, plan_set, plan_together
from actor_observer.playhouse.tables import write_tables
from actor_observer.playhouse.truth_files import frame_truth, write_truth
from actor_observer.playhouse.varied_plan import vary
from actor_observer.shards import PartNote, Shard, write_note

__all__ = ["Made", "filming_of", "make", "record", "render_frames"]

BATCH = 48  # frames drawn before they are encoded: bounds memory
SHARES = 6.0  # a second: how often the pixels of hands and object are counted in a varied set


@dataclass(frozen=True)
class Look:
    """How videos are written: width and height, and x264's quality and effort."""

    size: tuple[int, int]
    crf: int
    preset: str

    def of(self, take: TakePlan) -> Look:
        """How the video of a take is written: a varied one has settings of its own."""
        shot = take.shot
        return Look(self.size[::-1] if shot.upright else self.size, shot.crf, shot.preset) if shot else self


@dataclass(frozen=True)
class Made:
    """What a run of `make` did."""

    takes: int
    frames: int  # drawn in this run; 0 if all were already there
    seconds: float

    @property
    def frames_per_second(self) -> float:
        return self.frames / max(self.seconds, 1e-9)


def filming_of(take: TakePlan) -> Filming:
    """The performance of a take, with its camera."""
    performance = performance_of(take)
    head = film(performance, "first", list(take.head), take.head_shot) if take.head else None
    filming = film(performance, take.view, list(take.filming), take.shot)
    return replace(filming, head=head, bystanders=bystanders_of(take))


def render_frames(take: TakePlan, times: Array, size: tuple[int, int] = (224, 168)) -> Frames:
    """Draw a take at these times (T,) only, in the video's seconds: images and shares of pixels.

    >>> take = plan_set(pairs=1, seed=0).pairs[0].first
    >>> render_frames(take, times=take.times[::50]).hands_share  # doctest: +SKIP
    """
    with Painter(filming_of(take), Look(size, 0, "").of(take).size) as painter:
        return painter.draw(take.moments(times))


def record(take: TakePlan, out: Path, look: Look) -> int:
    """Draw and encode one take and write its truth. Returns the number of frames drawn, 0 if it was already there."""
    video, truth = out / "videos" / f"{take.id}.mp4", out / "truth" / f"{take.id}.npz"
    if video.exists() and truth.exists():
        return 0
    filming, times, look = filming_of(take), take.times, look.of(take)
    gop, shares_every = (take.shot.gop, max(1, round(take.fps / SHARES))) if take.shot else (0, 1)
    parts: list[Frames] = []
    with (
        Painter(filming, look.size) as painter,
        VideoWriter(video, look.size, take.fps, look.crf, look.preset, gop) as writer,
    ):
        for start in range(0, len(times), BATCH):
            frames = painter.draw(take.moments(times[start : start + BATCH]), shares_every)
            for image in frames.images:
                writer.add(image)
            parts.append(frames)
    names = ("hands", "object", "actor")
    shares = {name: np.concatenate([getattr(part, f"{name}_share") for part in parts]) for name in names}
    write_truth(truth, frame_truth(take, filming, times, shares))
    return len(times)


def make(
    out: str | Path,
    pairs: int,
    seed: int,
    size: tuple[int, int] = (224, 168),
    fps: float = 12.0,
    workers: int | None = None,
    together: bool = False,
    varied: bool = False,
    rates: tuple[float, float] = (0.9, 1.1),
    labelled: int = 0,
    seconds: tuple[float, float] = (19.0, 31.0),
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
    different: tuple[Split, ...] = SPLITS,
    crf: int = 23,
    preset: str = "veryfast",
    quiet: bool = False,
    shard: Shard | None = None,
) -> Made:
    """Make a set in the folder `out`. Called again with the same settings, it continues where it stopped.

    With `shard` only that part of the takes is recorded, for `merge`.

    `pairs` and `seed` decide everything else; `labelled` adds third-person takes that carry labels and belong to no
    pair; `different` names the splits whose pairs get a third-person take by another actor. With `together` both
    cameras record one performance, the head camera's clock at a rate in `rates`; `varied` draws cameras, frame rates,
    recordings that overlap in part, bystanders and whole-body movement for each pair (`fps` and `rates` then do not
    matter).

    >>> make(Path("OUT"), pairs=20, seed=0, size=(223, 167))
    Traceback (most recent call last):
    actor_observer.errors.UserError: the playhouse needs ... a size of multiples of 4 from 32 up, such as 224x168
    """
    if pairs < 1 or min(size) < 32 or size[0] % 4 or size[1] % 4:
        raise UserError(
            "the playhouse needs at least one pair, and a size of multiples of 4 from 32 up, such as 224x168"
        )
    if varied and not together:
        raise UserError("varied is for sets of both cameras on one performance: give --together as well")
    out = Path(out)
    check_drawing()
    if together:
        plan = plan_together(pairs, seed, fps=fps, seconds=seconds, shares=shares, rates=rates)
        plan = vary(plan, seed) if varied else plan
    else:
        plan = plan_set(pairs, seed, fps=fps, labelled=labelled, seconds=seconds, shares=shares, different=different)
    for folder in ("videos", "truth"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    with only_writer(out, "this folder"):
        return _make_planned(plan, out, Look(size, crf, preset), workers or os.cpu_count() or 1, quiet, shard)


def _make_planned(plan: SetPlan, out: Path, look: Look, workers: int, quiet: bool, shard: Shard | None) -> Made:
    for folder in ("videos", "truth"):
        for half in (out / folder).glob("*.part"):  # left by a run that was killed
            half.unlink(missing_ok=True)
    settings = _claim(out, plan, look)
    takes = shard.of(plan.takes) if shard else [*plan.takes]
    started = time.monotonic()
    frames = _record_all(takes, out, look, workers, quiet)
    taken = time.monotonic() - started
    write_tables(plan, out)
    if shard:
        names = [take.id for take in plan.takes]
        write_note(out, PartNote.of("playhouse", shard, names, settings, shard.of(names)))
    return Made(len(takes), frames, taken)


def _claim(out: Path, plan: SetPlan, look: Look) -> dict[str, object]:
    """Remember what is made here, so that two sets never mix in one folder; returns what is remembered."""
    mark: dict[str, object] = {
        "plan": hashlib.sha256(repr(plan).encode()).hexdigest(),
        **asdict(look),
        "size": list(look.size),
    }
    varied = [(take.lively, take.shot) for take in plan.takes if take.shot]
    if varied:
        mark["varied"] = hashlib.sha256(repr(varied).encode()).hexdigest()
    path = out / "truth" / "made.json"
    if path.exists() and _mark_of(path) != mark:
        raise UserError(f"{out} holds a set made with other settings; choose another folder, or empty this one")
    write_whole(path, (json.dumps(mark) + "\n").encode())
    return mark


def _mark_of(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise UserError(f"{path}: cannot be read; choose another folder, or empty this one") from None


def _leave_with_parent(parent: int) -> None:
    """In a worker: exit when the parent is gone, so that no worker of a killed run writes into the folder."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.25)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _record_all(takes: Sequence[TakePlan], out: Path, look: Look, workers: int, quiet: bool) -> int:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    context = multiprocessing.get_context("spawn")  # a GL context does not survive a fork
    total, started = 0, time.monotonic()
    with (
        Progress(*columns, disable=quiet) as progress,
        ProcessPoolExecutor(workers, context, _leave_with_parent, (os.getpid(),)) as pool,
    ):
        bar = progress.add_task("takes", total=len(takes), rate="")
        jobs = [pool.submit(record, take, out, look) for take in takes]
        try:
            for job in jobs:
                total += job.result()
                progress.update(bar, advance=1, rate=f"{total / (time.monotonic() - started):.0f} frames/s")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return total
