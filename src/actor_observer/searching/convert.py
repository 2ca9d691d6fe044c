"""Bring an index from one engine to another."""

from __future__ import annotations

from pathlib import Path

from actor_observer.searching.engines import engine_at, engine_kind, open_engine, refuse_place
from actor_observer.searching.engines.engine import Engine

__all__ = ["convert"]


def convert(index: str | Path, out: str | Path, engine: str) -> Engine:
    """Write the videos of an index into one of another engine, or add them to it. Killed, call it again.

    >>> convert("no-such-index", "moments.lance", "lance")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    theirs, ours = engine_kind(engine_at(index) or "flat"), engine_kind(engine)
    source = (theirs.copied or theirs.open)(index)
    refuse_place(out, engine)
    if not (Path(out).exists() and Path(index).exists() and Path(out).samefile(index)):
        with ours.write(out, source.head) as writer:
            for entry, times, vectors in source.all_moments():
                if writer.known.get(entry.video) != entry:
                    writer.add(entry, times, vectors)
    ours.finish(out)
    return open_engine(out)
