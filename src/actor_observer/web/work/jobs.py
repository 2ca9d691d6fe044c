"""Slow things done in the background, each once, with progress that the page can ask for."""

from __future__ import annotations

import contextlib
import threading
import traceback
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actor_observer.errors import TakeError, UserError

__all__ = ["Elsewhere", "Job", "Jobs"]

Work = Callable[[Callable[[float], object]], Any]
KEPT = 2000  # finished jobs that are remembered
MOST_WAITING = 60  # jobs of one person that wait


class Elsewhere(Exception):
    """Raised by a job that has found out that it belongs in another lane."""

    def __init__(self, lane: str) -> None:
        super().__init__(lane)
        self.lane = lane


@dataclass
class Job:
    """One piece of work.

    >>> Job("convert a").to_dict()
    {'state': 'waiting', 'progress': 0.0, 'error': '', 'result': None}
    """

    key: str
    state: str = "waiting"  # running, done, failed
    progress: float = 0.0
    error: str = ""
    result: Any = None
    ended: threading.Event = field(default_factory=threading.Event, repr=False)
    cancelled: bool = False
    owner: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What the page shows."""
        return {"state": self.state, "progress": self.progress, "error": self.error, "result": self.result}


class _Lane:
    """Jobs that wait for one thread. People take turns: whoever asks for much waits longest."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[tuple[Job, Work]]] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, job: Job, work: Work, again: bool = False) -> None:
        with self._changed:
            waiting = self._waiting.get(job.owner) or deque()
            if len(waiting) >= MOST_WAITING and not again:
                raise UserError("Too many of your jobs are waiting: try again when some of them are done.")
            waiting.append((job, work))
            self._waiting[job.owner] = waiting
            self._changed.notify()

    def get(self) -> tuple[Job, Work] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return None
            owner, waiting = next(iter(self._waiting.items()))
            item = waiting.popleft()
            self._waiting.move_to_end(owner)
            if not waiting:
                del self._waiting[owner]
            return item

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()


class Jobs:
    """Lanes with one thread each. A job that is asked for again while it waits or runs is the same job.

    >>> jobs = Jobs()
    >>> job = jobs.start("sum", lambda progress: 1 + 1)
    >>> job.ended.wait(5), job.state, job.result
    (True, 'done', 2)
    >>> jobs.close()
    """

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lanes: dict[str, _Lane] = {}
        self._lock = threading.Lock()
        self._closed = False

    def start(self, key: str, work: Work, lane: str = "", owner: str = "") -> Job:
        """Put a job in a lane, unless it is there; a failed one is tried again."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.state != "failed":
                return job
            job = Job(key, owner=owner)
            self._lane(lane).put(job, work)
            self._jobs[key] = job
            for old in [name for name, known in self._jobs.items() if known.ended.is_set()][:-KEPT]:
                del self._jobs[old]
        return job

    def follow(self, key: str, work: Work, owner: str = "", made: Path | None = None) -> Job:
        """As `start`, for a page that asks until it is done: a failure is told once before the job is tried again.

        `made` is the file that comes of it: where that was swept away, the job is done again.

        >>> def broken(progress: object) -> None:
        ...     raise UserError("no disk")
        >>> jobs = Jobs()
        >>> jobs.follow("a", broken).ended.wait(5), jobs.follow("a", broken).error
        (True, 'no disk')
        >>> jobs.get("a") is None
        True
        >>> jobs.close()
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.ended.is_set() and job.state == "failed":
                return self._jobs.pop(key)
            if job is not None and job.state == "done" and made is not None and not made.is_file():
                del self._jobs[key]
        return self.start(key, work, owner=owner)

    def get(self, key: str) -> Job | None:
        """A job by its key."""
        with self._lock:
            return self._jobs.get(key)

    def cancel(self, key: str) -> Job | None:
        """Forget a job: it does not begin, or its end is not heard of. Whoever works for it is the caller's to stop."""
        with self._lock:
            job = self._jobs.pop(key, None)
            if job is not None:
                job.cancelled = True
        return job

    def close(self) -> None:
        """Finish what runs, do nothing more."""
        with self._lock:
            self._closed = True
            for lane in self._lanes.values():
                lane.close()

    def _lane(self, name: str) -> _Lane:
        if self._closed:
            raise UserError("The studio is closing.")
        if name not in self._lanes:
            lane = self._lanes[name] = _Lane()
            threading.Thread(target=self._run, args=(lane,), name=f"studio-jobs-{name}", daemon=True).start()
        return self._lanes[name]

    def _run(self, lane: _Lane) -> None:
        while (item := lane.get()) is not None:
            job, work = item
            try:
                self._do(job, work)
            except Elsewhere as other:
                job.state = "waiting"
                with self._lock, contextlib.suppress(UserError):  # the studio is closing: it goes on at the next start
                    self._lane(other.lane).put(job, work, again=True)
                continue
            job.ended.set()

    def _do(self, job: Job, work: Work) -> None:
        if job.cancelled:
            job.error, job.state = "This was withdrawn.", "failed"
            return
        job.state = "running"
        try:
            job.result = work(lambda share: setattr(job, "progress", share))
            job.progress, job.state = 1.0, "done"
        except (UserError, TakeError) as error:
            job.error, job.state = str(error), "failed"
        except OSError as error:
            job.error, job.state = f"The disk does not take it: {error.strerror or error}.", "failed"
        except Elsewhere:
            raise
        except Exception as error:
            job.error, job.state = f"Something went wrong inside ({type(error).__name__}).", "failed"
            traceback.print_exc()
