"""Order within a take: its definition, triple by triple."""

import itertools
import math

import pytest
import torch

from actor_observer.model.losses.order import Order


def softplus(x: float) -> float:
    return math.log1p(math.exp(x))


def test_it_is_its_definition() -> None:
    torch.manual_seed(0)
    views = torch.randn(2, 8, 3, dtype=torch.float64)  # two visits of four moments
    times = torch.rand(2, 8, dtype=torch.float64)  # in no order
    means = []
    for frames, time in zip(views, times, strict=True):
        each = []
        for start in (0, 4):
            order = sorted(range(start, start + 4), key=lambda place: time[place].item())
            for i, j, k in itertools.combinations(order, 3):
                d = {ends: (frames[ends[0]] - frames[ends[1]]).norm().item() for ends in ((i, j), (j, k), (i, k))}
                each.append((softplus((d[i, j] - d[i, k]) / 0.4) + softplus((d[j, k] - d[i, k]) / 0.4)) / 2)
        means.append(sum(each) / len(each))
    pair = torch.zeros(8, dtype=torch.int64)
    assert Order(4, temperature=0.4)(*views, *times, pair, pair).item() == pytest.approx(sum(means) / 2)


def test_a_line_in_order_costs_less_than_one_folded_over() -> None:
    time, pair = torch.arange(6.0), torch.zeros(6, dtype=torch.int64)
    line, folded = torch.arange(6.0)[:, None], torch.tensor([0.0, 1.0, 2.0, 2.0, 1.0, 0.0])[:, None]
    loss = Order(6)
    assert loss(line, line, time, time, pair, pair) < 1e-3
    assert loss(folded, folded, time, time, pair, pair) > 1


def test_frames_at_one_time_form_no_triple_and_give_finite_gradients() -> None:
    frames, time, pair = torch.zeros(4, 2, requires_grad=True), torch.zeros(4), torch.zeros(4, dtype=torch.int64)
    loss = Order(4)(frames, frames, time, time, pair, pair)
    loss.backward()
    assert loss == 0 and frames.grad is not None and torch.isfinite(frames.grad).all()
