"""actor-observer: link third-person video (the observer) with first-person video (the actor)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actor_observer.alignment.align import align
    from actor_observer.alignment.cameras.many import align_many
    from actor_observer.alignment.cameras.pairing import pair
    from actor_observer.answers.recognise import recognise
    from actor_observer.answers.select import select
    from actor_observer.features.see import see
    from actor_observer.model import ActorObserverNet, load
    from actor_observer.searching.index import index
    from actor_observer.searching.search import search

__all__ = ["ActorObserverNet", "align", "align_many", "index", "load", "pair", "recognise", "search", "see", "select"]

_HOME = {
    "ActorObserverNet": "actor_observer.model",
    "load": "actor_observer.model",
    "align": "actor_observer.alignment.align",
    "align_many": "actor_observer.alignment.cameras.many",
    "pair": "actor_observer.alignment.cameras.pairing",
    "see": "actor_observer.features.see",
    "recognise": "actor_observer.answers.recognise",
    "select": "actor_observer.answers.select",
    "index": "actor_observer.searching.index",
    "search": "actor_observer.searching.search",
}


def __getattr__(name: str) -> Any:
    """Import a front-door name when it is first used: `actor-observer --help` need not wait for torch."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
