"""The selector's gradient: exactly the paper's, and the traps that would make it something else."""

import pytest
import torch
from torch import Tensor

from actor_observer.model.losses.selector_loss import weighted_losses


class Pairs:
    """All triplets of Q of a few pairs of videos, with f of every frame and l of every triplet."""

    def __init__(self, pairs: int, frames: int = 12, near: int = 1, far: int = 4) -> None:
        place = torch.arange(frames)
        gap = (place[:, None] - place[None, :]).abs()
        x, z, z_neg = torch.nonzero((gap <= near)[:, :, None] & (gap >= far)[:, None, :], as_tuple=True)
        self.pair = torch.arange(pairs).repeat_interleave(len(x))  # (T,)
        offset = self.pair * frames
        self.x, self.z, self.z_neg = (part.repeat(pairs) + offset for part in (x, z, z_neg))
        self.f = torch.randn(3, pairs * frames, dtype=torch.float64).requires_grad_()  # one row per head
        self.video = torch.arange(pairs).repeat_interleave(frames)
        self.loss = torch.rand(len(self.pair), dtype=torch.float64)
        self.pairs = pairs

    def log_weight(self) -> Tensor:
        """`log w` with every Σ at its exact value: the mean of e^f over the frames of its video."""
        mean = torch.stack(
            [self.f.detach()[:, self.video == v].exp().mean(dim=1) for v in range(self.pairs)], dim=1
        ).log()  # (3, pairs)
        log_p = self.f - mean[:, self.video]
        return log_p[0, self.x] + log_p[1, self.z] + log_p[2, self.z_neg]

    def mean_loss(self, weight: Tensor, of: int | None = None) -> Tensor:
        rows = slice(None) if of is None else self.pair == of
        return (weight[rows] * self.loss[rows]).sum() / weight[rows].sum()


def selector_gradient(data: Pairs, average: Tensor) -> Tensor:
    """What the objective gives to f, over Σw instead of over the number of triplets."""
    log_weight = data.log_weight()
    objective = weighted_losses(log_weight, data.loss, average.expand_as(data.loss)).selector
    (gradient,) = torch.autograd.grad(objective, data.f)
    return gradient * len(data.loss) / log_weight.exp().sum().detach()


def test_one_pair_gives_the_true_gradient_of_the_weighted_mean() -> None:
    data = Pairs(1)
    objective = data.mean_loss(data.log_weight().exp())
    (truth,) = torch.autograd.grad(objective, data.f)
    torch.testing.assert_close(selector_gradient(data, objective.detach()), truth, rtol=0, atol=1e-10)


def test_several_pairs_need_one_average_each() -> None:
    data = Pairs(3)
    weight = data.log_weight().exp()
    totals = [weight[data.pair == v].sum().detach() for v in range(3)]
    means = [data.mean_loss(weight, v) for v in range(3)]
    truth_objective = sum(t * m for t, m in zip(totals, means, strict=True)) / sum(totals)
    (truth,) = torch.autograd.grad(truth_objective, data.f)
    per_pair = torch.stack(means).detach()[data.pair]
    torch.testing.assert_close(selector_gradient(data, per_pair), truth, rtol=0, atol=1e-10)


def test_with_the_global_average_a_videos_gradients_sum_to_its_distance_from_it() -> None:
    data = Pairs(3)
    weight = data.log_weight().exp().detach()
    average = data.mean_loss(weight)
    gradient = selector_gradient(data, average)
    for v in range(3):
        expected = weight[data.pair == v].sum() * (data.mean_loss(weight, v) - average) / weight.sum()
        for head in range(3):
            assert gradient[head, data.video == v].sum().item() == pytest.approx(expected.item(), abs=1e-10)


def test_each_triplet_gives_its_three_f_weight_times_loss_above_average() -> None:
    f = torch.randn(3, 10, dtype=torch.float64, requires_grad=True)
    loss, average = torch.rand(2, 10, dtype=torch.float64)
    parts = weighted_losses(f.sum(dim=0), loss, average)
    (gradient,) = torch.autograd.grad(parts.selector, f)
    expected = f.detach().sum(dim=0).exp() * (loss - average) / 10
    torch.testing.assert_close(gradient, expected.expand(3, 10), rtol=0, atol=1e-12)


def test_shifting_the_average_shifts_the_gradient_by_minus_weight_times_shift() -> None:
    """Fails wherever L cancels out, as it does when the weights are divided by their own undetached sum."""
    f = torch.randn(10, dtype=torch.float64, requires_grad=True)
    loss, average = torch.rand(2, 10, dtype=torch.float64)
    before, after = (
        torch.autograd.grad(weighted_losses(f, loss, average + shift).selector, f)[0] for shift in (0.0, 0.25)
    )
    torch.testing.assert_close(after - before, -0.25 * f.detach().exp() / 10, rtol=0, atol=1e-12)


def test_the_triplet_part_trains_the_loss_alone_and_the_selector_part_f_alone() -> None:
    f, loss = torch.randn(2, 6, requires_grad=True).unbind()
    parts = weighted_losses(f, loss, torch.zeros(6))
    assert torch.autograd.grad(parts.triplet, f, allow_unused=True, retain_graph=True) == (None,)
    assert torch.autograd.grad(parts.selector, loss, allow_unused=True) == (None,)
    (gradient,) = torch.autograd.grad(weighted_losses(f, loss, torch.zeros(6)).triplet, loss)
    torch.testing.assert_close(gradient, f.detach().exp() / 6)


def test_no_triplets_give_zero_with_a_gradient() -> None:
    f, loss = torch.zeros(2, 0, requires_grad=True).unbind()
    parts = weighted_losses(f, loss, torch.zeros(0))
    assert (parts.triplet + parts.selector).item() == 0
    (parts.triplet + parts.selector).backward()
