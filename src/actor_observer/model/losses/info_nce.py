"""InfoNCE across the two views, with soft positives in time: the objective that places moments best."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.losses.gather import gather, gather_keeping_gradient, world_size
from actor_observer.model.losses.shared_takes import SharedTakes
from actor_observer.model.losses.triplet import wide

__all__ = ["SoftInfoNCE"]


class SoftInfoNCE(nn.Module):
    """Each frame finds its moment among all frames of the other view in the batch:

        l_i = −Σ_j q_ij·log softmax_j(cos(x_i, z_j) / τ),        q_ij ∝ exp(−(t_i − t'_j)² / 2σ²)

    where `q` is spread over the frames of the same pair (times in third-person seconds, so that a pair's clock is
    already applied), and all other clips of the batch are negatives. The loss is the mean over both directions of

        Σ_i w_i·l_i / Σ_i w_i,        w_i = e^{f_i} / mean of e^f over the frames of its view and pair in the batch

    with the selector's f, or `w = 1` without it. The gradient to f is the selector's, `w·(l − L) / Σw`, with L the
    weighted mean loss of the pair's frames.

    A share `within` of the loss has the moments of the same pair alone as negatives: to tell pairs apart is easier, by
    their rooms and clothes, and teaches nothing about time.

    Where pairs share a take (`shared`), a frame has a partner in every pair of the batch that its take belongs to.
    Each partner k is found among the negatives alone, without the other partners; the row's loss is the mean over k:

        l_i = mean_k −Σ_{j∈k} q_ij·log(e^{s_ij} / (Σ_{j∈k} e^{s_ij} + Σ_{j negative} e^{s_ij}))

    A frame whose pair has no frame in the other view counts only as a negative, and so does one whose time is NaN: what
    it shows is not in the other take at all. With several ranks, in training, every frame sees the frames of all ranks,
    and the gradient is that of one process with the whole batch.

    >>> third = first = torch.eye(3)
    >>> loss = SoftInfoNCE(sigma=0.5, temperature=0.1)
    >>> time, pair = torch.tensor([0.0, 5.0, 0.0]), torch.tensor([0, 0, 1])
    >>> loss(third, first, time, time, pair, pair).item() < 0.001
    True
    """

    log_temperature: Tensor

    def __init__(
        self,
        sigma: float = 0.5,  # seconds
        temperature: float = 0.1,
        learn_temperature: bool = False,
        within: float = 0.0,
        shared: SharedTakes | None = None,  # None: no two pairs share a take
    ) -> None:
        super().__init__()
        if sigma <= 0 or temperature <= 0:
            raise ValueError(f"sigma and temperature must be above zero, not {sigma} and {temperature}")
        if not 0 <= within <= 1:
            raise ValueError(f"within is a share, not {within}")
        self.sigma, self.within, self.shared = sigma, within, shared
        start = torch.tensor(math.log(temperature))
        if learn_temperature:
            self.log_temperature = nn.Parameter(start)
        else:
            self.register_buffer("log_temperature", start)

    def forward(
        self,
        third: Tensor,  # (N, D) embeddings of third-person frames
        first: Tensor,  # (M, D) embeddings of first-person frames
        third_time: Tensor,  # (N,) seconds; NaN: no moment of the other take is this one
        first_time: Tensor,  # (M,) third-person seconds, or NaN
        third_pair: Tensor,  # (N,) index of the pair
        first_pair: Tensor,  # (M,)
        third_logit: Tensor | None = None,  # (N,) the selector's f
        first_logit: Tensor | None = None,  # (M,)
    ) -> Tensor:
        ranks = world_size() if self.training else 1  # in evaluation a rank may be on its own
        with torch.autocast(third.device.type, enabled=False):
            third, first = (functional.normalize(wide(x), dim=-1) for x in (third, first))
            if ranks > 1:
                third, first = gather_keeping_gradient(third), gather_keeping_gradient(first)
                third_time, first_time = gather(third_time), gather(first_time)
                third_pair, first_pair = gather(third_pair), gather(first_pair)
                third_logit = None if third_logit is None else gather_keeping_gradient(third_logit)
                first_logit = None if first_logit is None else gather_keeping_gradient(first_logit)
            scores = third @ first.T / self.temperature(ranks)  # (N, M)
            same, left_out, times = third_pair[:, None] == first_pair[None, :], None, first_time[None, :]
            if self.shared is not None:
                same, left_out, times = self.shared.relations(third_pair, first_pair, first_time)
            gap = (third_time[:, None] - times).to(scores.dtype)
            alone = same & gap.isnan()  # negatives of the same pair
            same = same & ~alone
            closeness = -gap.nan_to_num().square() / (2 * self.sigma**2)
            rows = row_weights(third_logit, third_pair), row_weights(first_logit, first_pair)
            loss = torch.zeros_like(scores.sum())
            for share, of_pair in ((1 - self.within, False), (self.within, True)):
                if not share > 0:
                    continue
                if left_out is None:
                    forth = direction(scores, closeness, same, alone, rows[0], of_pair)
                    back = direction(scores.T, closeness.T, same.T, alone.T, rows[1], of_pair)
                else:
                    forth = several(scores, closeness, same, alone, left_out, first_pair, rows[0], of_pair)
                    back = several(scores.T, closeness.T, same.T, alone.T, left_out.T, third_pair, rows[1], of_pair)
                loss = loss + share * (forth + back) / 2
        # Every rank computes the whole loss, but has the gradients of its own rows only, and gradients are averaged
        # over ranks: R times makes them whole.
        return loss if ranks == 1 else loss * ranks - loss.detach() * (ranks - 1)

    def temperature(self, ranks: int = 1) -> Tensor:
        """τ. Each rank has its whole gradient, unlike the rows': take back the factor R."""
        value = self.log_temperature.exp()
        return value if ranks == 1 else value / ranks + value.detach() * (1 - 1 / ranks)


def row_weights(logit: Tensor | None, pair: Tensor) -> Tensor | None:
    """`e^f` over its mean over the rows of the same pair: as `log_frame_weights`, with no wait for the device.

    >>> row_weights(torch.tensor([1.0, 1.0, 9.0]), torch.tensor([0, 0, 4]))
    tensor([1., 1., 1.])
    """
    if logit is None or logit.numel() == 0:
        return logit
    logit = wide(logit)
    same = pair[:, None] == pair[None, :]  # (N, N)
    log_sum = logit[None, :].masked_fill(~same, -torch.inf).logsumexp(dim=1)
    return (logit - log_sum).exp() * same.sum(dim=1)


def direction(
    scores: Tensor,  # (N, M)
    closeness: Tensor,  # (N, M)
    same: Tensor,  # (N, M) bool: partners
    alone: Tensor,  # (N, M) bool: of the same pair, and never partners
    weight: Tensor | None,
    within: bool = False,
) -> Tensor:
    """The weighted mean of the rows' losses, one direction; zero where no row has a positive."""
    if scores.numel() == 0:
        return scores.sum() * 0 if weight is None else (scores.sum() + weight.sum()) * 0
    has_positive = same.any(dim=1)  # (N,)
    # a row without positives would be a softmax over nothing: give it any target, and no weight
    target = closeness.masked_fill(~same & has_positive[:, None], -torch.inf).softmax(dim=1)  # q (N, M)
    if within:
        scores = scores.masked_fill(~(same | alone) & has_positive[:, None], torch.finfo(scores.dtype).min / 2)
    losses = -(target * scores.log_softmax(dim=1)).sum(dim=1)  # (N,)
    return weighted_mean(losses, has_positive, weight)


def several(
    scores: Tensor,  # (N, M)
    closeness: Tensor,  # (N, M)
    partner: Tensor,  # (N, M) bool
    alone: Tensor,  # (N, M) bool
    left_out: Tensor,  # (N, M) bool
    column_pair: Tensor,  # (M,) the pair that each column came with
    weight: Tensor | None,
    within: bool = False,
) -> Tensor:
    """As `direction`, where a row may have partners in several pairs: each is found without the others."""
    if scores.numel() == 0:
        return direction(scores, closeness, partner, alone, weight, within)
    pairs = column_pair.unique()  # (G,)
    mine = partner[:, None, :] & (column_pair[None, :] == pairs[:, None])[None]  # (N, G, M)
    others = alone if within else ~partner & ~left_out  # (N, M) negatives
    there = mine.any(dim=2)  # (N, G) whether the row has that partner
    # a row without that partner would be a softmax over nothing: let it see everything, and count it for nothing
    seen = mine | others[:, None, :] | ~there[:, :, None]
    least = torch.finfo(scores.dtype).min / 2
    log_share = scores[:, None, :].masked_fill(~seen, least).log_softmax(dim=2)
    target = closeness[:, None, :].masked_fill(~mine & there[:, :, None], -torch.inf).softmax(dim=2)  # q (N, G, M)
    losses = -(target * log_share).sum(dim=2)  # (N, G)
    mean = (losses * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)  # (N,)
    return weighted_mean(mean, there.any(dim=1), weight)


def weighted_mean(losses: Tensor, counts: Tensor, weight: Tensor | None) -> Tensor:
    """`Σ w·l / Σ w` over the rows (N,) that count; zero where none does."""
    rows = counts.to(losses.dtype)
    if weight is not None:
        rows = rows * weight.to(losses.dtype)
    return (rows * losses).sum() / rows.sum().clamp(min=torch.finfo(losses.dtype).tiny)
