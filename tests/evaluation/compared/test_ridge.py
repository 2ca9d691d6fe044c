"""The ridge map is the textbook's, with many frames or few."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from actor_observer.evaluation.compared.ridge import fit_ridge


@pytest.mark.parametrize("size", [6, 200])  # fewer features than frames, and more
def test_equals_the_textbook_ridge(size: int) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, size)) + 3, rng.normal(size=(80, 2)) - 1
    ours = fit_ridge(x, y, np.arange(80) // 8, strengths=(7.0,))
    np.testing.assert_allclose(ours(x), Ridge(7.0).fit(x, y).predict(x), atol=1e-9)


def test_the_strength_is_chosen_on_takes_left_out() -> None:
    """Every take has an offset of its own along noise: within a take it helps, on a new take it misleads."""
    rng = np.random.default_rng(1)
    take = np.repeat(np.arange(12), 30)
    noise = rng.normal(size=(12, 40))[take] + 0.01 * rng.normal(size=(360, 40))
    target = rng.normal(size=12)[take][:, None]  # nothing in the features tells it on a new take
    assert fit_ridge(noise, target, take, strengths=(1e-3, 1e6)).strength == 1e6
