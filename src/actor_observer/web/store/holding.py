"""One studio at a time holds a folder."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from actor_observer.disk import only_writer
from actor_observer.errors import UserError

__all__ = ["only_studio"]


def only_studio(keep: Path) -> AbstractContextManager[None]:
    """Hold a studio's folder: two that write to it would delete each other's uploads and end each other's links."""
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{keep}: cannot be written ({error.strerror}); choose another --keep") from None
    return only_writer(keep, "this studio", instead="open the page of the one that runs, or choose another --keep")
