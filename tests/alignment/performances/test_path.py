"""The path is the best of all, by trying all."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from actor_observer.alignment.performances.path import best_path


def best_by_trying_all(score: NDArray[np.float64], cost: float) -> float:
    rows, columns = score.shape

    @cache
    def best_from(row: int, column: int) -> float:
        """The best sum of a path that goes on from here to an end."""
        here = float(score[row, column])
        onward = [0.0] if row == rows - 1 or column == columns - 1 else []
        for down, right, price in ((1, 1, 0.0), (1, 0, cost), (0, 1, cost)):
            if row + down < rows and column + right < columns:
                onward.append(best_from(row + down, column + right) - price)
        return here + max(onward)

    starts = [(0, column) for column in range(columns)] + [(row, 0) for row in range(rows)]
    return max(best_from(*start) for start in starts)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 2.0]))
def test_no_other_path_is_better(rows: int, columns: int, seed: int, cost: float) -> None:
    score = np.random.default_rng(seed).normal(size=(rows, columns))
    path, total = best_path(score, cost)
    assert total == pytest.approx(best_by_trying_all(score, cost))
    steps = np.diff(path, axis=0)
    assert set(map(tuple, steps.tolist())) <= {(1, 1), (1, 0), (0, 1)}
    stood_still = int((steps.sum(axis=1) == 1).sum())
    assert total == pytest.approx(score[path[:, 0], path[:, 1]].sum() - cost * stood_still)
    assert 0 in path[0]
    assert path[-1, 0] == rows - 1 or path[-1, 1] == columns - 1


def test_either_video_may_start_and_stop_first() -> None:
    for shift in (-20, 0, 20):
        score = np.full((60, 50), -0.5) + 3.0 * np.eye(60, 50, k=shift)
        path, _ = best_path(score)
        assert (path[:, 1] - path[:, 0] == shift).all()
