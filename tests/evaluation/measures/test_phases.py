"""AE2's measures on data with known answers."""

from dataclasses import replace

import numpy as np
import pytest

from actor_observer.evaluation.measures.phases import kendalls_tau, measure_phases
from actor_observer.pairs import Action
from tiny_embeddings import embedded_pairs

PHASES = (Action("reach", 0.0, 10.0), Action("pour", 10.0, 20.0), Action("leave", 20.0, 30.0))


def with_phases(embed: object, videos: int = 4):
    manifest, embeddings = embedded_pairs(videos, embed)
    takes = {id: replace(take, phases=PHASES) for id, take in manifest.takes.items()}
    return replace(manifest, takes=takes), embeddings


def test_embeddings_that_know_the_time_score_one() -> None:
    manifest, embeddings = with_phases(lambda view, n, times: np.stack([times % 10, times // 10 * 50], axis=1))
    found = measure_phases(embeddings, embeddings, manifest)
    assert found.f1_third_to_first == pytest.approx(1.0)
    assert found.f1_first_to_third == pytest.approx(1.0)
    assert found.retrieval_third_to_first == pytest.approx(1.0)
    assert found.progression == pytest.approx(1.0)
    assert found.tau == pytest.approx(1.0)


def test_noise_scores_chance() -> None:
    rng = np.random.default_rng(0)
    manifest, embeddings = with_phases(lambda view, n, times: rng.normal(size=(len(times), 4)))
    _, train = with_phases(lambda view, n, times: rng.normal(size=(len(times), 4)))
    found = measure_phases(train, embeddings, manifest)
    assert 0.2 < found.f1_third_to_first < 0.45
    assert abs(found.tau) < 0.15
    assert found.progression < 0.1


def test_tau_follows_the_definition() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(40, 3)), rng.normal(size=(50, 3))
    nearest = [int(np.argmin(((row - other[::5]) ** 2).sum(axis=1))) for row in one[::5]]
    signs = [np.sign(nearest[j] - nearest[i]) for i in range(8) for j in range(i + 1, 8)]
    assert kendalls_tau(one, other) == pytest.approx(np.mean(signs))
