"""actor-observer: link third-person video (the observer) with first-person video (the actor)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actor_observer.model import ActorObserverNet, load
    from actor_observer.moments.align import align
    from actor_observer.moments.index import index
    from actor_observer.moments.recognise import recognise
    from actor_observer.moments.search import search
    from actor_observer.moments.see import see
    from actor_observer.moments.select import select

__all__ = ["ActorObserverNet", "align", "index", "load", "recognise", "search", "see", "select"]

_HOME = {"ActorObserverNet": "actor_observer.model", "load": "actor_observer.model"}
_HOME |= {name: f"actor_observer.moments.{name}" for name in __all__ if name not in _HOME}


def __getattr__(name: str) -> Any:
    """Import a front-door name when it is first used: `actor-observer --help` need not wait for torch."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
