"""The fair score: exactly 50 % for anything blind to x, right intervals, honest choices."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.errors import UserError
from actor_observer.evaluation import accuracy, quad_distances, score_quads
from actor_observer.evaluation.statistics.over_videos import top_share
from actor_observer.evaluation.tables.correspondence_tables import quad_weight
from actor_observer.features import Embeddings
from actor_observer.sampling import quads
from tiny_embeddings import embedded_pairs


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000))
def test_a_rule_blind_to_x_gets_exactly_half(seed: int) -> None:
    """Whatever the first person shows, the same third-person frame everywhere decides nothing."""
    rng = np.random.default_rng(seed)
    manifest, embeddings = embedded_pairs(
        3, lambda view, n, times: rng.normal(size=(len(times), 4)) * (view == "first")
    )
    found, _ = quads(manifest, manifest.pairs, per_pair=50)
    assert score_quads(embeddings, found, manifest.pairs).value == 0.5
    assert score_quads(embeddings, found, manifest.pairs, share=0.1).value == 0.5


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_no_selector_can_choose_quads_on_which_a_blind_rule_wins(seed: int, first: bool) -> None:
    """Any weights, and any taste for first-person frames: exactly half of whatever share they choose."""
    rng = np.random.default_rng(seed)
    manifest, plain = embedded_pairs(3, lambda view, n, times: rng.normal(size=(len(times), 4)) * (view == "first"))
    embeddings = Embeddings({id: replace(take, weight=rng.random(len(take.times))) for id, take in plain.items()})
    found, _ = quads(manifest, manifest.pairs, per_pair=50)
    chosen = quad_weight(embeddings, found, manifest.pairs, first=first)
    distances = quad_distances(embeddings, found, manifest.pairs)
    swapped = type(found)(found.pair, found.x_j, found.z_j, found.x_i, found.z_i)
    np.testing.assert_allclose(chosen, quad_weight(embeddings, swapped, manifest.pairs, first=first))
    for share in (1.0, 0.5, 0.1, 0.05):
        assert top_share(distances.right(), distances.pair, chosen, share)(np.ones(3)) == 0.5


def test_noise_is_near_half_and_truth_is_one() -> None:
    rng = np.random.default_rng(0)
    manifest, noise = embedded_pairs(40, lambda view, n, times: rng.normal(size=(len(times), 8)))
    found, _ = quads(manifest, manifest.pairs, per_pair=60)
    result = score_quads(noise, found, manifest.pairs)
    assert result.low < 0.5 < result.high
    assert result.high - result.low < 0.1
    manifest, truth = embedded_pairs(4, lambda view, n, times: times[:, None])
    assert score_quads(truth, quads(manifest, manifest.pairs)[0], manifest.pairs).value == 1.0


def test_a_tie_counts_half() -> None:
    manifest, same = embedded_pairs(2, lambda view, n, times: np.ones((len(times), 3)))
    found, _ = quads(manifest, manifest.pairs)
    assert (quad_distances(same, found, manifest.pairs).right() == 0.5).all()


def test_the_margin_does_not_change_when_i_and_j_change_places() -> None:
    rng = np.random.default_rng(1)
    manifest, noise = embedded_pairs(2, lambda view, n, times: rng.normal(size=(len(times), 3)))
    found, _ = quads(manifest, manifest.pairs)
    swapped = type(found)(found.pair, found.x_j, found.z_j, found.x_i, found.z_i)
    one, two = (quad_distances(noise, which, manifest.pairs) for which in (found, swapped))
    np.testing.assert_allclose(one.margin(), two.margin())
    np.testing.assert_array_equal(one.right(), two.right())


def test_the_share_is_chosen_anew_in_each_replicate_and_ties_by_a_fixed_shuffle() -> None:
    right = np.array([1.0] * 10 + [0.0] * 90)
    video = np.repeat(np.arange(10), 10)
    choice = np.concatenate([np.ones(10), np.zeros(90)])
    best = accuracy(right, video, choice, share=0.1)
    assert best.value == 1.0
    assert best.low < 0.5  # in many replicates the one good video is missing
    one, two = (accuracy(right, video, np.zeros(100), share=0.1) for _ in range(2))
    assert one == two  # no information: the same random tenth every time


def test_the_interval_covers_the_truth_over_videos() -> None:
    """Videos differ: the truth lies in 95 % of the intervals over videos, and in far fewer over single quads."""
    rng = np.random.default_rng(2)
    over_videos = over_quads = 0
    for _ in range(120):
        skill = rng.beta(4, 2, size=30)  # each video has its own
        right = (rng.random((30, 40)) < skill[:, None]).astype(float).flatten()
        video = np.repeat(np.arange(30), 40)
        inside = accuracy(right, video)
        over_videos += inside.low <= 4 / 6 <= inside.high
        spread = 1.96 * right.std() / np.sqrt(len(right))
        over_quads += abs(right.mean() - 4 / 6) <= spread
    assert over_videos >= 105
    assert over_quads < 80


def test_the_interval_of_a_chosen_share_covers_the_truth_over_videos() -> None:
    """The half with the clearest margin: chosen anew in each replicate, its interval holds the half of all videos."""
    rng = np.random.default_rng(5)

    def draw(videos: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        skill = rng.normal(0.5, 1.0, size=(videos, 1))  # each video has its own
        margin = skill + rng.normal(size=(videos, 20))
        return (margin > 0).astype(float).ravel(), np.abs(margin).ravel(), np.repeat(np.arange(videos), 20)

    right, margin, video = draw(20_000)
    truth = top_share(right, video, margin, share=0.5)(np.ones(20_000))
    inside = 0
    for _ in range(50):
        right, margin, video = draw(40)
        found = accuracy(right, video, margin, share=0.5)
        inside += found.low <= truth <= found.high
    assert inside >= 42


def test_no_quads_is_not_a_number() -> None:
    assert np.isnan(accuracy(np.empty(0), np.empty(0, dtype=int)).value)


def test_a_take_that_is_missing_is_named() -> None:
    manifest, embeddings = embedded_pairs(1, lambda view, n, times: times[:, None])
    found, _ = quads(manifest, manifest.pairs)
    with pytest.raises(UserError, match=r"take 0\.first is needed"):
        score_quads(Embeddings({"0.third": embeddings["0.third"]}), found, manifest.pairs)
