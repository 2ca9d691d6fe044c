"""Every triplet obeys Δ and Δ', for any lengths and clocks; nothing is skipped silently; chance is uniform."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.pairs import VIEWS, Clock, Manifest, Pair, Take
from actor_observer.sampling import TripletSource

lengths = st.floats(0.2, 120.0)


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """Pairs of any lengths, with scaled clocks, offsets, or anchors of any rate."""
    takes, pairs = {}, []
    for number in range(draw(st.integers(1, 4))):
        third, first = draw(lengths), draw(lengths)
        pieces = draw(st.lists(st.tuples(st.floats(0.5, 20), st.floats(0.5, 20)), max_size=4))
        start = draw(st.tuples(st.floats(-10, 10), st.floats(-10, 10)))
        clock = Clock(tuple(map(tuple, np.cumsum([start, *pieces], axis=0))))
        if draw(st.booleans()):
            clock = Clock.scaled(third, first)
        takes |= {f"{number}t": Take(f"{number}t", "third", Path("t"), third)}
        takes |= {f"{number}f": Take(f"{number}f", "first", Path("f"), first)}
        pairs.append(Pair(str(number), f"{number}t", f"{number}f", clock))
    return Manifest(takes, tuple(pairs))


@settings(max_examples=200, deadline=None)
@given(
    manifests(), st.floats(0.05, 2.0), st.floats(0.1, 20.0), st.sampled_from(["uniform", "none"]), st.integers(0, 99)
)
def test_every_triplet_is_in_q(manifest: Manifest, near: float, extra: float, jitter: str, seed: int) -> None:
    far = near + extra
    source = TripletSource(manifest, near=near, far=far, anchor_rate=2.0, jitter=jitter)  # type: ignore[arg-type]
    assert len(source.pairs) + len(source.skipped) == len(manifest.pairs)
    batch = source.draw(np.arange(len(source)), np.random.default_rng(seed))
    for number, pair in enumerate(source.pairs):
        x, z, negative = (column[batch.pair == number] for column in (batch.x, batch.z, batch.z_negative))
        third, first = manifest.lengths(pair)
        assert len(x) and (x >= 0).all() and (x <= third).all()
        for frames in (z, negative):
            assert (frames >= -1e-4).all() and (frames <= first + 1e-4).all()
        assert (abs(x - pair.clock.to_third(z)) < near).all()
        assert (abs(x - pair.clock.to_third(negative)) > far).all()


@given(manifests(), st.floats(1.0, 40.0))
def test_a_pair_is_skipped_only_when_it_has_no_triplet_and_says_why(manifest: Manifest, far: float) -> None:
    source = TripletSource(manifest, near=0.5, far=far)
    for pair in manifest.pairs:
        start, end = pair.clock.overlap(*manifest.lengths(pair))
        if end - start > far + 0.01:
            assert pair.id not in source.skipped
        if end - start <= far:
            assert "not longer than" in source.skipped[pair.id]


def test_anchors_and_negatives_are_uniform_where_q_allows() -> None:
    source = TripletSource.of_lengths([(40.0, 40.0)])
    draws = [source.draw(np.arange(len(source)), np.random.default_rng(seed)) for seed in range(200)]
    x, z, negative = (np.concatenate([getattr(batch, name) for batch in draws]) for name in ("x", "z", "z_negative"))
    counts, _ = np.histogram(x, bins=40, range=(0, 40))
    assert (counts == 200).all()  # one anchor in every second, every epoch
    inner = (x > 1) & (x < 39)
    assert abs((z - x)[inner].mean()) < 0.03 and abs((z - x)[inner].std() - 1 / np.sqrt(3)) < 0.02
    from_start = negative[x < 1]  # allowed: 11 … 40
    assert abs(from_start.mean() - 25.5) < 1.5 and from_start.min() > 10


def test_a_short_window_uses_both_its_ends() -> None:
    """12 s in common and Δ' = 10 s: only the first and the last two seconds have a partner."""
    source = TripletSource.of_lengths([(12.0, 12.0)])
    assert len(source) == 4
    batch = source.draw(np.arange(4), np.random.default_rng(0))
    assert ((batch.x < 2) | (batch.x > 10)).all()
    assert (batch.x < 2).sum() == 2


def test_negatives_change_from_epoch_to_epoch() -> None:
    source = TripletSource.of_lengths([(60.0, 50.0)] * 3)
    items = np.arange(len(source))
    one, two = (source.draw(items, np.random.default_rng(epoch)).z_negative for epoch in (1, 2))
    assert (abs(one - two) > 1e-3).mean() > 0.99


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.3, 9.0), min_size=1, max_size=4), st.floats(0.3, 0.7), st.integers(0, 99))
def test_short_takes_are_asked_for_a_share_of_their_length(seconds: list[float], share: float, seed: int) -> None:
    known = TripletSource.of_lengths([(length, length) for length in seconds])
    takes = {f"{n}.{view}": Take(f"{n}.{view}", view, Path("x"), s) for n, s in enumerate(seconds) for view in VIEWS}
    pairs = [Pair(str(n), f"{n}.third", f"{n}.first", Clock.scaled(s, s)) for n, s in enumerate(seconds)]
    source = TripletSource(Manifest(takes, tuple(pairs)), near=0.1, far=1.0, far_share=share)
    assert len(known) == 0  # none is longer than 10 s
    for number, length in enumerate(seconds):
        far = min(1.0, share * length)
        assert (str(number) in source.skipped) == (far <= 0.1)
    batch = source.draw(np.arange(len(source)), np.random.default_rng(seed))
    fars = np.array([min(1.0, share * float(source.pairs[n].clock.anchors[-1][0])) for n in batch.pair])
    assert (np.abs(batch.x - batch.z_negative) > fars).all()
    assert (np.abs(batch.x - batch.z) < 0.1).all()


@pytest.mark.parametrize("wrong", [{"near": 0.0}, {"near": 11.0}, {"anchor_rate": 0.0}, {"far_share": 0.0}])
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="need 0 < near < far"):
        TripletSource(Manifest({}), **wrong)


def test_negatives_of_pairs_that_share_a_take_are_those_of_the_pairs_own_clock() -> None:
    takes = {id: Take(id, "third" if id[0] == "T" else "first", Path(id), 40.0) for id in ("T1", "T2", "F")}
    clocks = Clock(((0.0, 0.0),)), Clock(((15.0, 0.0),))
    pairs = tuple(Pair(f"p{n}", f"T{n + 1}", "F", clock) for n, clock in enumerate(clocks))
    source = TripletSource(Manifest(takes, pairs))
    drawn = source.draw(np.arange(len(source)), np.random.default_rng(0))
    assert set(drawn.pair) == {0, 1}
    for number, clock in enumerate(clocks):
        rows = drawn.pair == number
        assert (np.abs(clock.to_third(drawn.z[rows]) - drawn.x[rows]) < 1.0).all()
        assert (np.abs(clock.to_third(drawn.z_negative[rows]) - drawn.x[rows]) > 10.0).all()
