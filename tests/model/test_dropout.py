"""A batch in parts loses what the whole batch would have lost."""

import pytest
import torch
from torch import nn

from actor_observer.model.dropout import SharedDropout, set_part


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_parts_lose_what_the_whole_would(parts: int) -> None:
    rows = torch.rand(8, 32)
    torch.manual_seed(3)
    expected = nn.Sequential(nn.Dropout(0.3), nn.Identity(), nn.Dropout(0.3)).train()(rows)
    model = nn.Sequential(SharedDropout(0.3), nn.Identity(), SharedDropout(0.3)).train()
    found = []
    for number, part in enumerate(rows.chunk(parts)):
        torch.manual_seed(3)
        set_part(model, number, parts)
        found.append(model(part))
    torch.testing.assert_close(torch.cat(found), expected, rtol=0, atol=0)
    assert 0 < (expected == 0).float().mean() < 1


def test_nothing_is_lost_in_evaluation() -> None:
    model = SharedDropout(0.9).eval()
    set_part(model, 1, 2)
    rows = torch.rand(4, 5)
    assert torch.equal(model(rows), rows)
