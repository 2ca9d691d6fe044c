"""One event or two performances: the surer explanation speaks."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from actor_observer.alignment.align import prefer_event
from actor_observer.alignment.belief import Belief, Candidate
from actor_observer.alignment.figures import Figures
from actor_observer.alignment.result import Alignment
from actor_observer.alignment.two_performances import align_takes
from actor_observer.features import TakeEmbedding


@pytest.fixture(scope="module")
def performed() -> Alignment:
    """A path that starts three seconds into the third-person take."""
    walk = np.random.default_rng(0).normal(size=(120, 8)).cumsum(axis=0)
    third = TakeEmbedding("third", (np.arange(120) + 0.5) / 6, walk)
    return align_takes(third, TakeEmbedding("first", (np.arange(90) + 0.5) / 6, walk[18:108]))


def event(sure: float, offset: float = 9.0, second: float = 0.0) -> Any:
    candidates = Candidate(offset, 1.0, sure), Candidate(offset + 5, 1.0, second)
    belief = Belief(offset, 1.0, 0.1, 0.05, 0.0, candidates, sure, Figures(0.0, 1.0, 1.0, 1.0, 2.0), 0.0, {})
    return SimpleNamespace(belief=belief, confidence=sure)


@pytest.mark.parametrize(
    ("sure", "confidence", "chosen"),
    [(0.5, 0.3, True), (0.3, 0.5, False), (0.05, 0.0, False), (0.15, 0.0, True), (0.95, 1.0, True), (0.5, None, True)],
)
def test_the_surer_explanation_is_chosen(performed: Alignment, sure: float, confidence: float, chosen: bool) -> None:
    assert prefer_event(event(sure), replace(performed, confidence=confidence)) is chosen


def test_one_event_that_agrees_with_the_path_or_has_one_of_two_offsets_is_kept(performed: Alignment) -> None:
    sure = replace(performed, confidence=0.8)
    assert prefer_event(event(0.05, offset=3.2), sure)
    assert prefer_event(event(0.5, second=0.45), sure)
    assert not prefer_event(event(0.5, second=0.1), sure)
