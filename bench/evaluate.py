"""How fast is alignment? A thousand pairs of 30 s at 6 frames a second, both protocols, against the textbook loop.

    python bench/evaluate.py [--pairs 1000] [--rounds 10]

The textbook is the definition written down: a distance for every two frames, a mean over the window around every cell.
It runs on some of the same pairs, in turns with ours, in one process on one thread, and must give the same answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import tyro
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from actor_observer.evaluation.measures.placement import place_moments, published_choice
from actor_observer.features import TakeEmbedding
from actor_observer.pairs import Clock
from actor_observer.sampling.windows import frame_times

SECONDS, RATE, SIZE, RADIUS = 30.0, 6.0, 128, 3

Array = NDArray[np.float64]
Pair = tuple[TakeEmbedding, TakeEmbedding, Clock]


def make_pair(rng: np.random.Generator) -> Pair:
    """Two walks through the same places, each with its own noise, so that there is something to align."""
    times = frame_times(SECONDS, RATE)
    walk = rng.normal(size=(len(times), SIZE)).cumsum(axis=0)
    third, first = (walk + 3 * rng.normal(size=walk.shape) for _ in range(2))
    return TakeEmbedding("third", times, third), TakeEmbedding("first", times, first), Clock.scaled(SECONDS, SECONDS)


def ours(pair: Pair) -> tuple[float, Array, float]:
    """The published best pair's error; where every moment is placed, and the best pair's error, border-safe."""
    placed = place_moments(*pair)
    assert placed is not None
    return float(published_choice(*pair).mean_error[0]), placed.answers.place, placed.best_error


def textbook(pair: Pair) -> tuple[float, Array, float]:
    """The same, cell by cell."""
    third, first, clock = pair
    rows, columns = len(first.times), len(third.times)
    matrix = np.empty((rows, columns))
    for j in range(rows):
        for i in range(columns):
            matrix[j, i] = np.linalg.norm(first.features[j] - third.features[i])
    clipped, whole = np.empty((rows, columns)), np.full((rows, columns), np.inf)
    for j in range(rows):
        for i in range(columns):
            window = matrix[max(0, j - RADIUS) : j + RADIUS + 1, max(0, i - RADIUS) : i + RADIUS + 1]
            clipped[j, i] = window.mean()
            if window.shape == (2 * RADIUS + 1, 2 * RADIUS + 1):
                whole[j, i] = clipped[j, i]
    truth = clock.to_third(first.times)
    published = abs(np.subtract.outer(truth, third.times).ravel()[np.argmin(clipped)])
    usable = range(RADIUS, rows - RADIUS)
    placed = np.array([third.times[np.argmin(whole[row])] for row in usable])
    best = abs(np.subtract.outer(truth, third.times).ravel()[np.argmin(whole)])
    return float(published), placed, float(best)


def main(pairs: int = 1000, rounds: int = 10) -> None:
    rng = np.random.default_rng(0)
    made = [make_pair(rng) for _ in range(pairs)]
    ours(made[0])
    start = time.perf_counter()
    mine, theirs = [], []
    with threadpool_limits(1):
        found = [ours(pair) for pair in made]
        seconds = time.perf_counter() - start
        for number in range(rounds):  # in turns, by CPU time: others may use the machine too
            mine.append(processor_time(ours, made[number :: max(1, pairs // 20)]))
            theirs.append(processor_time(textbook, [made[number]]))
            for one, other in zip(found[number], textbook(made[number]), strict=True):
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), atol=1e-9)
    print(f"{pairs} pairs of {SECONDS:g} s at {RATE:g} frames a second, {SIZE} numbers a frame, one thread")
    print(f"ours, both protocols, all pairs: {seconds:.1f} s")
    own, book = 1e3 * np.median(mine), 1e3 * np.median(theirs)
    print(f"a pair, median of {rounds} rounds: ours {own:.1f} ms, textbook {book:.0f} ms of CPU time")
    print(f"ours is faster by {book / own:.0f}x; the answers are equal")


def processor_time(work: Callable[[Pair], object], pairs: list[Pair]) -> float:
    """CPU seconds for one pair."""
    start = time.process_time()
    for pair in pairs:
        work(pair)
    return (time.process_time() - start) / len(pairs)


if __name__ == "__main__":
    tyro.cli(main)
