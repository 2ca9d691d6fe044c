"""All six figures of a run. What each shows is computed once; it can be drawn for a light and for a dark page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from actor_observer.errors import UserError
from actor_observer.features.distances import distance_matrix
from actor_observer.pairs.manifest import VIEWS, Pair, View
from actor_observer.pictures.figures.activations import activations, draw_activations
from actor_observer.pictures.figures.choose import Query, extremes, heaviest, queries, spread
from actor_observer.pictures.figures.extremes import draw_extremes
from actor_observer.pictures.figures.film_strips import draw_film_strips, trace_clock
from actor_observer.pictures.figures.nearest_frames import NEAR, draw_nearest
from actor_observer.pictures.figures.opened_run import Run
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.figures.placing import place
from actor_observer.pictures.figures.similarity import draw_similarity, similarities
from actor_observer.pictures.figures.weight_curve import draw_weight_curve, shade_frames

__all__ = ["Plate", "alignment_plate", "draw_all", "plates"]

ANSWERS = 3  # nearest frames shown for each


@dataclass(frozen=True)
class Plate:
    """A figure to be drawn, its file's name, and what its reader should know.

    >>> Plate("empty", "Nothing.", Figure).draw().axes
    []
    """

    name: str
    caption: str
    draw: Callable[[], Figure]


def draw_all(run: Run, out: str | Path) -> list[Path]:
    """Draw every figure of a run into a folder, as PNG."""
    return [save_picture(plate.draw(), Path(out) / f"{plate.name}.png") for plate in plates(run)]


def plates(run: Run) -> list[Plate]:
    """The six figures of a run; five if the backbone's features have no place in the frame (no activation maps)."""
    made = [_nearest(run), _extremes(run)]
    with suppress(UserError):
        made.append(_activations(run))
    return [*made, _similarity(run), _weight(run), alignment_plate(run, spread(run.pairs, 2)[-1])]


def _nearest(run: Run) -> Plate:
    found = [query for view in VIEWS for query in queries(run, view, 3, ANSWERS)]
    asked = [query for view in VIEWS for query in queries(run, view, len(run.pairs), ANSWERS)]
    right = sum(_is_right(query) for query in asked)
    caption = (
        "The nearest frames of the other view, each from a different take, for the frames of highest weight of evenly "
        "chosen pairs; "
        f"on the right the frame that belongs to the query. ✓: within {NEAR:g} s of it. Asked of all "
        f"{len(asked)} takes, the {ANSWERS} nearest include the right moment {right} times."
    )
    return Plate("1-nearest-frames", caption, lambda: draw_nearest(run, found, ANSWERS))


def _is_right(query: Query) -> bool:
    return any(answer.error is not None and answer.error <= NEAR for answer in query.answers)


def _extremes(run: Run) -> Plate:
    high = {view: extremes(run, view, 5) for view in VIEWS}
    low = {view: extremes(run, view, 5, lowest=True) for view in VIEWS}
    caption = (
        "The frames with the highest and the lowest weight in each view, one from each take. "
        "Weights have a mean of 1 over a take."
    )
    return Plate("2-highest-and-lowest-weight", caption, lambda: draw_extremes(run, high, low))


def _activations(run: Run) -> Plate:
    spots = {view: [heaviest(run, _take(pair, view)) for pair in spread(run.pairs, 4)] for view in VIEWS}
    mapped = {view: activations(run, spots[view]) for view in VIEWS}
    caption = (
        "How strongly each place of a frame drives the backbone’s last convolution (bright: most), "
        "for the frames of highest weight of evenly chosen takes."
    )
    return Plate("3-activations", caption, lambda: draw_activations(mapped))


def _similarity(run: Run) -> Plate:
    found = similarities(run, spread(run.pairs, 4))
    caption = (
        "The gradient of the similarity of two frames of one moment, at each image (bright: a small change of these "
        "pixels would change the similarity most; lightly blurred)."
    )
    return Plate("4-similarity-gradients", caption, lambda: draw_similarity(found))


def _weight(run: Run) -> Plate:
    pair = spread(run.pairs, 2)[-1]
    take, weight = run.manifest.takes[pair.first], run.weight(pair.first)
    times = run.embeddings[pair.first].times
    hands, thing = (
        run.truth.at(pair.first, times, name) if run.truth else None for name in ("hands_visible", "object_visible")
    )

    def draw() -> Figure:
        figure = draw_weight_curve(take, times, weight)
        if hands is not None and thing is not None:
            shade_frames(figure, times, hands & thing, "hands and object visible")
        return figure

    caption = f"The weight of the frames of a first-person take ({take.id}), with the frames at its peaks and troughs."
    return Plate("5-weight-over-time", caption, draw)


def alignment_plate(run: Run, pair: Pair, seconds: float = 1.0) -> Plate:
    """The alignment of one pair: strips, joined moments of so many `seconds`, distances."""
    third, first = run.embeddings[pair.third], run.embeddings[pair.first]
    distances = distance_matrix(third.features, first.features).T  # (T3, T1)
    joins, best, errors = place(third, first, pair.clock, seconds)
    how = "one second" if seconds == 1 else f"{seconds:.2g} s"
    off = f"{np.median(errors):.{1 if seconds >= 1 else 2}f} s"
    caption = (
        f"Alignment of a pair ({pair.id}): lines join first-person moments with the third-person moments of smallest "
        f"distance ({how} each, placed one by one, order not used; their median error is {off}). "
        "Green, among the distances: where they belong. Right: the best pair of moments."
    )
    takes = run.manifest.takes

    def draw() -> Figure:
        ends = takes[pair.third], takes[pair.first]
        figure = draw_film_strips(*ends, third.times, first.times, distances, joins, best)
        trace_clock(figure, pair.clock)
        return figure

    return Plate("6-alignment", caption, draw)


def _take(pair: Pair, view: View) -> str:
    return pair.third if view == "third" else pair.first
