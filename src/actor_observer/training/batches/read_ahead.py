"""Tar files of training frames, read from start to end a little before their pictures are asked for.

A network disk is fast at reading a file through and slow at jumping in it. Steps visit the tars one after the other
(`sampling.stream.mixed_order`), so each is read through once an epoch; its pages stay in the machine's memory, where
all decoders of all processes find them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

from actor_observer.pairs.tar_shards import in_tar
from actor_observer.training.planning.plan import Planner

__all__ = ["ReadAhead", "read_through"]

LEAD = 48  # steps
PIECE = 8 << 20  # bytes


def read_through(tar: Path) -> None:
    """Read a file from start to end and keep nothing: the system remembers what it read.

    >>> read_through(Path("no-such.tar"))  # whoever needs it will say so
    """
    with contextlib.suppress(OSError), tar.open("rb", buffering=0) as file:
        while file.read(PIECE):
            pass


class ReadAhead:
    """A thread that reads the tars of the steps to come; `now(number)` says which step is being trained."""

    def __init__(self, planner: Planner, start: int, end: int, read: Callable[[Path], None] = read_through) -> None:
        self._planner, self._start, self._end, self._read = planner, start, end, read
        self._now, self._ended, self._moved = start, False, Event()
        self._thread = Thread(target=self._run, daemon=True)

    @property
    def useful(self) -> bool:
        """Whether any take lies in a tar, and this process is the one of its machine that reads."""
        return self._planner.ranks.local == 0 and any(in_tar(take.path) for take in self._planner.material.takes)

    def now(self, number: int) -> None:
        self._now = number
        self._moved.set()

    def tars(self) -> Iterator[tuple[int, Path]]:
        """Each tar with the step that needs it first, once an epoch, in the order of need."""
        paths = {take.id: take.path for take in self._planner.material.takes}
        seen: set[Path] = set()
        for number in range(self._start, self._end):
            if number % self._planner.steps_per_epoch == 0:
                seen.clear()
            for id in self._planner.take_ids(number):
                if in_tar(paths[id]) and (tar := paths[id].parent) not in seen:
                    seen.add(tar)
                    yield number, tar

    def _run(self) -> None:
        for number, tar in self.tars():
            while number > self._now + LEAD and not self._ended:
                self._moved.wait()
                self._moved.clear()
            if self._ended:
                return
            self._read(tar)

    def __enter__(self) -> ReadAhead:
        if self.useful:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._moved.set()  # it ends by itself: nothing waits for what it reads
