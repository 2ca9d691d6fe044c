"""Balanced quads: moments far apart, corresponding frames, and no way to win without looking at x."""

import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.pairs import Clock, Manifest, Pair, Take
from actor_observer.sampling import TripletSource, count_quads, quads
from actor_observer.sampling.pair_moments import MomentSource
from actor_observer.sampling.quads import _ends, _numbered


def manifest_of(lengths: list[tuple[float, float]]) -> Manifest:
    takes, pairs = {}, []
    for number, (third, first) in enumerate(lengths):
        takes |= {f"{number}t": Take(f"{number}t", "third", Path("t"), third)}
        takes |= {f"{number}f": Take(f"{number}f", "first", Path("f"), first)}
        pairs.append(Pair(f"p{number}", f"{number}t", f"{number}f", Clock.scaled(third, first)))
    return Manifest(takes, tuple(pairs))


manifests = st.lists(st.tuples(st.floats(0.5, 80.0), st.floats(0.5, 80.0)), min_size=1, max_size=4).map(manifest_of)


@settings(deadline=None)
@given(manifests, st.floats(0.5, 20.0), st.floats(0.3, 2.0))
def test_moments_correspond_and_lie_far_apart(manifest: Manifest, far: float, step: float) -> None:
    found, skipped = quads(manifest, manifest.pairs, far=far, step=step)
    assert len(found) == sum(count_quads(manifest, pair, far, step) for pair in manifest.pairs)
    assert len(set(found.pair.tolist())) + len(skipped) == len(manifest.pairs)
    for number, pair in enumerate(manifest.pairs):
        mine = found.pair == number
        x_i, z_i, x_j, z_j = (column[mine] for column in (found.x_i, found.z_i, found.x_j, found.z_j))
        third_of = pair.clock.to_third
        for x, z, other in ((x_i, z_i, z_j), (x_j, z_j, z_i)):
            assert (abs(x - third_of(z)) < 1e-6).all()
            assert (abs(x - third_of(other)) > far).all()
        third, first = manifest.lengths(pair)
        assert ((x_i > 0) & (x_j < third) & (z_i > 0) & (z_j < first + 1e-6)).all()


def test_a_share_is_drawn_by_seed_and_pair_alone() -> None:
    manifest = manifest_of([(40.0, 35.0), (50.0, 50.0)])
    one, _ = quads(manifest, manifest.pairs, per_pair=20, seed=7)
    assert Counter(one.pair.tolist()) == {0: 20, 1: 20}
    alone, _ = quads(manifest, manifest.pairs[1:], per_pair=20, seed=7)
    np.testing.assert_array_equal(one.x_i[20:], alone.x_i)
    other, _ = quads(manifest, manifest.pairs[1:], per_pair=20, seed=8)
    assert (other.x_i != alone.x_i).any()


def test_a_pair_too_short_is_named() -> None:
    manifest = manifest_of([(9.0, 9.0)])
    found, skipped = quads(manifest, manifest.pairs)
    assert len(found) == 0
    assert skipped == {"p0": "its 9.0 s in common have no two moments more than 10.0 s apart"}


def test_short_takes_are_asked_for_a_share_of_their_length() -> None:
    manifest = manifest_of([(0.75, 0.75), (1.5, 1.5), (6.0, 6.0)])
    found, skipped = quads(manifest, manifest.pairs, far=1.0, step=1 / 12, far_share=0.5)
    assert not skipped
    for number, far in enumerate((0.375, 0.75, 1.0)):
        apart = (found.x_j - found.x_i)[found.pair == number]
        assert far < apart.min() < far + 1 / 12 + 1e-9
    long = quads(manifest, manifest.pairs, far=1.0, step=1 / 12)[0]
    assert (long.pair == 2).sum() == (found.pair == 2).sum()  # six seconds have room for a whole one


def test_an_hour_is_counted_and_drawn_from_without_listing_all_quads() -> None:
    """Listing them took 203 MB."""
    manifest = manifest_of([(3600.0, 3600.0)])
    tracemalloc.start()
    count = count_quads(manifest, manifest.pairs[0])
    found, _ = quads(manifest, manifest.pairs, per_pair=60)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == (3600 - 11) * (3600 - 10) // 2
    assert len(found) == 60
    assert most < 5e6


@settings(deadline=None)
@given(st.integers(0, 30), st.sampled_from([0.1, 0.25, 0.3, 1.0]), st.sampled_from([0.1, 0.5, 1.0, 2.5, 10.0]))
def test_numbered_quads_are_the_listed_ones(moments: int, step: float, far: float) -> None:
    grid = step * (np.arange(moments) + 0.5)
    for shown in (np.ones(moments, dtype=bool), np.random.default_rng(moments).random(moments) < 0.6):
        i, j = np.triu_indices(moments, k=1)
        listed = np.stack([i, j])[:, (grid[j] - grid[i] > far + 1e-9) & shown[i] & shown[j]]
        known = np.flatnonzero(shown)
        ends = _ends(known, moments, step, far)
        count = int(ends[-1]) if len(ends) else 0
        assert count == listed.shape[1]
        if count:
            np.testing.assert_array_equal(np.stack(_numbered(np.arange(count), ends, known)), listed)


PIECES = Clock.parse("5:20;15:30|20:2;30:12")  # swapped, with gaps


def partners(third: np.ndarray, first: np.ndarray, near: float) -> np.ndarray:
    """Whether both show the same to within `near` seconds, by the two pieces."""
    one = (third >= 5) & (third <= 15) & (np.abs(first - third - 15) <= near) & (first >= 20) & (first <= 30)
    two = (third >= 20) & (third <= 30) & (np.abs(first - third + 18) <= near) & (first >= 2) & (first <= 12)
    return np.asarray(one | two)


def test_what_is_learned_from_has_a_counterpart_too() -> None:
    takes = {id: Take(id, view, Path(id), 40.0) for id, view in (("t", "third"), ("f", "first"))}
    manifest = Manifest(takes, (Pair("p", "t", "f", PIECES), Pair("q", "t", "f", Clock(((0.0, 1.0),)))))
    rng = np.random.default_rng(0)
    triplets = TripletSource(manifest, near=1.0, far=10.0)
    drawn = triplets.draw(np.arange(len(triplets)).repeat(20), rng)
    own = drawn.pair == 0
    assert (
        partners(drawn.x[own], drawn.z[own], 1.0).all() and not partners(drawn.x[own], drawn.z_negative[own], 9.0).any()
    )
    assert (np.abs(drawn.z[~own] - drawn.x[~own] - 1) <= 1.0).all() and (~own).sum() > 100
    moments = MomentSource(manifest, manifest.pairs[:1], moments=8, near=0.5, batch=40).draw(np.arange(40), rng)
    assert partners(moments.third, moments.first, 0.5).all()


def test_quads_have_only_moments_that_both_takes_show() -> None:
    takes = {id: Take(id, view, Path(id), 40.0) for id, view in (("t", "third"), ("f", "first"))}
    pair = Pair("p", "t", "f", PIECES)
    found, _ = quads(Manifest(takes, (pair,)), [pair])
    assert len(found) == count_quads(Manifest(takes, (pair,)), pair) > 50
    for x, z in ((found.x_i, found.z_i), (found.x_j, found.z_j)):
        assert (((x >= 5) & (x <= 15) & (z == x + 15)) | ((x >= 20) & (x <= 30) & (z == x - 18))).all()
