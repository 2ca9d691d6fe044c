"""Every moment placed: only what both takes show is asked, and the gain is over the best rule that does not look."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from actor_observer.pairs import Clock, Pair
from align_moments import BLIND, Judged, nearer, row


def test_only_moments_that_both_takes_show_are_judged() -> None:
    clock = Clock.parse("2:12;6:16|10:2;14:6")  # the second piece comes first in the other take
    found = SimpleNamespace(
        placed=[SimpleNamespace(first=t, third=7.0) for t in (1.0, 3.0, 9.0, 13.0)], lengths=(20, 20)
    )
    judged = Judged("mine", [Pair("a", "a", "aEGO", clock)], [found])  # type: ignore[list-item]
    assert judged.moments()[0].tolist() == [1.0, 3.0, 9.0, 13.0]
    (errors,) = judged.errors(BLIND["always the middle"], judged.moments())
    assert errors.tolist() == [1.0, 7.0]  # of 3 and 13 s, which are 11 and 3 s in third person
    outside = replace(judged, pairs=[Pair("a", "a", "aEGO", Clock.parse("|18:17;19:18"))])
    assert outside.errors(BLIND["always the middle"], judged.moments())[0].size == 0


def test_the_gain_is_over_the_best_rule_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    own = [rng.uniform(0, 2, 30) for _ in range(12)]
    far, near = ([errors + by for errors in own] for by in (9.0, 3.0))
    found = nearer(own, [far, near])
    assert found.value == pytest.approx(3.0) and found.low == pytest.approx(3.0) and found.high == pytest.approx(3.0)
    assert nearer(own, [own, far]).value == 0
    assert row(own).endswith("]") and "100.0" not in row(far)
