"""A moment that can hardly be placed counts little in the likeness."""

import numpy as np

from actor_observer.alignment.performances.moment_matrix import match_moments
from actor_observer.features import TakeEmbedding

TIMES = (np.arange(60) + 0.5) / 6


def spread_of_rows(chance: np.ndarray | None, weight: np.ndarray | None = None) -> np.ndarray:
    walk = np.random.default_rng(0).normal(size=(60, 8))
    third = TakeEmbedding("third", TIMES, walk)
    first = TakeEmbedding("first", TIMES, walk, weight=weight, chance=chance)
    return match_moments(third, first).likeness.std(axis=1)


def test_by_its_chance_of_being_placed_and_else_by_the_selector() -> None:
    low = np.where(np.arange(60) < 30, 0.2, 0.8)
    plain, weighed = spread_of_rows(None), spread_of_rows(low)
    assert weighed[:20].mean() / weighed[-20:].mean() < 0.7 * plain[:20].mean() / plain[-20:].mean()
    squared = low**2 / np.mean(low**2)
    assert np.allclose(spread_of_rows(None, weight=squared), weighed)  # the same weights, given as a selector's
    assert np.allclose(spread_of_rows(low, weight=squared[::-1]), weighed)  # the chance goes before the selector


def test_an_even_chance_changes_nothing() -> None:
    assert np.allclose(spread_of_rows(np.full(60, 0.3)), spread_of_rows(None))
