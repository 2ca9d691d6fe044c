"""What an objective is: which samples it wants, how it makes its loss, and what it logs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.step import TrainingStep
from actor_observer.pairs.manifest import Pair, View
from actor_observer.sampling.stream import Source
from actor_observer.training.objectives.samples import Asked, BatchPart

if TYPE_CHECKING:
    from actor_observer.training.planning.material import Material
    from actor_observer.training.planning.recipes import Recipe

__all__ = ["Losses", "Objective", "PairSource", "channels_last", "log_of"]


class PairSource(Source[Any], Protocol):
    """A source of samples of pairs. What it draws has a column `pair`, the number of each item's pair."""

    pairs: list[Pair]  # those that samples can be drawn from
    skipped: dict[str, str]  # id of a pair that they cannot be drawn from -> why


class Losses(Protocol):
    """What a step gives: a named tuple with `loss`, which is minimised; its other scalars are logged."""

    @property
    def loss(self) -> Tensor: ...

    def _asdict(self) -> dict[str, Tensor]: ...


class Objective(ABC):
    """One way to learn. A run makes one from its recipe, and asks it for everything that depends on the objective."""

    learns_from: ClassVar[Literal["pairs", "labels"]] = "pairs"  # labels: pairs are not used, not even in validation

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    @abstractmethod
    def batch_sizes(self, labels: bool) -> tuple[int, int]:
        """Items of pairs and labelled frames in a batch. `labels`: whether there are labelled frames to train on."""

    @property
    @abstractmethod
    def views(self) -> tuple[View, ...]:
        """The view of each of an item's V frames."""

    @abstractmethod
    def source(self, material: Material, batch: int) -> PairSource | None:
        """Where samples of pairs are drawn from; None where none are wanted."""

    @abstractmethod
    def ask(self, drawn: Any, takes: NDArray[Any]) -> Asked:
        """The frames of what the source drew. `takes` (N, 2): the third-person and first-person take of each item."""

    @abstractmethod
    def make_step(self, network: ActorObserverNet, pairs: Sequence[Pair]) -> TrainingStep:
        """The module that makes the loss, with whatever it learns or remembers besides the network.

        `pairs` are the source's, which the items' marks count.
        """

    @abstractmethod
    def losses(self, step: nn.Module, part: BatchPart, pairs: Sequence[Pair]) -> Losses:
        """Run the step, which may be wrapped for several processes, on one part of a batch."""


def log_of(found: Losses) -> dict[str, Tensor]:
    """The scalars that a step's log has, the loss first; none has a gradient.

    >>> from actor_observer.model import ContrastLosses
    >>> list(log_of(ContrastLosses(*torch.zeros(3))))
    ['loss', 'contrast', 'classification']
    """
    scalars = {name: value for name, value in found._asdict().items() if value.ndim == 0}
    return {**scalars, "loss": found.loss.detach()}


def channels_last(frames: Tensor) -> Tensor:
    """Frames (N, 3, H, W) with their channels last in memory, which convolutions prefer; features as they are.

    >>> channels_last(torch.zeros(2, 3, 8, 8)).is_contiguous(memory_format=torch.channels_last)
    True
    """
    return frames.contiguous(memory_format=torch.channels_last) if frames.ndim == 4 else frames
