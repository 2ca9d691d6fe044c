"""The confidence of `align` is fitted on validation pairs alone."""

import pytest

from actor_observer.evaluation.used import FILE
from actor_observer.pairs import ROBOTS
from calibrate import main


def test_the_confidence_is_not_fitted_where_there_is_nothing_but_test_and_training_pairs() -> None:
    """The robots' set has 14 test pairs, enough to fit on: they were, before."""
    with pytest.raises(SystemExit, match="pairs in the validation split, 10 are needed"):
        main((ROBOTS,))
    assert not (ROBOTS / FILE).exists() and not (ROBOTS.parent / FILE).exists()
