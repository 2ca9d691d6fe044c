"""Soft-positive InfoNCE: its definition row by row, its limits, and the selector as row weights."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.video_softmax import log_frame_weights


def batch(n: int = 7, m: int = 5) -> dict[str, Tensor]:
    return {
        "third": torch.randn(n, 4, dtype=torch.float64),
        "first": torch.randn(m, 4, dtype=torch.float64),
        "third_time": torch.rand(n, dtype=torch.float64) * 3,
        "first_time": torch.rand(m, dtype=torch.float64) * 3,
        "third_pair": torch.arange(n) % 3,
        "first_pair": torch.arange(m) % 2,  # pair 2 has no first-person frame here
    }


def row_losses(b: dict[str, Tensor], sigma: float, temperature: float) -> tuple[dict[int, float], dict[int, float]]:
    """The definition, both directions: row -> loss, for rows that have a positive."""
    scores = functional.cosine_similarity(b["third"][:, None], b["first"][None], dim=2) / temperature
    views = [
        (scores, b["third_time"], b["first_time"], b["third_pair"], b["first_pair"]),
        (scores.T, b["first_time"], b["third_time"], b["first_pair"], b["third_pair"]),
    ]
    both: list[dict[int, float]] = []
    for table, own_time, other_time, own_pair, other_pair in views:
        rows = {}
        for i in range(len(own_time)):
            q = {
                j: math.exp(-((own_time[i] - other_time[j]).item() ** 2) / (2 * sigma**2))
                for j in range(len(other_time))
                if own_pair[i] == other_pair[j] and not (own_time[i] - other_time[j]).isnan()
            }
            if q:
                log_p = table[i].log_softmax(0)
                rows[i] = -sum(value / sum(q.values()) * log_p[j].item() for j, value in q.items())
        both.append(rows)
    return both[0], both[1]


def test_it_is_its_definition() -> None:
    b, loss = batch(), SoftInfoNCE(0.7, 0.2).double()
    forth, back = row_losses(b, sigma=0.7, temperature=loss.log_temperature.exp().item())
    assert len(forth) == 5  # the rows of pair 2 are negatives only
    expected = (sum(forth.values()) / len(forth) + sum(back.values()) / len(back)) / 2
    assert loss(**b).item() == pytest.approx(expected, rel=1e-10)


def test_what_has_no_counterpart_is_a_negative_and_nothing_else() -> None:
    b, loss = batch(), SoftInfoNCE(0.7, 0.2).double()
    b["third_time"][3] = b["first_time"][1] = math.nan
    forth, back = row_losses(b, sigma=0.7, temperature=loss.log_temperature.exp().item())
    assert 3 not in forth and 1 not in back
    expected = (sum(forth.values()) / len(forth) + sum(back.values()) / len(back)) / 2
    assert loss(**b).item() == pytest.approx(expected, rel=1e-10)


def test_within_a_pair_too() -> None:
    """Rows find their moment among the pair's frames, those without a counterpart included."""
    x, z = torch.randn(2, 4, 4, dtype=torch.float64)
    times = torch.tensor([0.0, 50.0, 100.0, math.nan], dtype=torch.float64)
    pair = torch.zeros(4, dtype=torch.int64)
    alone = SoftInfoNCE(0.1, 0.1, within=1.0).double()(x, z, times, times, pair, pair)
    scores = functional.normalize(x, dim=1) @ functional.normalize(z, dim=1).T / 0.1
    forth, back = (functional.cross_entropy(some[:3], torch.arange(3)) for some in (scores, scores.T))
    assert alone.item() == pytest.approx((forth + back).item() / 2, rel=1e-6)


def test_with_a_narrow_sigma_it_is_plain_info_nce() -> None:
    x, z = torch.randn(2, 6, 4, dtype=torch.float64)
    time, pair = torch.arange(6).double(), torch.zeros(6, dtype=torch.int64)
    scores = functional.normalize(x, dim=1) @ functional.normalize(z, dim=1).T / 0.1
    labels = torch.arange(6)
    plain = (functional.cross_entropy(scores, labels) + functional.cross_entropy(scores.T, labels)) / 2
    torch.testing.assert_close(SoftInfoNCE(0.01, 0.1).double()(x, z, time, time, pair, pair), plain)


