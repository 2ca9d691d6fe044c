"""Limits of processes that open strangers' recordings: memory, size of files, no network."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

__all__ = ["confine"]

MEMORY = 8 << 30  # bytes that the process may fill
FILE = 8 << 30  # bytes of one file that it may write
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of unshare(2)


def confine(network: bool = True) -> list[str]:
    """Put the limits on this process and all that it starts; returns what this system does not allow, in words.

    Without `network`, the process has no way to other machines, nor to programs on this one. Threads must not run yet.
    """
    missing = []
    try:
        import resource

        for which, most in ((resource.RLIMIT_DATA, MEMORY), (resource.RLIMIT_FSIZE, FILE), (resource.RLIMIT_CORE, 0)):
            _, hard = resource.getrlimit(which)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(which, (least, least))
    except (ImportError, ValueError, OSError):
        missing.append("limits on memory and files")
    if not network and not _leave_network():
        missing.append("a place without network")
    return missing


def _leave_network() -> bool:
    """Move into a network of one's own, which has nothing in it; where only root may, into a user's own space first."""
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError, AttributeError):
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        user, group = os.geteuid(), os.getegid()
        if unshare(_NEW_NETWORK) == 0:
            return True
        if unshare(_NEW_USER | _NEW_NETWORK) == 0:
            same = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
            for name, content in same.items():
                (Path("/proc/self") / name).write_text(content, encoding="ascii")
            return True
    return False
