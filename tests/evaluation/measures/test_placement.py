"""Placing moments: equal to the textbook loop, exact on truth, and no help from the borders."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.measures.placement import place_all, place_by_matrix, place_moments, published_choice
from actor_observer.evaluation.statistics.chance import UniformGuess
from actor_observer.evaluation.tables.alignment_tables import _COLUMNS, fair_alignment, published_alignment
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.features.distances import box_mean, distance_matrix
from actor_observer.pairs import Clock
from tiny_embeddings import embedded_pairs


def take(length: float, rate: float = 6.0, view: str = "third", clock: Clock | None = None) -> TakeEmbedding:
    times = (np.arange(int(length * rate)) + 0.5) / rate
    return TakeEmbedding(view, times, times[:, None] if clock is None else clock.to_third(times)[:, None])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 14), st.integers(1, 14), st.integers(0, 3), st.booleans(), st.integers(0, 99))
def test_window_means_equal_the_double_loop(rows: int, columns: int, radius: int, clipped: bool, seed: int) -> None:
    matrix = np.random.default_rng(seed).random((rows, columns))
    fast = box_mean(matrix, radius, clipped)
    spans = []
    for length in (rows, columns):
        reach = radius if clipped else min(radius, (length - 1) // 2)
        cells = range(length) if clipped else range(reach, length - reach)
        spans.append([slice(max(0, cell - reach), min(length, cell + reach + 1)) for cell in cells])
    slow = np.array([[matrix[row, column].mean() for column in spans[1]] for row in spans[0]])
    np.testing.assert_allclose(fast, slow)


def test_distances_equal_the_definition() -> None:
    rng = np.random.default_rng(0)
    third, first = rng.normal(size=(9, 5)), rng.normal(size=(7, 5))
    slow = [[np.linalg.norm(a - b) for b in third] for a in first]
    np.testing.assert_allclose(distance_matrix(third, first), slow, atol=1e-6)


def test_true_embeddings_are_placed_exactly_by_any_clock() -> None:
    clock = Clock(((0.0, 0.0), (10.0, 14.0), (30.0, 36.0)))
    third, first = take(30.0), take(36.0, view="first", clock=clock)
    placement = place_moments(third, first, clock)
    assert placement.error.max() < 0.3
    assert placement.best_error < 0.1
    assert published_choice(third, first, clock).mean_error[0] < 0.2


def test_moments_the_observer_never_saw_are_counted_not_scored() -> None:
    clock = Clock(((0.0, 10.0),))  # the head camera ran ten seconds longer at the start
    placement = place_moments(take(20.0), take(30.0, view="first", clock=clock), clock)
    assert 55 <= placement.outside <= 65
    assert placement.error.max() < 0.3


def noise(videos: int, length: float, seed: int = 0) -> tuple[list[float], list[float], UniformGuess]:
    """Published and border-safe best-pair errors on matrices of independent noise, and a uniform guess."""
    rng = np.random.default_rng(seed)
    clock = Clock.scaled(length, length)
    third, first = take(length), take(length, view="first")
    published, safe, grids = [], [], []
    for _ in range(videos):
        matrix = rng.random((len(first.times), len(third.times)))
        j, i = np.unravel_index(np.argmin(box_mean(matrix, 3, clipped=True)), matrix.shape)
        published.append(abs(third.times[i] - first.times[j]))
        placement = place_by_matrix(matrix, third, first, clock)
        safe.append(placement.best_error)
        grids.append((placement.third, placement.truth))
    return published, safe, UniformGuess(grids)


def test_clipped_windows_favour_the_borders_and_whole_windows_do_not() -> None:
    published, safe, guess = noise(800, 31.0)
    chance = guess.median()
    assert abs(np.median(safe) - chance) < 0.8  # border-safe noise is at chance
    assert abs(np.mean(safe) - guess.mean()) < 0.6
    assert np.median(published) > chance + 1  # the artefact: about 11 s where a uniform guess gets 8.8


def test_noise_in_the_published_table_stands_at_the_borders_and_in_the_fair_one_at_chance() -> None:
    """Through the tables: embeddings of independent noise, 31 s at 6 frames a second, as in Charades-Ego."""
    rng = np.random.default_rng(7)
    manifest, noise = embedded_pairs(60, lambda view, n, t: rng.normal(size=(len(t), 400)), length=31.0, rate=6.0)
    methods = [Method("noise", noise)]
    published = published_alignment(methods, manifest.pairs, Protocol(), "same person").rows
    fair = fair_alignment(methods, manifest.pairs, Protocol(), "same person").rows
    assert published["independent noise"][0] > fair["uniform guess"][4] + 1
    best, chance = fair["noise"][4], fair["uniform guess"][4]
    assert best.low < chance + 0.8 and best.high > chance - 0.8
    placed = fair["noise"][1]
    assert placed.low < fair["uniform guess"][1] + 0.5 and placed.high > fair["uniform guess"][1] - 0.5


@pytest.mark.parametrize(("start", "third", "first"), [(0.0, 30.0, 30.0), (6.0, 30.0, 18.0), (-3.0, 12.0, 25.0)])
def test_a_uniform_guess_equals_simulation_wherever_the_takes_meet(start: float, third: float, first: float) -> None:
    """The two stretches need not have the same middle: a first-person camera may have started late."""
    rng = np.random.default_rng(3)
    grid = np.arange(0.5, third), np.arange(0.5, first) + start
    errors = np.abs(rng.choice(grid[0], 200_000) - rng.choice(grid[1], 200_000))
    guess = UniformGuess([grid])
    assert abs(np.median(errors) - guess.median()) <= 1.0 + 1e-9  # of a grid of one second
    assert abs(errors.mean() - guess.mean()) < 0.05
    assert abs((errors <= 1).mean() - guess.within(1.0)) < 0.005


def test_a_uniform_guess_over_moments_counts_long_pairs_more_often() -> None:
    short, long = (np.arange(2.0), np.arange(2.0)), (np.arange(30.0), np.arange(30.0))
    by_moment, by_pair = UniformGuess([short, long]), UniformGuess([short, long], by_moment=False)
    assert by_moment.mean() == pytest.approx((2 * 0.5 + 30 * (30**2 - 1) / 90) / 32)
    assert by_pair.mean() == pytest.approx((0.5 + (30**2 - 1) / 90) / 2)


def test_always_the_middle_is_exact() -> None:
    clock = Clock.scaled(30.0, 30.0)
    placement = place_moments(take(30.0), take(30.0, view="first"), clock)
    assert abs(placement.middle_error.mean() - 29.0 / 4) < 0.1


def test_pairs_that_never_meet_are_left_out_and_counted() -> None:
    """Before, every moment of such a pair was scored against a truth outside the take: errors of 98.8 s."""
    manifest, embeddings = embedded_pairs(4, lambda view, n, times: times[:, None])
    apart = replace(manifest.pairs[0], clock=Clock(((0.0, 100.0),)))
    assert place_all(embeddings, [apart]) == [None]
    table = fair_alignment([Method("truth", embeddings)], (apart, *manifest.pairs[1:]), Protocol(), "same person")
    assert table.rows["truth"][1].value < 1e-9
    assert "1 pair without a moment in common: left out." in table.notes
    nothing = fair_alignment([Method("truth", embeddings)], [apart], Protocol(), "same person")
    assert "truth" not in nothing.rows


def test_the_best_half_is_chosen_again_in_every_replicate() -> None:
    """Four pairs right where the weight is high, four wrong: which half is best depends on which pairs are drawn."""
    manifest, embeddings = embedded_pairs(
        8, lambda view, n, times: (times if n < 4 or view == "third" else times[::-1])[:, None]
    )
    weighted = Embeddings(
        {id: replace(one, weight=np.full(len(one.times), float(id[0] < "4"))) for id, one in embeddings.items()}
    )
    row = fair_alignment([Method("selects", weighted)], manifest.pairs, Protocol(), "same person").rows["selects"]
    half = row[_COLUMNS.index("best half by weight, median")]
    assert half.value == 0.0
    assert half.high > 1.0  # a replicate with fewer than four good pairs fills its half with bad ones


def test_a_take_shorter_than_a_moment_still_counts() -> None:
    placement = place_moments(take(0.7), take(0.7, view="first"), Clock.scaled(0.7, 0.7))
    assert np.isfinite(placement.error).all()


def test_moments_of_short_takes_are_a_share_of_them() -> None:
    """Two seconds and a share of a half: moments of one second, as long as for any longer take; 0.8 s: of 0.4 s."""
    for length, window in ((0.8, 0.4), (2.0, 1.0), (5.0, 1.0)):
        manifest, embeddings = embedded_pairs(1, lambda view, n, times: times[:, None], length=length, rate=12.0)
        (placed,) = place_all(embeddings, manifest.pairs, seconds=1.0, share=0.5)
        assert abs(placed.third[-1] - placed.third[0] - (length - window)) < 2.1 / 12
        assert placed.error.max() < 1e-9


def test_the_selectors_weight_comes_along() -> None:
    _, embeddings = embedded_pairs(1, lambda view, n, times: times[:, None])
    first = embeddings["0.first"]
    weighted = TakeEmbedding("first", first.times, first.features, weight=np.linspace(0, 2, len(first.times)))
    placement = place_moments(embeddings["0.third"], weighted, Clock.scaled(30.0, 30.0))
    assert (np.diff(placement.weight) > 0).all()


def test_a_published_window_is_a_second_long_at_any_look_rate() -> None:
    """Seven frames were three and a half seconds at two frames a second."""
    rng = np.random.default_rng(0)
    for rate, radius in ((6.0, 3), (2.0, 1)):
        times = (np.arange(int(20 * rate)) + 0.5) / rate
        third, first = (TakeEmbedding(view, times, rng.normal(size=(len(times), 4))) for view in ("third", "first"))
        mean = box_mean(distance_matrix(third.features, first.features), radius, clipped=True)
        chosen = published_choice(third, first, Clock.scaled(20, 20))
        assert chosen.place.tolist() == [times[np.unravel_index(mean.argmin(), mean.shape)[1]]]
