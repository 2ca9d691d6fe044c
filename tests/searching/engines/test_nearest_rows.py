"""The nearest vectors are the nearest, whoever looks for them."""

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.searching.engines.nearest_rows import nearest_rows, squares_of


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_rows_come_in_order_of_their_distance_and_none_is_missing(count: int, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(count, size)).astype(np.float32) + 3
    query, allowed = vectors[rng.integers(count)], rng.random(count) < 0.7
    parts = list(nearest_rows(vectors, query, allowed, squares_of(vectors) if seed % 2 else None))
    rows = np.array(list(chain.from_iterable(rows for rows, _ in parts)), dtype=int)
    distances = np.array(list(chain.from_iterable(distances for _, distances in parts)))
    assert sorted(rows.tolist()) == np.flatnonzero(allowed).tolist()
    expected = np.sort(np.linalg.norm(vectors[allowed].astype(float) - query, axis=1))
    np.testing.assert_allclose(distances, expected, atol=2e-3)
    np.testing.assert_allclose(distances, np.linalg.norm(vectors[rows].astype(float) - query, axis=1), atol=1e-12)


def test_numbers_that_are_none_are_never_near(tmp_path: Path) -> None:
    vectors = np.array([[np.nan, 0], [np.inf, 0], [5, 5]], dtype=np.float32)
    ((rows, distances),) = nearest_rows(vectors, np.zeros(2, np.float32), np.ones(3, bool))
    assert rows.tolist() == [2]
    assert distances == pytest.approx([50**0.5])
