"""The chance of a frame being placed right in the other take: by how unlike the rest of its own take it is."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.heads import check_view
from actor_observer.pairs.manifest import View

__all__ = ["Placing", "distinctness"]

TEMPERATURES = (0.1, 0.05)  # two, so that the fit can choose between them
FAR = (2.0, 4.0)  # times the tolerance
ROWS = 1024  # frames compared with their take at a time: bounds memory


class Placing(nn.Module):
    """A selector that says how sure it is. What looks like nothing else in its own take can be found in another:

        β_ik = softmax_k(cos(e_i, e_k) / τ)        where its own take would put frame i
        s_i = (log(δ/100 + Σ_k β_ik·|t_i − t_k|), Σ β_ik over |t_i − t_k| > 2δ, the same over 4δ), for each τ
        chance_i = sigmoid(w·s_i + b)        of being placed within δ seconds; w and b for each view

    It sees one take alone, and of that only embeddings and how far apart in time they are: not where in the take a
    frame lies. `training/after/placing.py` fits it, on takes that the embedding did not learn from.

    >>> placing = Placing(tolerance=1.0).requires_grad_(False)
    >>> placing(torch.eye(5), torch.arange(5.0), "first").sigmoid()  # not fitted yet
    tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000])
    """

    def __init__(self, tolerance: float = 1.0) -> None:
        super().__init__()
        self.tolerance = tolerance
        self.views = nn.ModuleList(nn.Linear(len(TEMPERATURES) * (1 + len(FAR)), 1) for _ in range(2))
        for view in self.views:
            nn.init.zeros_(view.weight)  # type: ignore[arg-type]
            nn.init.zeros_(view.bias)  # type: ignore[arg-type]

    def forward(self, features: Tensor, times: Tensor, view: View) -> Tensor:  # (T, F), (T,) -> (T,)
        """The logit of the chance of each frame of a whole take."""
        check_view(view)
        logit: Tensor = self.views[0 if view == "third" else 1](distinctness(features, times, self.tolerance))
        return logit.squeeze(-1)


def distinctness(features: Tensor, times: Tensor, tolerance: float) -> Tensor:
    """S of every frame of a take (T, 6), from its embeddings (T, F) at these times (T,).

    >>> alike, told_apart = torch.ones(9, 4), torch.eye(9)
    >>> bool((distinctness(alike, torch.arange(9.0), 1.0) >= distinctness(told_apart, torch.arange(9.0), 1.0)).all())
    True
    """
    with torch.autocast(features.device.type, enabled=False):
        unit = functional.normalize(features.float(), dim=-1)
        rows = [_rows(*some, unit, times, tolerance) for some in zip(unit.split(ROWS), times.split(ROWS), strict=True)]
        return torch.cat(rows)


def _rows(some: Tensor, when: Tensor, unit: Tensor, times: Tensor, tolerance: float) -> Tensor:
    alike, apart = some @ unit.T, (when[:, None] - times[None, :]).abs().float()  # (R, T)
    found = []
    for temperature in TEMPERATURES:
        share = (alike / temperature).softmax(dim=1)  # β
        found.append((share * apart).sum(dim=1).add(tolerance / 100).log())
        found += [(share * (apart > far * tolerance)).sum(dim=1) for far in FAR]
    return torch.stack(found, dim=1)
