from dataclasses import replace

import numpy as np

from actor_observer.evaluation.measures.retrieval import Ranks, retrieve_moments
from actor_observer.features import Embeddings
from tiny_embeddings import embedded_pairs


def test_truth_is_found_first_and_noise_at_the_rank_of_chance() -> None:
    manifest, truth = embedded_pairs(
        6, lambda view, n, times: np.stack([times, np.full(len(times), 100.0 * n)], axis=1)
    )
    found = retrieve_moments(truth, manifest.pairs)
    assert found.recall[1].value == 1.0
    assert found.median_rank == 1
    rng = np.random.default_rng(0)
    manifest, noise = embedded_pairs(20, lambda view, n, times: rng.normal(size=(len(times), 6)))
    found = retrieve_moments(noise, manifest.pairs)
    assert found.pool == 20 * 30
    assert 0.1 < found.median_rank / found.pool < 0.3  # the best of three right moments among 600
    assert found.recall[1].value < 0.02


def test_a_take_in_two_pairs_is_searched_once_and_both_partners_are_right() -> None:
    """Two room cameras and one head camera: the other camera's moment is no wrong answer."""
    manifest, embeddings = embedded_pairs(3, lambda view, n, times: times[:, None] + 100.0 * n)
    takes = {**embeddings, "0.second": embeddings["0.third"]}
    second = replace(manifest.pairs[0], id="again", third="0.second")
    found = retrieve_moments(Embeddings(takes), (*manifest.pairs, second))
    assert found.pool == 4 * 30
    assert found.recall[1].value == 1.0
    assert found.median_rank == 1


def test_the_rank_of_tied_answers_is_its_expectation() -> None:
    rng = np.random.default_rng(0)
    before, tied, right = 2, 6, 2
    first = [before + 1 + np.flatnonzero(rng.permutation(tied) < right)[0] for _ in range(20_000)]
    ranks = Ranks(np.array([float(before)]), np.array([float(tied)]), np.array([float(right)]))
    for limit in range(1, 9):
        assert abs(float(ranks.within(limit)[0]) - np.mean(np.array(first) <= limit)) < 0.02
    assert ranks.median() == np.median(first)
