"""What the page asks of the library: put in step, weigh frames, search. The one place that knows its functions.

Imported by helper processes only: it brings the network with it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from actor_observer.alignment.align import align
from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import sealed_json
from actor_observer.errors import TakeError, UserError
from actor_observer.features.distances import distance_matrix
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.known import known_take
from actor_observer.features.models import open_model
from actor_observer.features.see import open_take, see_phi
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take, View
from actor_observer.searching.engines import open_engine
from actor_observer.searching.engines.entries import IndexHead
from actor_observer.searching.index import index
from actor_observer.searching.made_by import frozen_backbone, network_for
from actor_observer.searching.query import is_words
from actor_observer.searching.search import search

__all__ = ["find", "look", "make_index", "put_in_step", "put_signal_in_step"]

Answer = dict[str, Any]
MOST_SEEN = 400  # frames of a take on the page's curves and map
RATE = 6.0  # frames a second, fewer of long takes


def put_in_step(third: Path, first: Path, rates: Sequence[float | None], model: str | None) -> Answer:
    """The clock that `align` finds, its verdict, and what both rest on."""
    found = align(_take(third, "third", rates[0]), _take(first, "first", rates[1]), _network(model))
    error = found.offset_error
    return {
        "clock": str(found.clock),
        "offset": found.offset,
        "offset_error": float(error) if error is not None and np.isfinite(error) else None,
        "rate": found.rate,
        "confidence": found.confidence,
        "verdict": found.verdict,
        "counted": found.likeness is not None,  # whether the model's likeness had a say
        **{name: said for name, said in found.to_dict().items() if name in ("scores", "candidates", "wearer")},
    }


def look(
    third: Path,
    first: Path,
    rates: Sequence[float | None],
    model: str | None,
    out: Path,
    progress: Callable[[float], object],
) -> Answer:
    """Weights over time of both takes, what `align` says, and the map of distances where that counts, into `out`."""
    network = _network(model)
    seen, says = [], ""
    for number, (path, view, rate) in enumerate(((third, "third", rates[0]), (first, "first", rates[1]))):
        take = _take(path, "third" if view == "third" else "first", rate)
        fewer = min(RATE, MOST_SEEN / max(take.length, 1e-6))
        phi = see_phi(network, take, take.view, fewer)
        seen.append(embed_features(network, {"take": phi})["take"])
        knowledge = known_take(network, phi)
        says = says or (knowledge.says if knowledge else "")
        progress((number + 1) / 3)
    said = put_in_step(third, first, rates, model)
    found = {
        "third": _curve(seen[0]),
        "first": _curve(seen[1]),
        "map": _map(seen[0], seen[1]) if said["counted"] else None,
        "align": said,
        "says": says,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, sealed_json(found))
    return {}


def put_signal_in_step(third: Path, rate: float | None, signal: Path, out: Path) -> None:
    """The clock that `align` finds between a video and a file of numbers, into `out`; what cannot be read says so."""
    said: Answer = {"clock": "0:0", "verdict": "cannot be read", "offset_error": None}
    with contextlib.suppress(TakeError, UserError):
        found = align(_take(third, "third", rate), signal)
        error = found.offset_error
        known = float(error) if error is not None and np.isfinite(error) else None
        said = {"clock": str(found.clock), "verdict": found.verdict, "offset_error": known}
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, sealed_json(said))


def make_index(
    takes: Sequence[dict[str, Any]], out: Path, model: str | None, progress: Callable[[float], object]
) -> Answer:
    """Add the takes of a data set to an index, one view after the other."""
    done = total = 0

    def each() -> None:
        nonlocal done
        done += 1
        progress(done / max(1, len(takes)))

    views: tuple[View, View] = ("third", "first")
    for view in views:
        some = [
            replace(_take(Path(row["path"]), view, row["rate"]), subject=row["subject"])
            for row in takes
            if row["view"] == view
        ]
        if some:
            total = index(some, out, view, model=_network(model), each=each).total
    return {"moments": total}


def find(
    folder: str,
    query: str,
    time: float | None,
    view: str | None,
    in_view: str | None,
    subject: str | None,
    top: int,
    model: str | None,
) -> Answer:
    """The nearest moments of an index to a moment of a video; to a picture without a time; to words without a view."""
    views: dict[str | None, View | None] = {"third": "third", "first": "first"}
    asked: Any = Path(query) if time is None else (Path(query), time)
    if view is None:
        if not is_words(query):  # never a file of this machine
            raise UserError("Write what happens, in words.")
        asked = query
    network = _network(model, open_engine(folder).head)
    found = search(folder, asked, views.get(view), views.get(in_view), subject or None, top=top, model=network)
    hits = [
        {"video": hit.video, "time": hit.time, "distance": hit.distance, "view": hit.view, "subject": hit.subject}
        for hit in found.hits
    ]
    return {"hits": hits, "verdict": found.warning}


def _map(third: TakeEmbedding, first: TakeEmbedding) -> Answer:
    """How far all moments are from each other, as levels from 0 to 255."""
    matrix = distance_matrix(third.features, first.features)  # (first, third)
    low, high = np.percentile(matrix, [1, 99])
    levels = np.clip((matrix - low) / max(high - low, 1e-9) * 255, 0, 255).round().astype(int)
    return {"rows": levels.shape[0], "columns": levels.shape[1], "levels": bytes(levels.ravel().tolist()).hex()}


def _curve(seen: TakeEmbedding) -> Answer:
    weight = np.ones(len(seen.times)) if seen.weight is None else np.asarray(seen.weight, dtype=float)
    return {"times": [round(float(t), 3) for t in seen.times], "weight": [round(float(w), 4) for w in weight]}


def _take(path: Path, view: View, rate: float | None) -> Take:
    if rate is None:
        return open_take(path, view)
    from actor_observer.pairs.frame_files import frame_files

    return Take(path.name, view, path, len(frame_files(path)) / rate, frame_rate=rate)


@functools.lru_cache(maxsize=3)
def _network(model: str | None, index: IndexHead | None = None) -> ActorObserverNet:
    """The studio's model; for an index of a backbone's frozen features, that, unless a model was named."""
    try:
        backbone = frozen_backbone(index) if model is None and index is not None else None
        return open_model(model) if backbone is None else network_for(index, None, backbone)
    except OSError as error:
        raise UserError(f"{model}: cannot be loaded ({error})") from None
