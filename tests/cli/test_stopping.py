"""Whatever a command is doing, a signal ends it in time, with every process that it has started, in one line."""

import atexit
import ctypes
import multiprocessing
import multiprocessing.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import torch

from actor_observer.cli import VERBS, main
from actor_observer.cli.ends import deadline
from actor_observer.frames import ahead
from actor_observer.frames.ahead import done_ahead
from actor_observer.stopping import keeping, started_anew, starting_workers, temporary_folder
from forked import Forked

DEAF = "import signal as s, time; [s.signal(n, s.SIG_IGN) for n in (1, 2, 15)]; print('deaf', flush=True)"
DEAF += "; time.sleep(99)"


def for_ever() -> None:
    """In C, where Python's handlers do not run: a mutex that is locked already."""
    print("ready", flush=True)
    mutex = ctypes.create_string_buffer(64)
    for _ in range(2):
        ctypes.CDLL(None).pthread_mutex_lock(mutex)


def in_a_step() -> None:
    with keeping("step 3 of 9 is saved"), temporary_folder() as folder:
        print(f"folder {folder}")
        for_ever()


def waiting_for_threads() -> None:
    with ThreadPoolExecutor(1) as pool, keeping("step 3 of 9 is saved"):
        pool.submit(time.sleep, 99)
        print("ready", flush=True)
        time.sleep(99)


def swallowing() -> None:
    with keeping("step 3 of 9 is saved"):
        print("ready", flush=True)
        while True:
            with suppress(BaseException):
                time.sleep(99)


def waiting_at_the_end() -> None:
    """As the pool of a compiler does: it waits five minutes for its workers when Python ends."""
    worker = subprocess.Popen([sys.executable, "-c", DEAF])
    atexit.register(worker.wait, 300)
    threading.Thread(target=worker.wait).start()
    with keeping("step 3 of 9 is saved"):
        print("ready", flush=True)
        time.sleep(99)


def decoding_ahead() -> None:
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, context) as pool, keeping("step 3 of 9 is saved"):
        for _ in done_ahead(range(9), _decode, pool, 2):
            pass


def _decode(number: int) -> None:
    print("ready", flush=True)
    time.sleep(99)


def handing_over_frames() -> None:
    """Tensors come from processes through sockets, which lie in temporary folders."""
    ahead.spare_cores = lambda processes: 2
    multiprocessing.current_process()._config.pop("tempdir", None)  # of whoever forked this process
    pool, workers = ahead.decoders(1000)
    with pool, keeping("step 3 of 9 is saved"):
        for number, frames in done_ahead(range(99), _frames, pool, workers):
            assert frames.shape == (9,)
            folder = multiprocessing.util.get_temp_dir()
            print(f"folder {folder}\n{'ready' if number > 8 else 'frames'}", flush=True)
            time.sleep(99 if number > 8 else 0)


def _frames(number: int) -> torch.Tensor:
    return torch.zeros(9)


def with_workers_started_anew() -> None:
    """Their locks have names in /dev/shm; Python leaves those to a process of its own, which is killed as well."""
    with ExitStack() as open_now, keeping("step 3 of 9 is saved"):
        with starting_workers():
            lock = started_anew().Lock()
            pool = open_now.enter_context(ProcessPoolExecutor(1, started_anew()))
            pool.submit(time.sleep, 0).result()
        named = Path(f"/dev/shm/sem.{lock._semlock.name[1:]}")
        assert named.exists()
        print(f"folder {named}\nready", flush=True)
        time.sleep(99)


def with_orphans() -> None:
    """A worker whose own parent is gone, as those of a compiler whose pool was terminated."""
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {DEAF!r}])"
    subprocess.run([sys.executable, "-c", code], check=True)
    with keeping("step 3 of 9 is saved"):
        print("ready", flush=True)
        time.sleep(99)


PHASES = [
    in_a_step,
    waiting_for_threads,
    swallowing,
    waiting_at_the_end,
    decoding_ahead,
    handing_over_frames,
    with_workers_started_anew,
    with_orphans,
]


def run(phase: Callable[[], None], output: int, seconds: float) -> None:
    """A command in that phase, in a process of its own that writes into a pipe."""
    os.dup2(output, 1)
    os.dup2(output, 2)
    deadline.SECONDS = seconds
    VERBS["inspect"] = phase
    sys.argv[1:] = ["inspect"]
    main()


class Running:
    """A command in some phase, and whoever reads what it prints to the end."""

    def __init__(self, phase: Callable[[], None], seconds: float = 0.2) -> None:
        self.name = phase.__name__
        self._place = Path(tempfile.mkdtemp()) / "pipe"
        os.mkfifo(self._place)
        weakref.finalize(self, shutil.rmtree, self._place.parent, ignore_errors=True)
        self._mark = f"MARK{id(self)}"
        self.process = Forked(_into, phase, self._place, seconds, environment={"WHOSE": self._mark})
        self._output = os.open(self._place, os.O_RDONLY)
        self.said = ""
        while "ready" not in self.said:
            more = os.read(self._output, 1000)
            assert more, f"{self.name} ended by itself: {self.said}"
            self.said += more.decode()

    def stopped(self, number: int) -> float:
        """Send the signal to the whole group, as a terminal or `timeout` does; the seconds until nobody can write."""
        started = time.monotonic()
        os.kill(self.process.pid, number)
        os.killpg(self.process.pid, number)
        while more := os.read(self._output, 1000):
            self.said += more.decode()
        self.process.wait()
        return time.monotonic() - started

    def left(self) -> list[str]:
        """The processes of this command that live on."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"WHOSE={self._mark}".encode() in (place / "environ").read_bytes():
                    found.append((place / "cmdline").read_text())
        return found


def _into(phase: Callable[[], None], place: Path, seconds: float) -> None:
    os.environ["TMPDIR"] = str(place.parent)
    tempfile.tempdir = None
    run(phase, os.open(place, os.O_WRONLY), seconds)


@pytest.mark.parametrize(
    ("number", "word", "phases"),
    [(15, "terminated", PHASES), (2, "interrupted", PHASES[:2]), (1, "hung up", PHASES[3:7])],
)
def test_it_ends_in_time_in_one_line_and_alone(number: int, word: str, phases: list[Callable[[], None]]) -> None:
    for running in [Running(phase) for phase in phases]:
        took = running.stopped(number)
        assert running.process.returncode == 128 + number, (running.name, running.said)
        line = f"actor-observer: {word}; step 3 of 9 is saved"
        ours = ("ready", "deaf", "folder", "frames")
        heard = [said for said in running.said.split("\n") if said and not said.startswith(ours)]
        assert heard == [line], (running.name, running.said)
        assert took < 10, running.name  # 0.2 s; a busy machine may be slow
        assert not running.left(), running.name
        for said in running.said.splitlines():
            assert not said.startswith("folder ") or not Path(said.removeprefix("folder ")).exists(), running.name


def test_the_end_comes_within_five_seconds() -> None:
    assert deadline.SECONDS <= 4.0  # and a second to kill what it has started


def test_decoders_do_not_outlive_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    running = Running(failing)
    assert running.stopped(0) < 30
    assert running.process.returncode == 2 and "actor-observer: a mistake" in running.said
    assert not running.left()


def failing() -> None:
    from actor_observer.errors import UserError

    subprocess.Popen([sys.executable, "-c", DEAF])
    print("ready", flush=True)
    raise UserError("a mistake")
