"""The optimiser of a recipe, and its learning rate at every step."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from actor_observer.training.planning.recipes import Optimiser

__all__ = ["BACKBONE", "Anchor", "learning_rate", "make_optimiser"]

BACKBONE = "network.backbone."  # how the names of its parameters begin in a step


def make_optimiser(settings: Optimiser, step: nn.Module, device: torch.device) -> torch.optim.Optimizer:
    """SGD with momentum or AdamW, fused into one kernel on a GPU. Biases and scales are not decayed.

    >>> make_optimiser(Optimiser(kind="adamw"), nn.Linear(2, 2), torch.device("cpu")).param_groups[0]["lr"]
    3e-05
    """
    sorted_out: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in step.named_parameters():
        if parameter.requires_grad:
            sorted_out.setdefault((name.startswith(BACKBONE), parameter.ndim > 1), []).append(parameter)
    groups = [
        {
            "params": parameters,
            "weight_decay": settings.weight_decay if decayed else 0.0,
            "speed": 1.0 if of_backbone else settings.heads,
        }
        for (of_backbone, decayed), parameters in sorted_out.items()
    ]
    fused = device.type == "cuda"
    if settings.kind == "adamw":
        return torch.optim.AdamW(groups, lr=settings.lr, fused=fused)
    return torch.optim.SGD(groups, lr=settings.lr, momentum=settings.momentum, fused=fused)


class Anchor:
    """L2-SP (Li et al., 2018), decoupled as AdamW's decay is: `θ ← θ + lr·strength·(θ₀ − θ)` after each step.

    θ₀ is the backbone as it is now, before the first step or the checkpoint's weights.

    >>> layer = nn.Linear(1, 1, bias=False)
    >>> step = nn.ModuleDict({"network": nn.ModuleDict({"backbone": layer})})
    >>> anchor, start = Anchor(step, strength=0.5), layer.weight.item()
    >>> _ = layer.weight.data.add_(4.0); anchor.draw(lr=1.0)
    >>> round(layer.weight.item() - start, 5)
    2.0
    """

    def __init__(self, step: nn.Module, strength: float) -> None:
        self.strength = strength
        named = step.named_parameters() if strength else ()
        self._weights: list[Tensor] = [
            weight for name, weight in named if name.startswith(BACKBONE) and weight.requires_grad
        ]
        self._start = [weight.detach().clone() for weight in self._weights]

    @torch.no_grad()
    def draw(self, lr: float) -> None:
        """Draw the weights back, after a step at this learning rate."""
        if self._weights:
            torch._foreach_lerp_(self._weights, self._start, min(1.0, lr * self.strength))


def learning_rate(settings: Optimiser, number: int, steps_per_epoch: int, steps: int) -> float:
    """The learning rate of a step (counted from 0): a function of its number alone, so no state is kept.

    >>> [learning_rate(Optimiser(), number, steps_per_epoch=10, steps=90) for number in (0, 29, 30)]
    [3e-05, 3e-05, 3e-06]
    """
    if settings.schedule == "steps":
        drops = number // (steps_per_epoch * settings.drop_every)
        # divided, not multiplied by 0.1 repeatedly: 3e-5 then drops to exactly 3e-6
        lr = settings.lr / (1 / settings.drop) ** drops
    else:
        lr = settings.lr * (1 + math.cos(math.pi * number / max(1, steps))) / 2
    if number < settings.warmup:
        lr *= (number + 1) / settings.warmup
    return lr