def test_row_weights_teach_the_selector_weight_times_loss_above_average() -> None:
    b = batch()
    f = torch.randn(7, dtype=torch.float64, requires_grad=True)
    objective = SoftInfoNCE(0.7, 0.2).double()
    loss = objective(**b, third_logit=f)
    (gradient,) = torch.autograd.grad(loss, f)
    rows, back = row_losses(b, 0.7, objective.log_temperature.exp().item())
    weight = log_frame_weights(f.detach(), b["third_pair"]).exp()
    expected = torch.zeros(7, dtype=torch.float64)
    for pair in (0, 1):
        mine = [i for i in rows if b["third_pair"][i] == pair]
        values = torch.tensor([rows[i] for i in mine], dtype=torch.float64)
        average = (weight[mine] * values).sum() / weight[mine].sum()
        expected[mine] = weight[mine] * (values - average) / len(rows) / 2  # half: one of the two directions
    torch.testing.assert_close(gradient, expected)
    forth = sum(weight[i].item() * value for i, value in rows.items()) / len(rows)
    assert loss.item() == pytest.approx((forth + sum(back.values()) / len(back)) / 2, rel=1e-10)


def test_the_temperature_is_learned_or_fixed() -> None:
    learned = SoftInfoNCE(temperature=0.2, learn_temperature=True)
    assert [name for name, _ in learned.named_parameters()] == ["log_temperature"]
    assert learned.log_temperature.exp().item() == pytest.approx(0.2)
    fixed = SoftInfoNCE(temperature=0.2)
    assert not list(fixed.parameters())
    assert "log_temperature" in fixed.state_dict()


@pytest.mark.parametrize(("n", "m"), [(0, 0), (3, 0), (0, 3)])
def test_an_empty_side_gives_zero_with_a_gradient(n: int, m: int) -> None:
    layer = nn.Linear(4, 4).double()
    b = batch(n, m)
    b["third"], b["first"] = layer(b["third"]), layer(b["first"])
    loss = SoftInfoNCE().double()(**b, third_logit=b["third"].sum(dim=1), first_logit=b["first"].sum(dim=1))
    loss.backward()
    assert loss.item() == 0
    assert layer.weight.grad is not None


def test_no_positives_at_all_give_zero_and_finite_gradients() -> None:
    b = batch()
    b["first_pair"] += 10
    b["third"].requires_grad_()
    loss = SoftInfoNCE().double()(**b)
    loss.backward()
    assert loss.item() == 0
    assert b["third"].grad is not None
    assert not b["third"].grad.any()


def test_far_times_and_zero_vectors_stay_finite() -> None:
    b = batch()
    b["first_time"] += 1e5
    b["third"] = torch.zeros_like(b["third"], requires_grad=True)
    loss = SoftInfoNCE(sigma=0.1).double()(**b)
    loss.backward()
    assert torch.isfinite(loss)
    assert b["third"].grad is not None
    assert torch.isfinite(b["third"].grad).all()


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="above zero"):
        SoftInfoNCE(sigma=0)


def test_within_a_pair_other_pairs_are_no_negatives() -> None:
    """Its moments alone: the loss of a batch of pairs is then the mean of each pair's own."""
    torch.manual_seed(0)
    third, first = torch.randn(2, 8, 4, dtype=torch.float64)
    time, pair = torch.arange(4, dtype=torch.float64).repeat(2), torch.arange(2).repeat_interleave(4)
    inside = SoftInfoNCE(0.5, 0.1, within=1.0)
    both = inside(third, first, time, time, pair, pair)
    alone = [inside(third[s], first[s], time[s], time[s], pair[s], pair[s]) for s in (slice(4), slice(4, 8))]
    torch.testing.assert_close(both, torch.stack(alone).mean())
    across = SoftInfoNCE(0.5, 0.1)(third, first, time, time, pair, pair)
    half = SoftInfoNCE(0.5, 0.1, within=0.5)(third, first, time, time, pair, pair)
    torch.testing.assert_close(half, (both + across) / 2)


def test_within_is_a_share() -> None:
    with pytest.raises(ValueError, match="within is a share"):
        SoftInfoNCE(within=1.5)
