"""Dropout that does not depend on how a batch is divided: what is dropped depends on the row in the whole batch."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

__all__ = ["SharedDropout", "set_part"]


class SharedDropout(nn.Dropout):
    """Dropout on one part of a batch, as it would be on the whole: every process draws all of it and uses its rows.

    All must draw from the same state of the random numbers.

    >>> import torch
    >>> whole, part, rows = nn.Dropout(), SharedDropout(), torch.ones(6, 4)
    >>> _ = torch.manual_seed(0); expected = whole(rows)
    >>> set_part(part, number=1, parts=3)
    >>> _ = torch.manual_seed(0); torch.equal(part(rows[2:4]), expected[2:4])
    True
    """

    number, parts = 0, 1

    def forward(self, rows: Tensor) -> Tensor:
        if not self.training or self.parts == 1:
            return super().forward(rows)
        count = len(rows)
        kept = functional.dropout(rows.new_ones((self.parts * count, *rows.shape[1:])), self.p)
        return rows * kept[self.number * count : (self.number + 1) * count]


def set_part(model: nn.Module, number: int, parts: int) -> None:
    """Say which of how many equal parts of a batch comes next."""
    for module in model.modules():
        if isinstance(module, SharedDropout):
            module.number, module.parts = number, parts
