"""Pairs that share a take: true partners are positives, whichever pair they came with."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.shared_takes import SharedTakes
from actor_observer.pairs import Clock, Pair


def pair(id: str, third: str, first: str, offset: float = 0.0) -> Pair:
    return Pair(id, third, first, Clock(((offset, 0.0), (offset + 60.0, 60.0))))


SHARED_FIRST = [pair("a", "T1", "F"), pair("b", "T2", "F", offset=5.0)]
MOMENTS = torch.tensor([2.0, 9.0])  # in F's own seconds


def batch(pairs: list[Pair], embedding: Tensor) -> tuple[Tensor, ...]:
    """Two moments of each pair, with a perfect embedding: a moment's vector is the same in every take."""
    number = torch.arange(len(pairs)).repeat_interleave(2)
    offsets = torch.tensor([one.clock.anchors[0][0] for one in pairs]).repeat_interleave(2)
    time = MOMENTS.repeat(len(pairs)) + offsets
    seen = embedding.repeat(len(pairs), 1)
    return seen, seen.clone(), time, time, number, number


def test_a_perfect_embedding_has_no_loss_where_pairs_share_a_take() -> None:
    frames = batch(SHARED_FIRST, torch.eye(2))
    alone, together = (SoftInfoNCE(0.5, 0.05, shared=of) for of in (None, SharedTakes.of(SHARED_FIRST)))
    assert alone(*frames).item() == pytest.approx(0.693, abs=1e-3)  # its true partner is a negative
    assert together(*frames).item() < 1e-6
    assert SoftInfoNCE(0.5, 0.05, within=1.0, shared=SharedTakes.of(SHARED_FIRST))(*frames).item() < 1e-6


def test_the_clock_between_two_pairs_is_applied() -> None:
    partners = SharedTakes.of(SHARED_FIRST)
    assert partners is not None
    _, _, _, first_time, number, _ = batch(SHARED_FIRST, torch.eye(2))
    found = partners.relations(number, number, first_time)
    assert found.partner.all() and not found.left_out.any()
    torch.testing.assert_close(found.first_time[:2], torch.tensor([[2.0, 9.0, 2.0, 9.0]] * 2))  # in T1's seconds
    torch.testing.assert_close(found.first_time[2:], torch.tensor([[7.0, 14.0, 7.0, 14.0]] * 2))  # in T2's


def test_takes_linked_through_others_are_neither_partners_nor_negatives() -> None:
    chain = [pair("a", "T1", "F1"), pair("b", "T2", "F1"), pair("c", "T2", "F2"), pair("d", "T9", "F9")]
    partners = SharedTakes.of(chain)
    assert partners is not None
    number = torch.arange(4)
    found = partners.relations(number, number, torch.zeros(4))
    assert found.partner.int().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]]
    assert found.left_out.int().tolist() == [[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_pairs_of_their_own_have_no_partners_and_the_loss_is_the_same() -> None:
    own = [pair("a", "T1", "F1"), pair("b", "T2", "F2")]
    assert SharedTakes.of(own) is None
    torch.manual_seed(0)
    third, first = normalize(torch.randn(2, 6, 4), dim=-1)
    time, number, logits = torch.rand(6) * 10, torch.tensor([0, 0, 0, 1, 1, 1]), torch.randn(2, 6)
    graph = SharedTakes.of([*own, pair("c", "T3", "F3"), pair("d", "T4", "F3")])  # shared, but not in this batch
    for within in (0.0, 0.4):
        plain, general = (SoftInfoNCE(2.0, 0.1, within=within, shared=of) for of in (None, graph))
        arguments = third, first, time, time, number, number, *logits
        torch.testing.assert_close(general(*arguments), plain(*arguments))


def test_partners_are_no_part_of_a_checkpoint() -> None:
    assert list(SoftInfoNCE(shared=SharedTakes.of(SHARED_FIRST)).state_dict()) == ["log_temperature"]


def test_a_clock_in_pieces_links_no_other_pair() -> None:
    """What lies between its pieces has no counterpart, so that takes it would link are left out."""
    gaps = [SHARED_FIRST[0], Pair("b", "T2", "F", Clock.parse("5:0;12:7|40:30;60:50"))]
    partners = SharedTakes.of(gaps)
    assert partners is not None
    found = partners.relations(torch.tensor([0, 1]), torch.tensor([1, 1]), torch.tensor([8.0, 9.0]))
    assert found.partner.tolist() == [[False, False], [True, True]]
    assert found.left_out.tolist() == [[True, True], [False, False]]
