"""Whether something changes in one small place of a room camera's picture whenever a head camera moves. No training.

Whoever wears the camera is somewhere in the picture, mostly small, and mostly not alone: over the whole picture, and
over large cells, others drown what they do. Nobody knows the place, so the score is a sum over all of them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import uniform_filter1d

from actor_observer.alignment.evidence import LagScores, Sense, on_lags
from actor_observer.alignment.kinds.learned_motion import LONGEST_CELLS, fine_inputs
from actor_observer.alignment.kinds.treatments import TREND, loudness, resampled
from actor_observer.alignment.lags import Array, Lags, chunk_edges, chunk_middles, lag_grid
from actor_observer.alignment.recording import Recording
from actor_observer.frames.motion import CELLS
from actor_observer.model.motion_heads import HEAD_RATE

__all__ = ["OnePlace", "place_scores"]

HEAD = ("camera", "zoom", "residual", "difference")  # what a head camera feels, whichever way its wearer moves
CLIP = 3.0  # spreads: a single jolt says no more
SHARP = 3.0  # how surely a place is told from others, per spread; 2 to 4 were alike on real people 1, 3, 5


@dataclass(frozen=True)
class OnePlace:
    """Of a room and a head camera: the head moves when one place of the picture changes, wherever that is."""

    name: str = "one place"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        if (one.view, other.view) != ("third", "first") or one.length + other.length > LONGEST_CELLS:
            return None
        if one.motion.still or other.motion.still:
            return None
        own = lag_grid(one.length, other.length, HEAD_RATE)

        def scores() -> Array:
            places = _eased(fine_inputs(one.motion)[CELLS.index("difference")].astype(np.float64))  # (192, T)
            return on_lags(place_scores(places, _head(other), own), own, lags)

        return LagScores([(self.name, scores)], chunk_middles(other.length))


def place_scores(places: Array, head: Array, lags: Lags) -> Array:
    """How well any of the places (P, T) follows a head (S,): the log of the mean likelihood over places, (C, L).

    >>> rng = np.random.default_rng(0)
    >>> places = rng.normal(size=(5, 450))
    >>> found = place_scores(places, places[3, 60:360], lag_grid(30.0, 20.0, 15.0))
    >>> round(float(lag_grid(30.0, 20.0, 15.0).offsets[found.sum(axis=0).argmax()]), 3)
    4.0
    """
    edges = np.round(chunk_edges(len(head) / lags.per_second) * lags.per_second).astype(int)
    shift = lags.start + np.arange(lags.count)  # (L,)
    shared = np.minimum(places.shape[1], shift + len(head)) - np.maximum(0, shift)
    size = 1 << (places.shape[1] + len(head) - 1).bit_length()
    spectra = np.fft.rfft(places, size)  # (P, F)

    def follow(start: int, end: int) -> Array:
        """The sum of products of a part of the head's signal, over the root of what is shared, (P, L)."""
        part = np.zeros(len(head))
        part[start:end] = head[start:end]
        product = np.fft.irfft(spectra * np.conj(np.fft.rfft(part, size)), size)
        return np.asarray(product[:, shift % size] / np.sqrt(np.maximum(shared, 1)))

    whole = follow(0, len(head))
    unit = SHARP / np.maximum(whole.std(axis=1, keepdims=True), 1e-9)  # spreads by chance, of each place
    usual = whole.mean(axis=1, keepdims=True)
    stands_out = unit * (whole - usual)
    top = stands_out.max(axis=0)
    likely = np.exp(stands_out - top)  # (P, L)
    share, total = likely / likely.sum(axis=0), top + np.log(likely.mean(axis=0))
    # A chunk gets what it adds to the places that count; the rest is spread over all chunks.
    count = len(edges) - 1
    chunks = np.stack([
        (share * unit * (follow(start, end) - usual / count)).sum(axis=0) for start, end in itertools.pairwise(edges)
    ])  # fmt: skip
    return np.asarray(chunks + (total - chunks.sum(axis=0)) / count)


def _head(recording: Recording) -> Array:
    """How much a head camera moves in any way, (S,) at 15 samples a second."""
    moved = recording.motion
    rows = [loudness(resampled(moved.times, moved.of(name), moved.length, HEAD_RATE)) for name in HEAD]
    return np.asarray(_eased(np.stack(rows)).sum(axis=0))


def _eased(rows: Array) -> Array:
    """Rows (K, T) less their trend, of unit spread, jolts made smaller; zeros where nothing ever changes."""
    rows = rows - uniform_filter1d(rows, max(1, round(TREND * HEAD_RATE)), axis=1, mode="nearest")
    spread = rows.std(axis=1, keepdims=True)
    units = np.where(spread > 1e-6, rows / np.maximum(spread, 1e-6), 0.0)
    return np.asarray(CLIP * np.tanh(units / CLIP))
