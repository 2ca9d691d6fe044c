"""Where takes lie in two dimensions: the principal components of their mean embeddings, as an index has them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import read_sealed_json, sealed_json
from actor_observer.errors import UserError
from actor_observer.searching.engines import open_engine

__all__ = ["flattened", "place_of", "read_spread", "write_spread"]

Array = NDArray[np.float64]


def place_of(folder: Path, index: Path) -> Path:
    """The file that keeps what was found of an index as it now is: another index, or a changed one, gets another.

    >>> place_of(Path("cache"), Path("no-such-index")).name
    '9305f34a0808ecd3c7b364e5.json'
    """
    files = sorted(path for path in index.rglob("*") if path.is_file())
    stamps = [f"{path.relative_to(index)} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files]
    name = hashlib.blake2b("\n".join([index.name, *stamps]).encode(), digest_size=12).hexdigest()
    return folder / f"{name}.json"


def write_spread(index: Path, out: Path) -> None:
    """Put every video of an index in its place, into `out`; each view is centred by itself.

    The two views of one event differ in a way that has nothing to do with the event: without centring, that would
    be most of what the picture shows.
    """
    names: list[str] = []
    views: list[str] = []
    means: list[Array] = []
    for entry, _, vectors in open_engine(index).all_moments():
        if len(vectors):
            names.append(entry.video)
            views.append(entry.view)
            means.append(np.asarray(vectors, dtype=np.float64).mean(axis=0))
    if not names:
        raise UserError("The index is empty: there is nothing to draw.")
    places, share = flattened(np.stack(means), views)
    found = {"videos": names, "places": places.round(5).tolist(), "share": round(share, 4)}
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, sealed_json(found))


def flattened(vectors: Array, views: Iterable[str]) -> tuple[Array, float]:
    """The two directions in which vectors (N, D) differ most, (N, 2), and the share of the variance they hold.

    The same vectors give the same picture: each direction points to where its largest part is positive.

    >>> places, share = flattened(np.array([[0.0, 3.0, 0.0], [0.0, -3.0, 0.0], [1.0, 0.0, 0.0]]), "ttt")
    >>> places.round(2).tolist(), round(share, 2)
    ([[3.0, -0.33], [-3.0, -0.33], [0.0, 0.67]], 1.0)
    """
    centred = np.array(vectors, dtype=np.float64)
    labels = np.array(list(views))
    for view in np.unique(labels):
        centred[labels == view] -= centred[labels == view].mean(axis=0)
    spread, directions = np.linalg.eigh(centred.T @ centred)  # smallest first
    chosen = directions[:, ::-1][:, :2]  # (D, 2)
    if chosen.shape[1] < 2:
        chosen = np.pad(chosen, ((0, 0), (0, 2 - chosen.shape[1])))
    largest = np.abs(chosen).argmax(axis=0)
    chosen = chosen * np.where(chosen[largest, [0, 1]] < 0, -1.0, 1.0)
    return centred @ chosen, float(spread[-2:].sum() / max(spread.sum(), 1e-12))


def read_spread(path: Path) -> dict[str, Any] | None:
    """What was found of an index; None where it was not, or the file is not what it should be."""
    try:
        found = read_sealed_json(path.read_bytes())
        places = [(float(x), float(y)) for x, y in found["places"]]
        videos = [str(name) for name in found["videos"]]
        if len(places) != len(videos) or not np.isfinite(places).all():
            return None
        return {"videos": videos, "places": places, "share": float(found["share"])}
    except (OSError, ValueError, TypeError, KeyError):
        return None
