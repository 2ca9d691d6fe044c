"""What is judged, and with which settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Pair

__all__ = ["Method", "Protocol"]


def _none() -> Embeddings:
    return Embeddings({})


@dataclass(frozen=True)
class Protocol:
    """The settings of the evaluation; the defaults are the paper's where it gives them."""

    near: float = 1.0  # Δ: seconds within which frames correspond
    far: float = 10.0  # Δ': seconds beyond which they do not
    far_share: float = 1.0  # Δ' is at most this share of the time that both takes show: for takes of a few seconds
    moment: float = 1.0  # seconds of a moment
    moment_share: float = 1.0  # a moment is at most this share of the third-person take
    per_pair: int = 60  # quads drawn from each pair, at most
    step: float = 1.0  # seconds between the moments of quads
    shares: tuple[float, ...] = (1.0, 0.5, 0.1, 0.05)
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.near < self.far:
            raise UserError(f"near {self.near:g}, far {self.far:g}: need 0 < near < far")
        if not (self.moment > 0 and 0 < self.far_share <= 1 and 0 < self.moment_share <= 1):
            given = f"moment {self.moment:g}, far_share {self.far_share:g}, moment_share {self.moment_share:g}"
            raise UserError(f"{given}: a moment is longer than 0 s, and shares lie above 0 and up to 1")


@dataclass(frozen=True)
class Method:
    """A row of the tables: embeddings of the takes that are judged, with their weights where there is a selector."""

    name: str
    embeddings: Embeddings
    temporal: bool = False  # uses the position of a frame in its video
    trained: Embeddings = field(default_factory=_none)  # of training takes, to which phase measures fit their models

    @property
    def label(self) -> str:
        return f"{self.name} (uses time)" if self.temporal else self.name

    def foretells(self, pairs: Sequence[Pair]) -> bool:
        """Whether every take of these pairs comes with its frames' chance of being placed."""
        return all(self.embeddings[id].chance is not None for pair in pairs for id in (pair.third, pair.first))

    def selects(self, pairs: Sequence[Pair]) -> bool:
        """Whether every take of these pairs comes with weights."""
        return all(self.embeddings[id].weight is not None for pair in pairs for id in (pair.third, pair.first))
