"""The online normaliser: how much more than its video's average a frame weighs, across batches."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from actor_observer.model.losses.gather import gather, local_part
from actor_observer.model.losses.online import Groups, fold_log_mean

__all__ = ["VideoSoftmax", "log_frame_weights"]


class VideoSoftmax(nn.Module):
    """A softmax over the frames of a video that come in different batches (the paper's VideoSoftmax):

        Σ_V ← k·e^f + (1 − k)·Σ_V,        p/k = e^f / Σ_V

    with one Σ per (video, head). A frame is folded in before its Σ is read; a video's first frame starts its Σ at its
    own e^f; frames of one video in one batch are folded one after the other, in batch order (row by row where the
    batch is a table of triplets), over all ranks together. The gradient goes through `e^f` alone, not through Σ.

    `k=None` means `k_n = 1/n`, a plain mean of all frames ever seen.

    In evaluation nothing is read or written, and ranks do not wait for each other: the weights are exact over the
    frames given, see `log_frame_weights`.

    >>> softmax = VideoSoftmax(videos=2, heads=1)
    >>> frames = torch.tensor([0.0, 1.0])  # f of two frames of video 1
    >>> softmax(frames, torch.tensor([1, 1]), torch.tensor([0, 0])).exp()  # p/k: the first frame is all there is
    tensor([1.0000, 2.3197])
    """

    log_sum: Tensor
    count: Tensor

    def __init__(self, videos: int, heads: int = 3, k: float | None = 0.1) -> None:
        super().__init__()
        if videos < 0 or heads < 1:
            raise ValueError(f"VideoSoftmax needs videos >= 0 and heads >= 1, not {videos} and {heads}")
        if k is not None and not 0 < k < 1:
            raise ValueError(f"k must lie between 0 and 1, not {k}")
        self.videos, self.heads, self.k = videos, heads, k
        self.register_buffer("log_sum", torch.zeros(videos * heads))  # log Σ, one per (video, head)
        self.register_buffer("count", torch.zeros(videos * heads, dtype=torch.int64))  # frames folded in so far

    def forward(self, logit: Tensor, video: Tensor, head: Tensor) -> Tensor:
        """`log(p/k) = f − stop(log Σ)`, for f, video index and head index of one shape."""
        if not logit.shape == video.shape == head.shape:
            raise ValueError(f"shapes differ: {tuple(logit.shape)}, {tuple(video.shape)}, {tuple(head.shape)}")
        logit = logit.to(self.log_sum.dtype)
        key = video * self.heads + head
        if not self.training:
            return log_frame_weights(logit, key)
        return logit - self.fold(logit.detach().flatten(), key.flatten()).view_as(logit)

    @torch.no_grad()
    def fold(self, logit: Tensor, key: Tensor) -> Tensor:
        """`log Σ` as each of this rank's frames reads it; the tables move on by the whole batch."""
        rows = len(logit)
        logit, key = gather(logit), gather(key)
        groups = Groups(key)
        k_n = groups.k_n(self.count, self.k, logit.dtype)
        log_sum = fold_log_mean(groups, groups.sort(logit), k_n, self.log_sum)
        visit = groups.visit(self.count)
        groups.write(self.log_sum, log_sum)
        groups.write(self.count, visit)
        return local_part(groups.unsort(log_sum), rows)


def log_frame_weights(logit: Tensor, video: Tensor | None = None) -> Tensor:
    """The exact log weight of each frame among all embedded frames of its video: `f − log mean(e^f)`.

    The weights of a video have mean 1. `video` tells the frames' videos apart (any integers); None: all are one video.

    >>> log_frame_weights(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([8, 8, 9])).exp()
    tensor([1., 1., 1.])
    >>> f = torch.tensor([1.0, 2.0, 3.0])
    >>> torch.allclose(log_frame_weights(f).exp(), 3 * f.softmax(0))
    True
    """
    if logit.numel() == 0:
        return logit
    flat = logit.flatten()
    key = torch.zeros_like(flat, dtype=torch.int64) if video is None else video.flatten()
    _, group, size = torch.unique(key, return_inverse=True, return_counts=True)
    top = flat.new_full(size.shape, -torch.inf).scatter_reduce(0, group, flat.detach(), "amax")  # (G,)
    total = flat.new_zeros(size.shape).index_add(0, group, (flat - top[group]).exp())  # (G,)
    log_mean = top + total.log() - size.to(flat.dtype).log()
    weights: Tensor = flat - log_mean[group]
    return weights.view_as(logit)
