"""Embeddings do not depend on the number of threads, to the last digit."""

import numpy as np
import torch

from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.model.loading import load


def test_heads_give_the_same_numbers_with_any_number_of_threads() -> None:
    network, rng, before = load(), np.random.default_rng(0), torch.get_num_threads()
    phi = {"a": TakeEmbedding("first", np.arange(500) / 6, rng.normal(size=(500, 1280)).astype(np.float32) ** 2)}
    found = []
    try:
        for threads in (1, 4):
            torch.set_num_threads(threads)
            found.append(embed_features(network, phi)["a"])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    for name in ("features", "weight", "scores", "chance"):
        assert np.array_equal(getattr(found[0], name), getattr(found[1], name)), name
