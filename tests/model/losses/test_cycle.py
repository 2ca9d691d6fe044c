"""Temporal cycle-consistency: its definition, frame by frame, and what it teaches."""

import math

import pytest
import torch
from torch import Tensor

from actor_observer.model.losses.cycle import SPREAD, CycleConsistency


def by_hand(u: Tensor, v: Tensor, time: Tensor, temperature: float, sigma: float) -> list[float]:
    found = []
    for i in range(len(u)):
        alpha = torch.stack([(-((u[i] - one) ** 2).sum() / temperature).exp() for one in v])
        nearest = sum(a * one for a, one in zip(alpha / alpha.sum(), v, strict=True))
        beta = torch.stack([(-((nearest - one) ** 2).sum() / temperature).exp() for one in u])
        beta = beta / beta.sum()
        mean = float((beta * time).sum())
        square = sigma**2 + float((beta * (time - mean) ** 2).sum())
        found.append((float(time[i]) - mean) ** 2 / square + SPREAD * math.log(math.sqrt(square)))
    return found


def test_it_is_its_definition() -> None:
    torch.manual_seed(0)
    third, first = torch.randn(2, 8, 3, dtype=torch.float64)  # two pairs of four moments
    times = torch.rand(2, 8, dtype=torch.float64).sort(dim=1).values * 9
    pair = torch.tensor([0, 0, 0, 0, 7, 7, 7, 7])
    expected = []
    for start in (0, 4):
        some = slice(start, start + 4)
        expected += by_hand(third[some], first[some], times[0, some], 0.7, 0.5)
        expected += by_hand(first[some], third[some], times[1, some], 0.7, 0.5)
    loss = CycleConsistency(4, temperature=0.7, sigma=0.5)(third, first, *times, pair, pair)
    assert loss.item() == pytest.approx(sum(expected) / len(expected))


def test_frames_that_are_all_alike_lead_back_to_the_middle() -> None:
    same, time = torch.ones(4, 3), torch.tensor([0.0, 1.0, 2.0, 3.0])
    pair = torch.zeros(4, dtype=torch.int64)
    loss = CycleConsistency(4, sigma=1e-3)(same, same, time, time, pair, pair)
    spread = SPREAD * math.log(1.25) / 2
    assert loss.item() == pytest.approx(1.0 + spread, abs=1e-3)  # the mean of (t − 1.5)² over its variance


def test_the_selector_weighs_the_frames() -> None:
    torch.manual_seed(0)
    third, first = torch.randn(2, 4, 3)
    time, pair = torch.arange(4.0), torch.zeros(4, dtype=torch.int64)
    loss = CycleConsistency(4)
    each = loss.there_and_back(third[None], first[None], time[None])
    only = torch.tensor([50.0, 0.0, 0.0, 0.0])  # the first frame is all that counts
    weighed = loss(third, first, time, time, pair, pair, only, only)
    back = loss.there_and_back(first[None], third[None], time[None])
    torch.testing.assert_close(weighed, (each[0] + back[0]) / 2)


def test_it_brings_two_views_into_step() -> None:
    torch.manual_seed(0)
    time, pair = torch.arange(6.0), torch.zeros(6, dtype=torch.int64)
    third, first = torch.randn(6, 4), torch.randn(6, 4, requires_grad=True)
    loss, optimiser = CycleConsistency(6), torch.optim.Adam([first], lr=0.05)
    before = loss(third, first, time, time, pair, pair).item()
    for _ in range(200):
        optimiser.zero_grad()
        value = loss(third, first, time, time, pair, pair)
        value.backward()
        optimiser.step()
    assert value.item() < before / 3


@pytest.mark.parametrize("wrong", [{"moments": 1}, {"moments": 4, "temperature": 0}, {"moments": 4, "sigma": 0}])
def test_bad_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="need moments"):
        CycleConsistency(**wrong)  # type: ignore[arg-type]
