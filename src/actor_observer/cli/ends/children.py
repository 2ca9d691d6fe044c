"""The processes that a command has started, whoever started them: none outlives it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["adopt_orphans", "descendants", "end_children"]

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>


def adopt_orphans() -> None:
    """Let a process whose parent is gone become a child of this one, so that it is found (where Linux runs)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def end_children(patience: float = 0.5) -> None:
    """Kill every process that this one has started, and those that they have: decoders, compilers, helpers.

    What went into a session of its own, such as a browser, is left.
    """
    until = time.monotonic() + patience
    while left := descendants():
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return
        time.sleep(0.005)


def descendants() -> list[int]:
    """The living processes below this one, of its session."""
    parents = _parents()
    found, new = set[int](), {os.getpid()}
    while new := {pid for pid, parent in parents.items() if parent in new} - found:
        found |= new
    return sorted(pid for pid in found if _session(pid) == os.getsid(0))


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:  # it is gone
        return -1


def _parents() -> dict[int, int]:
    """The parent of every living process that can be seen."""
    if sys.platform != "linux":
        listed = subprocess.run(["ps", "-axo", "pid=,ppid=,stat="], capture_output=True, text=True).stdout
        rows = [line.split() for line in listed.splitlines()]
        return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}
    parents = {}
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            with suppress(OSError):
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                if state not in "ZX":
                    parents[int(place.name)] = int(parent)
    return parents
