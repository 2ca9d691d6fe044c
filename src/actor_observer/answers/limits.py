"""How sure must an answer of a model be to be believed? Measured with its heads, and of no use with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from actor_observer.errors import UserError
from actor_observer.features.identity import identify
from actor_observer.features.known import FILE, Known
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS, View

__all__ = ["AnswerLimits", "limits_for"]


@dataclass(frozen=True)
class AnswerLimits:
    """Limits on answers about known footage.

    >>> AnswerLimits().far
    inf
    """

    far: float = float("inf")  # the nearest distance that 95 % of the searches with a match stay below
    top: Mapping[View, float] = field(default_factory=lambda: dict.fromkeys(VIEWS, 0.0))
    # of a view: the least probability of a take's first action at which it is right at least half the time


def limits_for(network: ActorObserverNet, known: Known) -> AnswerLimits:
    """Those that lie in what is known beside a network; none where they were measured with other heads."""
    told = known.answers
    try:
        if told.get("model") != identify(network).fingerprint:
            return AnswerLimits()
        return AnswerLimits(float(told["far"]), {view: float(told["top"][view]) for view in VIEWS})
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{network.source}/{FILE}: not a calibration; make it again with bench/calibrate_known.py"
        ) from error
