"""The heads on φ: the selector's, the projection into the shared space, and the classifier."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.dropout import SharedDropout
from actor_observer.pairs.manifest import VIEWS, View

__all__ = ["HeadSharing", "Projection", "ProjectionKind", "Role", "ScaleStart", "SelectorHead", "SelectorHeads"]

Role = Literal["positive", "negative"]
HeadSharing = Literal["separate", "shared"]
ProjectionKind = Literal["none", "shared", "per_view", "first"]
ScaleStart = float | Literal["gaussian"]


class SelectorHead(nn.Module):
    """The input of VideoSoftmax, bounded by a learned scale: `f = s·tanh(w·φ + b)`, `s > 0`.

    `scale` is where s starts: a number, or `"gaussian"` for the magnitude of Gaussian noise of σ = 5 (the paper). It is
    learned as its logarithm, so that it stays positive.

    >>> head = SelectorHead(4, scale=0.5)
    >>> head(100 * torch.ones(2, 4)).abs() <= 0.5
    tensor([True, True])
    """

    def __init__(self, feature_size: int, scale: ScaleStart = "gaussian") -> None:
        super().__init__()
        if isinstance(scale, str):
            if scale != "gaussian":
                raise ValueError(f"the scale starts from a number or 'gaussian', not {scale!r}")
            start = (5 * torch.randn(())).abs().clamp(min=1e-3)  # not zero, whose logarithm is −∞
        elif scale > 0:
            start = torch.tensor(float(scale))
        else:
            raise ValueError(f"the scale must start above zero, not {scale}")
        self.linear = nn.Linear(feature_size, 1)
        self.log_scale = nn.Parameter(start.log())

    def forward(self, features: Tensor) -> Tensor:  # (B, D) -> (B,)
        return self.log_scale.exp() * torch.tanh(self.linear(features).squeeze(-1))


class SelectorHeads(nn.Module):
    """A head for third-person frames, and one or two for first-person frames.

    `"separate"`: a first-person frame has one head as the positive and another as the negative (the paper's Table 1).
    `"shared"`: both roles have the same head (Tables 2 and 3).

    >>> heads = SelectorHeads(4, "shared")
    >>> heads.index("third"), heads.index("first", "positive"), heads.index("first", "negative")
    (0, 1, 1)
    """

    def __init__(self, feature_size: int, sharing: HeadSharing = "separate", scale: ScaleStart = "gaussian") -> None:
        super().__init__()
        if sharing not in ("separate", "shared"):
            raise ValueError(f"heads are 'separate' or 'shared', not {sharing!r}")
        self.heads = nn.ModuleList(SelectorHead(feature_size, scale) for _ in range(2 if sharing == "shared" else 3))

    def __len__(self) -> int:
        return len(self.heads)

    def index(self, view: View, role: Role = "positive") -> int:
        """Which head a frame has."""
        check_view(view)
        if role not in ("positive", "negative"):
            raise ValueError(f"the role is 'positive' or 'negative', not {role!r}")
        if view == "third":
            return 0
        return 2 if role == "negative" and len(self) == 3 else 1

    def forward(self, features: Tensor, view: View, role: Role = "positive") -> Tensor:  # (B, D) -> (B,)
        logit: Tensor = self.heads[self.index(view, role)](features)
        return logit


class Projection(nn.Module):
    """φ into the space where the views are compared: standardised per view, then a small network.

    `"none"` compares φ itself (the paper); `"shared"` has one network for both views, `"per_view"` one for each.
    `"first"` leaves third person where it is, and words that share its space, and learns what to add to first person
    (nothing, at the start).
    `hidden=0` makes the network a single linear map. With `windows`, features are those of several stretches of time
    side by side (`feature_size` in all), each brought down to `reduced` numbers by the same map.

    >>> projection = Projection("per_view", feature_size=8, size=3, hidden=5)
    >>> projection(torch.rand(2, 8), "third").shape
    torch.Size([2, 3])
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        kind: ProjectionKind = "none",
        feature_size: int = 2048,
        size: int = 128,
        hidden: int = 512,
        dropout: float = 0.0,
        windows: int = 1,
        reduced: int = 128,
    ) -> None:
        super().__init__()
        if kind not in get_args(ProjectionKind):
            raise ValueError(f"the projection is 'none', 'shared', 'per_view' or 'first', not {kind!r}")
        if kind != "none" and (size < 1 or hidden < 0):
            raise ValueError(f"a projection needs size >= 1 and hidden >= 0, not {size} and {hidden}")
        self.kind = kind
        size = feature_size if kind == "first" else size
        self.size = feature_size if kind == "none" else size
        networks = {"none": 0, "shared": 1, "per_view": 2, "first": 1}[kind]
        self.networks = nn.ModuleList(
            contextual(feature_size, windows, reduced, hidden, size, dropout)
            if windows > 1
            else network(feature_size, hidden, size, dropout)
            for _ in range(networks)
        )
        if kind == "first":
            _silence(self.networks[0])
        if networks:
            self.register_buffer("mean", torch.zeros(2, feature_size))  # one row per view
            self.register_buffer("std", torch.ones(2, feature_size))

    @torch.no_grad()
    def standardise(self, features: Tensor, view: View) -> None:
        """Take one view's mean and spread from (a large sample of) its φ (N, D).

        >>> projection = Projection("shared", feature_size=8)
        >>> projection.standardise(5 + torch.rand(100, 8), "first")
        >>> bool(projection.mean[1, 0] > 5)
        True
        """
        check_view(view)
        if self.kind == "none":
            raise ValueError("there is no projection to standardise for")
        std, mean = torch.std_mean(features, dim=0, correction=0)
        row = 0 if view == "third" else 1
        self.mean[row].copy_(mean)
        dead = std <= 1e-6 * std.max()  # a feature that never changes says nothing: do not amplify it
        self.std[row].copy_(torch.where(dead, torch.ones_like(std), std))

    def forward(self, features: Tensor, view: View) -> Tensor:  # (B, D) -> (B, size)
        check_view(view)
        if self.kind == "none":
            return features
        if self.kind == "first":
            own = functional.normalize(features, dim=-1)
            return own if view == "third" else own + self.networks[0](self.standardised(features, view))
        chosen = self.networks[0 if self.kind == "shared" or view == "third" else 1]
        projected: Tensor = chosen(self.standardised(features, view))
        return projected

    def standardised(self, features: Tensor, view: View) -> Tensor:
        """φ with mean 0 and spread 1 over the training takes; φ itself where there is no projection."""
        if self.kind == "none":
            return features
        row = 0 if view == "third" else 1
        return (features - self.mean[row]) / self.std[row]


@torch.no_grad()
def _silence(network: nn.Module) -> None:
    """Make a network say nothing: its last map is zero until it learns."""
    last = network if isinstance(network, nn.Linear) else list(network.modules())[-1]
    for weight in last.parameters():
        weight.zero_()


def network(inputs: int, hidden: int, outputs: int, dropout: float = 0.0) -> nn.Module:
    """A linear map, or two around a ReLU."""
    if hidden == 0:
        return nn.Linear(inputs, outputs)
    layers = [nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs)]
    if dropout:
        layers = [SharedDropout(dropout), *layers[:2], SharedDropout(dropout), layers[2]]
    return nn.Sequential(*layers)


def contextual(inputs: int, windows: int, reduced: int, hidden: int, outputs: int, dropout: float) -> nn.Module:
    """One map for every stretch of time, then a network on all of them."""
    return nn.Sequential(
        nn.Unflatten(1, (windows, inputs // windows)),
        nn.Linear(inputs // windows, reduced),
        nn.Flatten(1),
        network(windows * reduced, hidden, outputs, dropout),
    )


def check_view(view: str) -> None:
    """Refuse an invalid view."""
    if view not in VIEWS:
        raise ValueError(f"the view is 'third' or 'first', not {view!r}")
