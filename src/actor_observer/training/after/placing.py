"""Fit the chance of a frame being placed right, on pairs that the embedding did not learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.placing import distinctness
from actor_observer.pairs.manifest import VIEWS, Pair, View

__all__ = ["fit_placing", "placed_right"]

TEMPERATURE = 0.1  # of the softmax that says where a frame would be placed
DECAY = 1e-4  # only so that a perfect fit stays finite


def fit_placing(network: ActorObserverNet, embeddings: Embeddings, pairs: Sequence[Pair]) -> dict[View, float]:
    """Fit `network.placing` to how these pairs' frames are placed; gives the share placed right, for each view.

    First its weights, to the probability that a frame gives to the right moments (which says more than right or wrong
    does); then scale and bias alone, to right or wrong, so that the chance is one. "Right" is within the tolerance, by
    the pairs' own clocks; the first fit, like theirs, is lenient: twice as much. On pairs that the embedding learned
    from everything is placed, and nothing is learned here: give others.
    """
    head = network.placing
    if head is None:
        raise UserError("this network tells no chance of being placed (network.placing=1 gives it one)")
    if not pairs:
        raise UserError("no pairs to learn the chance of being placed from")
    shares: dict[View, float] = {}
    for place, view in enumerate(VIEWS):
        s, soft, hit = (torch.cat(part) for part in zip(*_rows(network, embeddings, pairs, view), strict=True))
        mean, spread = s.mean(dim=0), s.std(dim=0).clamp(min=1e-6)
        weight, bias = logistic((s - mean) / spread, soft)
        scale, shift = logistic(((s - mean) / spread @ weight + bias)[:, None], hit, decay=0.0)
        weight, bias = weight * scale, bias * scale + shift
        linear = head.views[place]
        assert isinstance(linear, nn.Linear)
        with torch.no_grad():
            linear.weight.copy_((weight / spread)[None])
            linear.bias.copy_(bias - (weight * mean / spread).sum())
        shares[view] = float(hit.mean())
    return shares


def placed_right(
    own: Tensor, other: Tensor, gap: Tensor, tolerance: float, temperature: float = TEMPERATURE
) -> tuple[Tensor, Tensor]:
    """The probability that frames (T, F) give to those (T', F) within twice the tolerance; whether the nearest is.

    `gap` (T, T') is how far apart in time they belong; frames without any right moment get NaN. "Nearest" counts within
    the tolerance.

    >>> soft, hit = placed_right(torch.eye(3), torch.eye(3), (1 - torch.eye(3)) * 9, tolerance=1.0)
    >>> bool((soft > 0.99).all()), hit
    (True, tensor([1., 1., 1.]))
    """
    alike = functional.normalize(own, dim=-1) @ functional.normalize(other, dim=-1).T / temperature  # (T, T')
    soft = (alike.softmax(dim=1) * (gap <= 2 * tolerance)).sum(dim=1)
    hit = (gap.gather(1, alike.argmax(dim=1, keepdim=True)).squeeze(1) <= tolerance).to(soft)
    known = (gap <= tolerance).any(dim=1)
    return torch.where(known, soft, torch.nan), torch.where(known, hit, torch.nan)


def logistic(x: Tensor, y: Tensor, decay: float = DECAY) -> tuple[Tensor, Tensor]:
    """Weights (D,) and bias () of the logistic function of x (N, D) that fits shares y (N,) best.

    >>> weight, bias = logistic(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.25, 0.75]), decay=0.0)
    >>> (weight + bias).sigmoid().round(decimals=3)
    tensor([0.7500])
    """
    weight, bias = x.new_zeros(x.shape[1], requires_grad=True), x.new_zeros((), requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=200, line_search_fn="strong_wolfe")

    def step() -> float:
        optimiser.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(x @ weight + bias, y) + decay * weight.square().sum()
        loss.backward()
        return float(loss.detach())

    optimiser.step(step)
    return weight.detach(), bias.detach()


def _rows(
    network: ActorObserverNet, embeddings: Embeddings, pairs: Sequence[Pair], view: View
) -> list[tuple[Tensor, Tensor, Tensor]]:
    assert network.placing is not None
    tolerance, found = network.placing.tolerance, []
    for pair in pairs:
        third, first = embeddings[pair.third], embeddings[pair.first]
        gap = torch.from_numpy(pair.clock.apart(third.times, first.times))
        own, other = (first, third) if view == "first" else (third, first)
        x, z = (torch.from_numpy(np.asarray(take.features)).float() for take in (own, other))
        soft, hit = placed_right(x, z, gap if view == "first" else gap.T, tolerance)
        known = soft.isfinite()
        s = distinctness(x, torch.from_numpy(own.times).float(), tolerance)
        found.append((s[known].double(), soft[known].double(), hit[known].double()))
    return found
