"""Slow things done in the background, each once, with progress that the page can ask for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from actor_observer.errors import TakeError, UserError

__all__ = ["Job", "Jobs"]

Work = Callable[[Callable[[float], object]], Any]
KEPT = 2000  # finished jobs that are remembered


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

    def to_dict(self) -> dict[str, Any]:
        """What the page shows."""
        return {"state": self.state, "progress": self.progress, "error": self.error, "result": self.result}


class Jobs:
    """A queue with one thread. A job that is asked for again while it waits or runs is the same job.

    >>> jobs = Jobs()
    >>> job = jobs.start("sum", lambda progress: 1 + 1)
    >>> job.ended.wait(5), job.state, job.result
    (True, 'done', 2)
    >>> jobs.close()
    """

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._queue: queue.Queue[tuple[Job, Work] | None] = queue.Queue()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="studio-jobs", daemon=True)
        self._thread.start()

    def start(self, key: str, work: Work) -> Job:
        """Put a job in the queue, unless it is there; a failed one is tried again."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.state != "failed":
                return job
            job = self._jobs[key] = Job(key)
            for old in [name for name, known in self._jobs.items() if known.ended.is_set()][:-KEPT]:
                del self._jobs[old]
        self._queue.put((job, work))
        return job

    def follow(self, key: str, work: Work) -> Job:
        """As `start`, for a page that asks until it is done: a failure is told once before the job is tried again.

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
        return self.start(key, work)

    def get(self, key: str) -> Job | None:
        """A job by its key."""
        with self._lock:
            return self._jobs.get(key)

    def close(self) -> None:
        """Finish what runs, do nothing more."""
        self._queue.put(None)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            job, work = item
            job.state = "running"
            try:
                job.result = work(lambda share, job=job: setattr(job, "progress", share))  # type: ignore[misc]
                job.progress, job.state = 1.0, "done"
            except (UserError, TakeError) as error:
                job.error, job.state = str(error), "failed"
            except OSError as error:
                job.error, job.state = f"The disk does not take it: {error.strerror or error}.", "failed"
            except Exception as error:
                job.error, job.state = f"Something went wrong inside ({type(error).__name__}).", "failed"
                import traceback

                traceback.print_exc()
            finally:
                job.ended.set()
