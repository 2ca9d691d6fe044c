"""Balanced quads: two moments of one pair, for a test that no rule blind to the third person can pass."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.sampling.rows import Rows

__all__ = ["Quads", "count_quads", "quads"]

_ROUNDING = 1e-9  # seconds: moments exactly `far` apart are not more than `far` apart


@dataclass(frozen=True)
class Quads(Rows):
    """Two moments i, j of a pair more than `far` apart, each with its third-person and its first-person frame."""

    pair: NDArray[np.int64]  # (Q,) number of the pair in the list given
    x_i: NDArray[np.float64]  # (Q,) third-person seconds
    z_i: NDArray[np.float64]  # (Q,) first-person seconds of the same moment
    x_j: NDArray[np.float64]
    z_j: NDArray[np.float64]


def quads(
    manifest: Manifest,
    pairs: Sequence[Pair],
    far: float = 10.0,
    step: float = 1.0,
    per_pair: int | None = None,
    seed: int = 0,
    far_share: float = 1.0,
) -> tuple[Quads, dict[str, str]]:
    """Quads of these pairs, and the reason for each pair that has none.

    Moments lie on a grid of `step` seconds in the third-person time that both takes show. At most `per_pair` of a
    pair's quads are drawn; the draw depends only on the seed and the pair's id, not on the other pairs. To judge
    against exact truth, give pairs with their exact clocks. For takes of a few seconds, `far` is at most `far_share` of
    the time that both show.

    >>> quads(Manifest({}), pairs=[])[1]
    {}
    """
    columns: list[NDArray[np.float64]] = []
    skipped: dict[str, str] = {}
    for number, pair in enumerate(pairs):
        grid = _grid(manifest, pair, step)
        start, end = pair.clock.overlap(*manifest.lengths(pair))
        known = np.flatnonzero(pair.clock.in_both(grid))
        ends = _ends(known, len(grid), step, min(far, far_share * (end - start)))
        total = int(ends[-1]) if len(ends) else 0
        if not total:
            skipped[pair.id] = f"its {end - start:.1f} s in common have no two moments more than {far:.1f} s apart"
            continue
        if per_pair is None or total <= per_pair:
            chosen = np.arange(total)
        else:
            rng = np.random.default_rng([seed, zlib.crc32(pair.id.encode())])
            chosen = np.sort(rng.choice(total, per_pair, replace=False))
        i, j = _numbered(chosen, ends, known)
        first = pair.clock.to_first(grid)
        columns.append(np.stack([np.full(len(i), number), grid[i], first[i], grid[j], first[j]]))
    pair_number, x_i, z_i, x_j, z_j = np.concatenate(columns, axis=1) if columns else np.empty((5, 0))
    return Quads(pair_number.astype(np.int64), x_i, z_i, x_j, z_j), skipped


def count_quads(manifest: Manifest, pair: Pair, far: float = 10.0, step: float = 1.0) -> int:
    """How many quads a pair has on the grid, without listing them.

    >>> from pathlib import Path
    >>> from actor_observer.pairs import Clock, Take
    >>> takes = {id: Take(id, view, Path(id), 13.0) for id, view in (("t", "third"), ("f", "first"))}
    >>> count_quads(Manifest(takes), Pair("p", "t", "f", Clock.scaled(13.0, 13.0)))
    3
    """
    grid = _grid(manifest, pair, step)
    ends = _ends(np.flatnonzero(pair.clock.in_both(grid)), len(grid), step, far)
    return int(ends[-1]) if len(ends) else 0


def _grid(manifest: Manifest, pair: Pair, step: float) -> NDArray[np.float64]:
    """The middles of whole steps in the stretch that both takes show."""
    start, end = pair.clock.overlap(*manifest.lengths(pair))
    return start + step * (np.arange(int((end - start) / step + 1e-9), dtype=np.float64) + 0.5)


def _ends(known: NDArray[np.int64], moments: int, step: float, far: float) -> NDArray[np.int64]:
    """Quads of the moments that both takes show (K,), in order of i, then of j: how many up to the last of each i."""
    apart = int((far + _ROUNDING) / step) + 1  # the fewest steps between i and j
    after = np.zeros(moments, dtype=np.int64)  # how many j each i has
    after[known] = len(known) - np.searchsorted(known, known + apart)
    return np.cumsum(after)


def _numbered(
    numbers: NDArray[np.int64], ends: NDArray[np.int64], known: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The moments i and j of the quads with these numbers, in the order of `_ends`."""
    i = np.searchsorted(ends, numbers, side="right")
    from_the_end = ends[i] - numbers  # 1 for the last j of this i
    return i, known[len(known) - from_the_end]
