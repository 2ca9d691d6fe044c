"""Whether somebody moves alike in the pictures of two cameras: one person, seen from two sides."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from actor_observer.alignment.kinds.learned_motion import by_spells, watch
from actor_observer.alignment.recordings.evidence import LagScores, Sense
from actor_observer.alignment.recordings.lags import Array, Lags
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.model.motion_heads import MotionHeads
from actor_observer.model.spell_scores import over_areas, shared_scores

__all__ = ["SamePeople"]

LONGEST = 600.0  # seconds of both recordings: beyond, it takes half a minute, and the whole pictures tell enough


@dataclass(frozen=True)
class SamePeople:
    """What anybody does in one picture is held against what anybody does in the other.

    The whole pictures say little where one camera sees other people than the other does, or where several move at once.
    A head camera sees the others in the room, whom a room camera or another head camera sees, too.
    """

    name: str = "same people"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        if one.length + other.length > LONGEST:
            return None
        return by_spells(self.name, _shared, one, other, lags)


@torch.no_grad()
def _shared(heads: MotionHeads, one: Recording, other: Recording, lags: Lags) -> Array:
    """The scores of all heads' answers together, for every spell of the other recording and lag: (K, L)."""
    shift = range(lags.start, lags.start + lags.count)
    # The mean of what the heads say of each two areas: what they agree on is less likely an accident of training.
    sharp = torch.stack([head.alike.exp() for head in heads.heads]).mean() / len(heads.heads) ** 0.5  # type: ignore[operator]
    found = shared_scores(_answers(heads, one), _answers(heads, other), shift, sharp)
    return found[0].double().numpy()


def _answers(heads: MotionHeads, recording: Recording) -> Tensor:
    """What every area answers by all heads, one after the other: (1, P, A, T)."""
    return torch.cat([over_areas(seen.cells.float()) for seen in watch(heads, recording)], dim=1)
