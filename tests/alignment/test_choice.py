"""One event or two performances: the surer explanation speaks, and a network that knows nothing has no say."""

from dataclasses import replace

import numpy as np
import pytest

from actor_observer.alignment.align import prefer_event
from actor_observer.alignment.calibration import OneEventCalibration
from actor_observer.alignment.one_event import Candidate, OneEvent
from actor_observer.alignment.performances.two_performances import align_takes
from actor_observer.alignment.result import Alignment
from actor_observer.features import TakeEmbedding

PLAIN = OneEventCalibration({}, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), 0.9, 0.1)  # as sure as the mass says


@pytest.fixture(scope="module")
def performed() -> Alignment:
    """A path that starts three seconds into the third-person take."""
    walk = np.random.default_rng(0).normal(size=(120, 8)).cumsum(axis=0)
    third = TakeEmbedding("third", (np.arange(120) + 0.5) / 6, walk)
    return align_takes(third, TakeEmbedding("first", (np.arange(90) + 0.5) / 6, walk[18:108]))


def event(mass: float, offset: float = 9.0, second: float = 0.0) -> OneEvent:
    candidates = Candidate(offset, 1.0, mass), Candidate(offset + 5, 1.0, second)
    return OneEvent(offset, 1.0, 0.1, 0.0, candidates, mass, 5.0, {})


@pytest.mark.parametrize(
    ("mass", "confidence", "chosen"),
    [(0.5, 0.3, True), (0.3, 0.5, False), (0.05, 0.0, False), (0.15, 0.0, True), (0.95, 1.0, True), (0.5, None, True)],
)
def test_the_surer_explanation_is_chosen(performed: Alignment, mass: float, confidence: float, chosen: bool) -> None:
    path = replace(performed, confidence=confidence)
    assert prefer_event(event(mass), PLAIN, path, known=True) is chosen
    assert prefer_event(event(mass), PLAIN, path, known=False)  # then there is no path worth following


def test_one_event_that_agrees_with_the_path_or_has_one_of_two_offsets_is_kept(performed: Alignment) -> None:
    sure = replace(performed, confidence=0.8)
    assert prefer_event(event(0.05, offset=3.2), PLAIN, sure, known=True)
    assert prefer_event(event(0.5, second=0.45), PLAIN, sure, known=True)
    assert not prefer_event(event(0.5, second=0.1), PLAIN, sure, known=True)
