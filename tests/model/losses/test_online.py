"""The doubling scan gives what one fold after the other gives."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.model.losses.online import Groups, fold_log_mean, fold_mean


@settings(max_examples=60, deadline=None)
@given(keys=st.lists(st.integers(0, 4), max_size=40), seed=st.integers(0, 99), k=st.sampled_from([0.1, 0.9, None]))
def test_both_folds_equal_the_loop(keys: list[int], seed: int, k: float | None) -> None:
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(len(keys), generator=generator, dtype=torch.float64) * 3
    count = torch.tensor([0, 0, 3, 1, 0])
    start = torch.randn(5, generator=generator, dtype=torch.float64)
    seen, mean, log_mean = count.tolist(), start.tolist(), start.exp().tolist()
    expected, expected_log = [], []
    for key, value in zip(keys, values.tolist(), strict=True):
        seen[key] += 1
        rate = 1.0 if seen[key] == 1 else k or 1 / seen[key]
        mean[key] = rate * value + (1 - rate) * mean[key]
        log_mean[key] = rate * math.exp(value) + (1 - rate) * log_mean[key]
        expected.append(mean[key])
        expected_log.append(math.log(log_mean[key]))

    groups = Groups(torch.tensor(keys, dtype=torch.int64))
    rate_of_all = groups.k_n(count, k, torch.float64)
    plain = groups.unsort(fold_mean(groups, groups.sort(values), rate_of_all, start))
    logs = groups.unsort(fold_log_mean(groups, groups.sort(values), rate_of_all, start))
    assert plain.tolist() == pytest.approx(expected, abs=1e-12)
    assert logs.tolist() == pytest.approx(expected_log, abs=1e-12)


def test_every_group_writes_its_last_value() -> None:
    groups, state = Groups(torch.tensor([1, 0, 1])), torch.tensor([9.0, 9.0, 9.0])
    groups.write(state, groups.sort(torch.tensor([1.0, 2.0, 3.0])))
    assert state.tolist() == [2.0, 3.0, 9.0]
