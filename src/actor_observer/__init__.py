"""actor-observer: link third-person video (the observer) with first-person video (the actor).

`align`, `align_many` and `pair` put recordings in step, `trim` and `side_by_side` write what they share; `audit` looks
through a data set. `recognise`, `select` and `explain` say what is in a video. `index` and `search` find moments. `see`
and `embed` give the embeddings themselves, `load` a model. `plot` draws any answer, `as_html` shows it in a notebook,
`to_rerun` in a viewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actor_observer.alignment.align import align
    from actor_observer.alignment.cameras.many import align_many
    from actor_observer.alignment.cameras.pairing import pair
    from actor_observer.alignment.cameras.trim import trim
    from actor_observer.answers.recognise import recognise
    from actor_observer.answers.select import select
    from actor_observer.auditing.audit import audit
    from actor_observer.features.embed_videos import embed
    from actor_observer.features.see import see
    from actor_observer.model import ActorObserverNet, load
    from actor_observer.pictures.explain import explain
    from actor_observer.pictures.report.shown_answer import as_html, plot
    from actor_observer.pictures.rerun_file import to_rerun
    from actor_observer.pictures.side_by_side import side_by_side
    from actor_observer.searching.index import index
    from actor_observer.searching.search import search

    __version__: str

__all__ = [
    "ActorObserverNet",
    "align",
    "align_many",
    "as_html",
    "audit",
    "embed",
    "explain",
    "index",
    "load",
    "pair",
    "plot",
    "recognise",
    "search",
    "see",
    "select",
    "side_by_side",
    "to_rerun",
    "trim",
]

_HOME = {
    "ActorObserverNet": "model",
    "load": "model",
    "align": "alignment.align",
    "align_many": "alignment.cameras.many",
    "pair": "alignment.cameras.pairing",
    "trim": "alignment.cameras.trim",
    "audit": "auditing.audit",
    "side_by_side": "pictures.side_by_side",
    "plot": "pictures.report.shown_answer",
    "as_html": "pictures.report.shown_answer",
    "to_rerun": "pictures.rerun_file",
    "see": "features.see",
    "embed": "features.embed_videos",
    "recognise": "answers.recognise",
    "select": "answers.select",
    "explain": "pictures.explain",
    "index": "searching.index",
    "search": "searching.search",
}


def __getattr__(name: str) -> Any:
    """Import a front-door name when it is first used: `actor-observer --help` need not wait for torch."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("actor-observer")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All names, also those that are not imported yet: for completion."""
    return sorted({name for name in globals() if name.startswith("__")} | {*__all__, "__version__"})
