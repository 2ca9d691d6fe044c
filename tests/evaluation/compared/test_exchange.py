"""An exchanged take is never the real partner."""

from dataclasses import replace

import pytest

from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.features import Embeddings
from actor_observer.pairs import Clock, Pair
from tiny_embeddings import embedded_pairs


def takes() -> Embeddings:
    return embedded_pairs(6, lambda view, n, times: times[:, None])[1]


def pair(third: int, first: int) -> Pair:
    return Pair(f"{third}-{first}", f"{third}.third", f"{first}.first", Clock.scaled(30, 30))


def test_takes_go_to_the_next_pair_that_shares_nothing() -> None:
    pairs = [pair(0, 0), pair(1, 0), pair(2, 2), pair(3, 3)]  # two cameras saw the first performance
    moved = exchanged(takes(), pairs)
    assert [one.first for one in moved] == ["2.first", "2.first", "3.first", "0.first"]
    assert [one.third for one in moved] == [one.third for one in pairs]


def test_where_all_pairs_are_linked_a_stranger_is_taken_and_partners_never() -> None:
    pairs = [pair(0, 0), pair(1, 0), pair(1, 1), pair(2, 1)]
    known = {(one.third, one.first) for one in pairs}
    moved = exchanged(takes(), pairs)
    assert {one.id for one in moved} == {"0-0", "2-1"}  # take 1.third has seen both
    assert not known & {(one.third, one.first) for one in moved}


def test_the_questions_stay_those_of_the_pairs_own_clock() -> None:
    """A first-person take of twice the length is asked at twice the time: only what it shows is another."""
    embeddings = dict(takes())
    long = embeddings["1.first"]
    embeddings["1.first"] = replace(long, times=2 * long.times)
    own = replace(pair(0, 0), clock=Clock(((0.0, 0.0), (10.0, 20.0), (30.0, 30.0))))
    moved = exchanged(Embeddings(embeddings), [own, pair(1, 1)])[0]
    assert moved.first == "1.first" and moved.clock.to_first(10.0) == 40.0
    late = exchanged(Embeddings(embeddings), [replace(own, clock=Clock(((0.0, -4.0),))), pair(1, 1)])[0]
    assert late.clock.to_first(14.0) == pytest.approx(20.0)


def test_pieces_in_another_order_stay_pieces() -> None:
    swapped = Clock.parse("0:15;12:27|14:1;26:13")
    moved = exchanged(takes(), [replace(pair(0, 0), clock=swapped), pair(1, 1)])[0]
    assert moved.clock.starts == swapped.starts and moved.clock.to_first(13.9 + 1.1) == pytest.approx(2.0)


def test_one_pair_has_nothing_to_exchange_with() -> None:
    assert exchanged(takes(), [pair(0, 0)]) == []
