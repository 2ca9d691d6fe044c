"""What is asked of `align`: refused where it cannot be, and bounded where it would take too much memory."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from actor_observer.console import printable
from actor_observer.errors import UserError
from actor_observer.features.see import check_look_rate
from actor_observer.model.device import best_device

__all__ = ["bounded_look_rate", "check_asked", "check_names"]

MOST_CELLS = 4_000_000  # of the matrix: 2000 frames against 2000
MOST_FRAMES = 20_000  # of one recording


def check_asked(look_rate: float, max_offset: float | None, device: str) -> None:
    """Refuse what cannot be, before any recording is looked at.

    >>> check_asked(6.0, -1.0, "auto")
    Traceback (most recent call last):
    actor_observer.errors.UserError: max offset -1: give seconds, zero or more
    """
    check_look_rate(look_rate)
    if max_offset is not None and not 0 <= max_offset < math.inf:
        raise UserError(f"max offset {max_offset:g}: give seconds, zero or more")
    best_device(device)  # also where no network will be asked


def check_names(paths: Iterable[Path]) -> None:
    r"""Refuse names that no file of ours can hold: bytes that are no text.

    >>> check_names([Path("room.mp4"), Path("bad\udcff.mp4")])
    Traceback (most recent call last):
    actor_observer.errors.UserError: bad?.mp4: its name is no text (UTF-8), and cannot be written down; rename it
    """
    for path in paths:
        try:
            str(path).encode()
        except UnicodeEncodeError:
            name = printable(str(path))
            raise UserError(f"{name}: its name is no text (UTF-8), and cannot be written down; rename it") from None


def bounded_look_rate(lengths: tuple[float, float], look_rate: float) -> float:
    """Frames looked at a second that keep the matrix within bounds: an hour against an hour gets one in two seconds.

    >>> bounded_look_rate((30.0, 25.0), 6.0), round(bounded_look_rate((3600.0, 3600.0), 6.0), 2)
    (6.0, 0.56)
    """
    most = math.sqrt(MOST_CELLS / max(lengths[0] * lengths[1], 1e-9))
    return min(look_rate, most, MOST_FRAMES / max(*lengths, 1e-9))
