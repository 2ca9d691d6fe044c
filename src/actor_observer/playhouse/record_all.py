"""Record all takes of a set, in processes of this machine or wherever somebody else does it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from actor_observer.console import counted
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Fault
from actor_observer.playhouse.record import Look, Recording, files_of, record, recording_of
from actor_observer.playhouse.set_plan import TakePlan
from actor_observer.stopping import started_anew, starting_workers

__all__ = ["ForEach", "record_all", "record_elsewhere"]

ForEach = Callable[[Callable[[TakePlan], Recording], Iterable[TakePlan]], Iterator[Recording | Fault]]


def record_all(takes: Sequence[TakePlan], out: Path, look: Look, workers: int, quiet: bool) -> int:
    """Record takes in processes of this machine. Returns the number of frames drawn."""
    context = started_anew()  # a GL context does not survive a fork
    with _counting(len(takes), quiet) as recorded, ExitStack() as open_now:
        with starting_workers():
            pool = ProcessPoolExecutor(workers, context, _leave_with_parent, (os.getpid(),))
            open_now.enter_context(pool)
            jobs = [pool.submit(record, take, out, look) for take in takes]
        try:
            return sum(recorded(job.result()) for job in jobs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def record_elsewhere(takes: Sequence[TakePlan], out: Path, look: Look, for_each: ForEach, quiet: bool) -> int:
    """Have takes recorded that are not there yet, and write them as they come. Returns the number of frames drawn."""
    missing = [take for take in takes if not all(path.exists() for path in files_of(take, out))]
    total, lost = 0, []
    with _counting(len(takes), quiet) as recorded:
        for _ in range(len(takes) - len(missing)):
            recorded(0)
        for take, found in zip(missing, for_each(partial(recording_of, look), missing), strict=True):
            if isinstance(found, Fault):
                lost.append(found)
                continue
            found.write(take, out)
            total += recorded(found.frames)
    if lost:
        raise UserError(f"{counted(len(lost), 'take')} not recorded; {lost[0]}; the same command goes on")
    return total


@contextmanager
def _counting(takes: int, quiet: bool) -> Iterator[Callable[[int], int]]:
    """A bar on the screen, and what to call with the frames of each take; it gives them back."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    total, started = 0, time.monotonic()
    with Progress(*columns, disable=quiet) as progress:
        bar = progress.add_task("takes", total=takes, rate="")

        def recorded(frames: int) -> int:
            nonlocal total
            total += frames
            progress.update(bar, advance=1, rate=f"{total / (time.monotonic() - started):.0f} frames/s")
            return frames

        yield recorded


def _leave_with_parent(parent: int) -> None:
    """In a worker: exit when the parent is gone, so that no worker of a killed run writes into the folder."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.25)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
