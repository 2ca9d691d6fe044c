"""Which engines there are, and what tells whose an index is. Nothing is imported before an engine is asked for.

Another engine is a file in this folder with a `KIND` (see `searching/engines/engine.py`), and a line in `ENGINES`.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from actor_observer.errors import UserError

if TYPE_CHECKING:
    from actor_observer.searching.engines.engine import Engine, EngineKind

__all__ = ["ENGINES", "engine_at", "engine_kind", "is_index", "is_remote", "open_engine", "refuse_place"]


class Row(NamedTuple):
    """One engine."""

    file: str  # of this folder: it has the engine's `KIND`
    sign: str  # a file or folder of an index that only this engine has, or one further down
    what: str  # for the command's help
    files: str  # the engine that its files can also be opened by: itself, or the one it adds to
    remote: bool = False  # whether an index may be in an object store


ENGINES = {  # in the order in which an index is asked for their signs
    "lance": Row("lance_append", "videos.lance", "LanceDB, also in an object store", "lance", remote=True),
    "faiss": Row("faiss_index", "cells.faiss", "plain files with cells, for millions", "flat"),
    "flat": Row("flat_index", "index.json", "plain files", "flat"),
}


def engine_at(place: str | Path) -> str | None:
    """The engine of the index in a place; None where there is none.

    >>> engine_at("s3://bucket/moments"), engine_at("no-such-folder")
    ('lance', None)
    """
    if is_remote(place):
        return next(name for name, row in ENGINES.items() if row.remote)
    return next((name for name, row in ENGINES.items() if (Path(place) / row.sign).exists()), None)


def is_index(place: str | Path) -> bool:
    """Whether there is an index in a place, of any engine.

    >>> is_index("no-such-folder")
    False
    """
    return engine_at(place) is not None


def is_remote(place: str | Path) -> bool:
    """Whether an index is in an object store, not in a folder.

    >>> is_remote("s3://bucket/moments"), is_remote("moments")
    (True, False)
    """
    return bool(re.match(r"\w+://", str(place)))


def engine_kind(name: str) -> EngineKind:
    """What an engine can do.

    >>> engine_kind("tea")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no engine tea; there are lance, faiss, flat
    """
    if name not in ENGINES:
        raise UserError(f"no engine {name}; there are {', '.join(ENGINES)}")
    kind: EngineKind = import_module(f"actor_observer.searching.engines.{ENGINES[name].file}").KIND
    return kind


def open_engine(place: str | Path) -> Engine:
    """Open an index to search it, whatever its engine.

    >>> open_engine("no-such-index")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    return engine_kind(engine_at(place) or "flat").open(place)


def refuse_place(place: str | Path, engine: str) -> None:
    """Refuse to write an index where this engine cannot: an object store, or beside the files of another.

    >>> refuse_place("s3://bucket/moments", "flat")
    Traceback (most recent call last):
    actor_observer.errors.UserError: s3://bucket/moments: an object store takes an index of lance only (--engine lance)
    """
    engine_kind(engine).ready()
    if is_remote(place) and not ENGINES[engine].remote:
        able = " or ".join(name for name, row in ENGINES.items() if row.remote)
        raise UserError(f"{place}: an object store takes an index of {able} only (--engine {able})")
    there = engine_at(place)
    if there and ENGINES[there].files != ENGINES[engine].files:
        raise UserError(f"{place}: an index of {there}; choose a folder of its own for --engine {engine}")
