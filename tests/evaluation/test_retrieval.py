import numpy as np

from actor_observer.evaluation.retrieval import retrieve_moments
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
