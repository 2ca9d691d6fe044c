"""actor-observer: link third-person video (the observer) with first-person video (the actor)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actor_observer.model import ActorObserverNet, load

__all__ = ["ActorObserverNet", "load"]

_HOME = {"ActorObserverNet": "actor_observer.model", "load": "actor_observer.model"}


def __getattr__(name: str) -> Any:
    """Import a front-door name when it is first used: `actor-observer --help` need not wait for torch."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
