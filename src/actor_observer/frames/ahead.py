"""Decode ahead of need: in threads, or in processes where threads are too slow."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path
from typing import TypeVar

import torch
import torch.multiprocessing  # so that tensors come back through shared memory

from actor_observer.errors import UserError
from actor_observer.stopping import one_folder_for_workers

__all__ = ["AHEAD", "decoders", "done_ahead", "leave_signals", "may_fork", "room_for", "spare_cores"]

Item = TypeVar("Item")
Done = TypeVar("Done")
GRACE = 3.0  # seconds after SIGTERM that a decoder waits for the main process to end it
AHEAD = 2  # items for each worker that are decoded before they are needed
LOST = "a process that decodes frames was killed; if memory ran out, look at fewer or smaller frames"


def done_ahead(
    items: Iterable[Item], work: Callable[[Item], Done], pool: Executor, workers: int
) -> Generator[tuple[Item, Done], None, None]:
    """Items with the result of `work` on each, in order. Workers start at once, two items each ahead.

    Close the generator if you may stop early: work that has not begun is then cancelled.

    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(done_ahead([1, 2, 3], lambda number: number**2, pool, workers=2))
    [(1, 1), (2, 4), (3, 9)]
    """
    made = _in_turn(iter(items), work, pool, AHEAD * workers)
    next(made)  # up to its first yield, where the workers have started
    return made  # type: ignore[return-value]


def _in_turn(
    items: Iterator[Item], work: Callable[[Item], Done], pool: Executor, ahead: int
) -> Generator[tuple[Item, Done] | None, None, None]:
    begun: deque[tuple[Item, Future[Done]]] = deque()
    try:
        begun.extend((item, pool.submit(work, item)) for item in islice(items, ahead))
        yield None
        for item in items:
            begun.append((item, pool.submit(work, item)))
            yield _wait(*begun.popleft())
        while begun:
            yield _wait(*begun.popleft())
    except BrokenProcessPool:
        raise UserError(LOST) from None
    finally:
        for _, left in begun:
            left.cancel()


def decoders(item_bytes: int, processes: int = 1) -> tuple[Executor, int]:
    """A pool of workers that only decode, for a GPU that embeds, and its size: processes if shared memory allows.

    Threads of one process take turns at Python and keep a fast GPU waiting. Processes pass frames of `item_bytes` an
    item through shared memory, of which a container may have little. `processes` is how many share this machine.

    >>> pool, workers = decoders(item_bytes=1 << 60)  # more than fits
    >>> type(pool).__name__
    'ThreadPoolExecutor'
    >>> pool.shutdown()
    """
    workers = min(spare_cores(processes), room_for(item_bytes))
    if workers > 1 and may_fork():
        # Forked as a DataLoader's workers are: they never touch the GPU, and start at once.
        one_folder_for_workers()
        context = torch.multiprocessing.get_context("fork")
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_work_for, initargs=(os.getpid(),)), workers
    workers = min(16, os.cpu_count() or 2)
    return ThreadPoolExecutor(workers), workers


def may_fork(platform: str = sys.platform) -> bool:
    """Whether decoders may be forked: not on a Mac, whose own libraries do not survive it. There, threads decode.

    >>> may_fork("linux"), may_fork("darwin")
    (True, False)
    """
    return platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()


def spare_cores(processes: int) -> int:
    """How many decoders each of these processes may have: the remaining cores, 14 at most.

    >>> spare_cores(1) >= 1
    True
    """
    return max(1, min(14, (os.cpu_count() or 2) // max(1, processes) - 1))


def room_for(item: int, folder: str = "/dev/shm") -> int:
    """How many workers fit into shared memory with items of this many bytes, three each; containers have little.

    >>> room_for(1 << 60)
    0
    """
    if not Path(folder).exists():
        return 64  # no such limit here
    return int(shutil.disk_usage(folder).free * 0.8 / (3 * max(1, item)))


def leave_signals() -> None:
    """Ignore signals that a terminal or scheduler sends to all processes: the main one saves and ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _work_for(parent: int) -> None:
    """Leave signals to the parent, and end when the parent is gone.

    SIGTERM is obeyed after a while: it may come from a scheduler, to all processes, or from the parent, to the
    remaining decoders after one of them was killed.
    """
    leave_signals()
    signal.signal(signal.SIGTERM, lambda *_: threading.Timer(GRACE, os._exit, (1,)).start())
    torch.set_num_threads(1)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _wait(item: Item, done: Future[Done]) -> tuple[Item, Done]:
    try:
        return item, done.result()
    finally:
        del done  # its exception would keep this frame and all its callers alive
