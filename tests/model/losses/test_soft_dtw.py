"""Soft dynamic time warping: all monotone paths, summed up one by one."""

import math
from collections.abc import Iterator

import pytest
import torch

from actor_observer.model.losses.soft_dtw import SoftDTW, soft_dtw


def paths(rows: int, columns: int, row: int = 0, column: int = 0) -> Iterator[list[tuple[int, int]]]:
    """Every monotone path from a cell to the last one."""
    if (row, column) == (rows - 1, columns - 1):
        yield [(row, column)]
        return
    for down, right in ((1, 0), (0, 1), (1, 1)):
        if row + down < rows and column + right < columns:
            for rest in paths(rows, columns, row + down, column + right):
                yield [(row, column), *rest]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (3, 2), (4, 4), (3, 5)])
@pytest.mark.parametrize("gamma", [0.01, 0.5, 3.0])
def test_it_is_the_soft_minimum_over_all_paths(rows: int, columns: int, gamma: float) -> None:
    torch.manual_seed(rows)
    cost = torch.rand(2, rows, columns, dtype=torch.float64)
    for number, found in enumerate(soft_dtw(cost, gamma)):
        sums = [sum(cost[number, i, j].item() for i, j in path) for path in paths(rows, columns)]
        least = min(sums)
        expected = least - gamma * math.log(sum(math.exp((least - one) / gamma) for one in sums))
        assert found.item() == pytest.approx(expected, abs=1e-9)


def test_its_gradient_is_the_expected_path() -> None:
    cost = torch.rand(1, 4, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda one: soft_dtw(one, 0.3), (cost,))
    (gradient,) = torch.autograd.grad(soft_dtw(cost, 1e-3).sum(), cost)
    on_path = gradient[0].round()
    torch.testing.assert_close(gradient[0], on_path, atol=1e-3, rtol=0)  # a sharp minimum: the cells of one path
    assert on_path[0, 0] == on_path[-1, -1] == 1


def moments(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.arange(float(count)), torch.zeros(count, dtype=torch.int64)


def test_a_constant_embedding_gains_nothing() -> None:
    time, pair = moments(5)
    loss = SoftDTW(5, gamma=1e-3)
    constant = loss(torch.ones(5, 3), torch.ones(5, 3), time, time, pair, pair).item()
    assert constant == pytest.approx(math.log(5), abs=0.02)  # the shortest path: five cells of log 5, over five
    assert loss(torch.eye(5), torch.eye(5), time, time, pair, pair).item() < 0.01


def test_views_in_order_cost_less_than_reversed_at_any_pace_and_frames_are_put_in_order() -> None:
    time, pair = moments(6)
    loss, third = SoftDTW(6), torch.eye(6)
    slow = third[[0, 0, 0, 1, 3, 5]]  # lingers, then hurries
    forward, backward = (loss(third, first, time, time, pair, pair) for first in (slow, slow.flip(0)))
    assert forward < backward / 1.5
    shuffled = torch.tensor([3, 0, 5, 1, 4, 2])
    again = loss(third, slow[shuffled], time, time[shuffled], pair, pair)
    torch.testing.assert_close(again, forward)


@pytest.mark.parametrize("wrong", [{"moments": 1}, {"moments": 4, "temperature": 0}, {"moments": 4, "gamma": 0}])
def test_bad_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="need moments"):
        SoftDTW(**wrong)  # type: ignore[arg-type]
