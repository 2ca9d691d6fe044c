"""The running loss: its definition, its exact case, one per pair, and what it leaves alone."""

import math

import pytest
import torch
from torch import Tensor

from actor_observer.model.losses.running_loss import RunningLoss


def loop(log_weight: Tensor, loss: Tensor, key: Tensor, k: float = 0.1) -> list[float]:
    """The definition, one triplet after the other."""
    state: dict[int, tuple[float, float]] = {}
    read = []
    for lw, value, group in zip(log_weight.tolist(), loss.tolist(), key.tolist(), strict=True):
        w = math.exp(lw)
        if group not in state:
            state[group] = (w, value)
        else:
            total, mean = state[group]
            new = k * w + (1 - k) * total
            state[group] = (new, (k * w * value + (1 - k) * total * mean) / new)
        read.append(state[group][1])
    return read


def test_batches_equal_the_loop_over_triplets() -> None:
    average = RunningLoss().double()
    log_weight, loss = torch.randn(50).double() * 2, torch.rand(50).double()
    read = torch.cat([average(*part) for part in zip(log_weight.split(11), loss.split(11), strict=True)])
    assert read.tolist() == pytest.approx(loop(log_weight, loss, torch.zeros(50)), rel=1e-12)


def test_one_average_per_pair() -> None:
    average = RunningLoss(average="pair", pairs=4).double()
    log_weight, loss, pair = torch.randn(50).double() * 2, torch.rand(50).double(), torch.randint(4, (50,))
    parts = zip(log_weight.split(13), loss.split(13), pair.split(13), strict=True)
    read = torch.cat([average(*part) for part in parts])
    assert read.tolist() == pytest.approx(loop(log_weight, loss, pair), rel=1e-12)


def test_with_k_one_over_n_it_is_the_weighted_mean() -> None:
    average = RunningLoss(k=None).double()
    log_weight, loss = torch.randn(30).double() * 2, torch.rand(30).double()
    average(log_weight, loss)
    weight = log_weight.exp()
    assert average.loss.item() == pytest.approx(((weight * loss).sum() / weight.sum()).item(), rel=1e-12)
    assert average.log_sum.exp().item() == pytest.approx(weight.mean().item(), rel=1e-12)


def test_it_stays_between_the_losses_however_small_the_weights() -> None:
    average = RunningLoss()
    read = average(torch.linspace(-80, 7, 64), torch.rand(64))
    assert ((read >= 0) & (read <= 1)).all()


def test_it_has_no_gradient_and_is_not_written_in_validation() -> None:
    average = RunningLoss()
    average(torch.zeros(3), torch.rand(3))
    before = {name: value.clone() for name, value in average.state_dict().items()}
    average.eval()
    read = average(torch.zeros(3, requires_grad=True), torch.rand(3, requires_grad=True))
    assert not read.requires_grad
    assert all(torch.equal(value, before[name]) for name, value in average.state_dict().items())


def test_in_validation_it_is_the_exact_mean_of_what_is_given() -> None:
    log_weight, loss, pair = torch.randn(30).double(), torch.rand(30).double(), torch.randint(3, (30,)) + 1000
    weight = log_weight.exp()
    everything = RunningLoss().eval()(log_weight, loss)
    torch.testing.assert_close(everything, ((weight * loss).sum() / weight.sum()).expand(30))
    each = RunningLoss(average="pair", pairs=2).eval()(log_weight, loss, pair)  # pairs that training never saw
    for key in pair.unique():
        rows = pair == key
        expected = (weight[rows] * loss[rows]).sum() / weight[rows].sum()
        torch.testing.assert_close(each[rows], expected.expand(int(rows.sum())))
    assert RunningLoss().eval()(torch.zeros(0), torch.zeros(0)).shape == (0,)


def test_it_is_saved_and_restored() -> None:
    average, resumed = RunningLoss(), RunningLoss()
    average(torch.randn(9), torch.rand(9))
    resumed.load_state_dict(average.state_dict())
    later = (torch.randn(9), torch.rand(9))
    assert torch.equal(average(*later), resumed(*later))


def test_nothing_depends_on_values_that_a_device_would_have_to_send() -> None:
    average = RunningLoss(average="pair", pairs=3).to("meta")
    average(*torch.zeros(2, 8, device="meta"), torch.zeros(8, dtype=torch.int64, device="meta"))


def test_an_empty_batch_changes_nothing() -> None:
    average = RunningLoss()
    assert average(torch.zeros(0), torch.zeros(0)).shape == (0,)
    assert average.count.item() == 0


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        RunningLoss(k=1.5)
    with pytest.raises(ValueError, match="'global' or 'pair'"):
        RunningLoss(average="video")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="index of each triplet's pair"):
        RunningLoss(average="pair", pairs=2)(torch.zeros(1), torch.zeros(1))
