"""The published rule, and that its leaks show on the meters: noise scores high there and 50 % on quads."""

import numpy as np

from actor_observer.evaluation import score_quads
from actor_observer.evaluation.measures.published_rules import published_triplets
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.sampling import quads
from tiny_embeddings import embedded_pairs


def test_position_alone_beats_half_under_the_published_rule() -> None:
    rng = np.random.default_rng(0)
    manifest, noise = embedded_pairs(60, lambda view, n, times: rng.normal(size=(len(times), 4)), length=31.0)
    found = published_triplets(noise, manifest, manifest.pairs)
    position = found.position_score()
    assert 0.55 < position.value < 0.66  # 58.7 % at Charades-Ego's lengths
    assert position.low > 0.5
    assert abs(found.score().value - 0.5) < 0.03


def test_two_heads_that_know_the_role_score_high_without_any_correspondence() -> None:
    """Noise embeddings; first-person weights that like frames near a landmark as positive, far from it as negative."""
    rng = np.random.default_rng(1)
    manifest, noise = embedded_pairs(40, lambda view, n, times: rng.normal(size=(len(times), 6)))
    landmark = np.zeros(6)
    leaky = {}
    for id, take in noise.items():
        near = np.exp(-3 * np.linalg.norm(take.features - landmark, axis=1))
        far = np.exp(3 * np.linalg.norm(take.features - landmark, axis=1))
        both = {"weight": near, "weight_negative": far} if take.view == "first" else {"weight": np.ones(len(near))}
        leaky[id] = TakeEmbedding(take.view, take.times, take.features, **both)
    found = published_triplets(Embeddings(leaky), manifest, manifest.pairs)
    assert found.score(0.05).value > 0.8
    assert found.blind_score(0.05).value > 0.8  # the meter tells why
    fair, _ = quads(manifest, manifest.pairs, per_pair=60)
    assert abs(score_quads(noise, fair, manifest.pairs).value - 0.5) < 0.03


def test_truth_scores_one_and_the_negative_is_always_far() -> None:
    manifest, truth = embedded_pairs(3, lambda view, n, times: times[:, None])
    found = published_triplets(truth, manifest, manifest.pairs)
    assert found.score().value == 1.0
    assert (found.negative > 10 - 0.5).all()
    assert (found.positive < 0.5).all()


def test_short_takes_are_asked_for_a_share_of_their_length() -> None:
    manifest, truth = embedded_pairs(2, lambda view, n, times: times[:, None], length=1.5, rate=12.0)
    assert len(published_triplets(truth, manifest, manifest.pairs, far=1.0).pair)  # at both ends only
    found = published_triplets(truth, manifest, manifest.pairs, far=1.0, far_share=0.5)
    assert len(found.pair) == 2 * 16  # every frame has one, but for the two in the middle
    assert found.negative.min() > 0.75
