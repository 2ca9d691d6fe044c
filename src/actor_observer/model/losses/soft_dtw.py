"""Soft dynamic time warping between the two takes of a pair: one follows the other, at whatever pace."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.losses.triplet import wide

__all__ = ["SoftDTW", "soft_dtw"]


class SoftDTW(nn.Module):
    """The cost of the best monotone path between the two views' frames, `moments` of each view of each pair:

        c_ij = −½·(log softmax_j(cos(x_i, z_j) / τ) + log softmax_i(cos(x_i, z_j) / τ))
        R_ij = c_ij + softmin_γ(R_{i−1,j}, R_{i,j−1}, R_{i−1,j−1}),        loss = mean over pairs of R_mm / m

    with softmin_γ(a) = −γ·log Σ e^(−a/γ) (Cuturi and Blondel, 2017). Costs are contrastive (Hadji et al., 2021): where
    all frames are alike every c is log m, so that the embedding gains nothing by becoming constant. Times serve only to
    put each view's frames in order: the clock of a pair is not used. The selector learns nothing here.

    >>> frames = torch.eye(3)
    >>> time, pair = torch.arange(3.0), torch.zeros(3, dtype=torch.int64)
    >>> loss = SoftDTW(moments=3, temperature=0.05, gamma=0.01)
    >>> loss(frames, frames, time, time, pair, pair).item() < 1e-6
    True
    """

    def __init__(self, moments: int, temperature: float = 0.1, gamma: float = 0.1) -> None:
        super().__init__()
        if moments < 2 or not temperature > 0 or not gamma > 0:
            raise ValueError(
                f"need moments >= 2, temperature and gamma above zero, not {moments}, {temperature}, {gamma}"
            )
        self.moments, self.temperature, self.gamma = moments, temperature, gamma

    def forward(
        self,
        third: Tensor,  # (B·m, D) embeddings of third-person frames
        first: Tensor,  # (B·m, D) embeddings of first-person frames
        third_time: Tensor,  # (B·m,) seconds
        first_time: Tensor,  # (B·m,) third-person seconds
        third_pair: Tensor,  # (B·m,) index of the pair
        first_pair: Tensor,  # (B·m,)
        third_logit: Tensor | None = None,  # (B·m,) the selector's f
        first_logit: Tensor | None = None,
    ) -> Tensor:
        with torch.autocast(third.device.type, enabled=False):
            x, z = self._in_order(third, third_time), self._in_order(first, first_time)  # (B, m, D)
            scores = x @ z.transpose(1, 2) / self.temperature  # (B, m, m)
            cost = -(scores.log_softmax(dim=2) + scores.log_softmax(dim=1)) / 2
            loss = soft_dtw(cost, self.gamma).sum() / max(1, len(x)) / self.moments
            for logit in (third_logit, first_logit):
                loss = loss if logit is None else loss + logit.sum() * 0  # no parameter without a gradient
            return loss

    def _in_order(self, frames: Tensor, time: Tensor) -> Tensor:
        order = time.unflatten(0, (-1, self.moments)).argsort(dim=1, stable=True)  # (B, m)
        frames = functional.normalize(wide(frames), dim=-1).unflatten(0, (-1, self.moments))
        return frames.gather(1, order[..., None].expand_as(frames))


def soft_dtw(cost: Tensor, gamma: float) -> Tensor:
    """R in the last cell of each cost matrix (B, n, m): the soft minimum over all monotone paths, (B,).

    Cells of one anti-diagonal do not depend on each other and are computed at once.

    >>> soft_dtw(torch.tensor([[[1.0, 9.0], [9.0, 2.0]]]), gamma=0.01)
    tensor([3.])
    """
    batch, rows, columns = cost.shape
    far = torch.finfo(cost.dtype).max / 8  # beside the matrix: on no path
    before = two_before = cost.new_full((batch, rows + 1), far)  # R of the last two anti-diagonals, row 0 outside
    two_before = torch.cat([cost.new_zeros(batch, 1), two_before[:, 1:]], dim=1)  # R_00 = 0
    for diagonal in range(rows + columns - 1):
        low, high = max(0, diagonal - columns + 1), min(rows, diagonal + 1)  # rows on this anti-diagonal
        row = torch.arange(low, high, device=cost.device)
        ways = torch.stack([before[:, low:high], before[:, low + 1 : high + 1], two_before[:, low:high]])
        here = cost[:, row, diagonal - row] - gamma * (-ways / gamma).logsumexp(dim=0)
        sides = [cost.new_full((batch, low + 1), far), cost.new_full((batch, rows - high), far)]
        two_before, before = before, torch.cat([sides[0], here, sides[1]], dim=1)
    return before[:, rows]
