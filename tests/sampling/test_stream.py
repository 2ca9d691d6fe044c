"""Order is fixed by (seed, epoch, rank); ranks share nothing and lack nothing; a kill changes nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.errors import UserError
from actor_observer.sampling import Stream, Triplets, TripletSource
from actor_observer.sampling.stream import mixed_order

SOURCE = TripletSource.of_lengths([(61.0, 50.0), (33.0, 47.0), (12.5, 11.0), (90.0, 90.0)])


def times(batches: list[Triplets]) -> np.ndarray:
    columns = ("pair", "x", "z", "z_negative")
    return np.concatenate([np.stack([getattr(batch, name) for name in columns], axis=1) for batch in batches])


@settings(deadline=None)
@given(st.integers(1, 20), st.integers(0, 9), st.integers(0, 5), st.data())
def test_resuming_at_any_step_equals_never_stopping(batch: int, seed: int, epoch: int, data: st.DataObject) -> None:
    stream = Stream(SOURCE, batch, seed)
    whole = list(stream.epoch(epoch))
    stop = data.draw(st.integers(0, len(stream)))
    resumed = whole[:stop] + list(Stream(SOURCE, batch, seed).epoch(epoch, start=stop))
    np.testing.assert_array_equal(times(whole), times(resumed))


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 9))
def test_ranks_together_see_what_one_process_sees(batch: int, ranks: int, seed: int) -> None:
    one = list(Stream(SOURCE, batch * ranks, seed).epoch(3))
    parts = [list(Stream(SOURCE, batch, seed, rank, ranks).epoch(3)) for rank in range(ranks)]
    assert {len(part) for part in parts} == {len(one)}  # equal steps, or one rank would wait for ever
    for step, whole in enumerate(one):
        np.testing.assert_array_equal(times([part[step] for part in parts]), times([whole]))


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 4))
def test_the_tail_is_counted_and_everything_else_is_seen_once(batch: int, ranks: int) -> None:
    streams = [Stream(SOURCE, batch, rank=rank, ranks=ranks) for rank in range(ranks)]
    seen = times([one for stream in streams for one in stream.epoch(0)])
    assert len(seen) + streams[0].left_over == len(SOURCE)
    assert len(np.unique(seen[:, :2], axis=0)) == len(seen)


def test_epochs_and_seeds_differ() -> None:
    first = times(list(Stream(SOURCE, 10, seed=0).epoch(0)))
    assert not np.array_equal(first, times(list(Stream(SOURCE, 10, seed=0).epoch(1))))
    assert not np.array_equal(first, times(list(Stream(SOURCE, 10, seed=1).epoch(0))))


def test_too_little_data_for_a_batch_is_one_clear_line() -> None:
    with pytest.raises(UserError, match="do not fill one batch of 4000"):
        Stream(SOURCE, 1000, ranks=4)
    with pytest.raises(ValueError):
        Stream(SOURCE, 0)


SHARDS = np.repeat(np.arange(30), np.random.default_rng(0).integers(1, 40, size=30))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 300), st.integers(0, 50))
def test_a_mixed_order_has_every_item_once_and_none_far_from_its_shard(reach: int, seed: int) -> None:
    order = mixed_order(SHARDS, reach, np.random.default_rng(seed))
    assert sorted(order) == list(range(len(SHARDS)))
    longest = np.bincount(SHARDS).max()
    for shard in range(30):
        places = np.flatnonzero(SHARDS[order] == shard)
        assert np.ptp(places) <= longest + 2 * reach


def test_a_mixed_order_mixes_shards_and_changes_with_the_epoch() -> None:
    orders = [mixed_order(SHARDS, 120, np.random.default_rng([0, epoch])) for epoch in (0, 0, 1)]
    assert (orders[0] == orders[1]).all() and not (orders[0] == orders[2]).all()
    assert np.mean([len(set(SHARDS[orders[0][start : start + 16]])) for start in range(0, 500, 16)]) > 4


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_with_shards_too_ranks_and_resuming_change_nothing(ranks: int) -> None:
    shards = SOURCE.draw(np.arange(len(SOURCE)), np.random.default_rng(0)).pair
    whole = list(Stream(SOURCE, 6, 5, shards=shards, mixed=2).epoch(1))
    for rank in range(ranks):
        part = Stream(SOURCE, 6 // ranks, 5, rank, ranks, shards=shards, mixed=2)
        mine = slice(rank * 6 // ranks, (rank + 1) * 6 // ranks)
        for step, batch in enumerate(part.epoch(1, start=3), start=3):
            np.testing.assert_array_equal(times([batch]), times([whole[step][mine]]))
