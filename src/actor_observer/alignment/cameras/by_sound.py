"""A sound recorder beside a camera, or beside another recorder: only what both heard tells when."""

from __future__ import annotations

import math

from actor_observer.alignment.kinds.sound import SoundMatch, match_heard
from actor_observer.alignment.one_event import Candidate, OneEvent
from actor_observer.alignment.recording import Recording

__all__ = ["compare_by_sound"]


def compare_by_sound(
    third: Recording, first: Recording, max_offset: float | None = None, same_speed: bool = False
) -> tuple[OneEvent, float]:
    """What two sounds say, and the chance that the offset is right: sound's own, which was fitted on sound alone.

    Without sound in one of them there is no evidence, and no chance.
    """
    match = match_heard(third.sound, first.sound, max_offset) if third.sound and first.sound else None
    if match is None or not match.candidates:
        return OneEvent(0.0, 1.0, third.length + first.length, 0.0, (), 0.0, 0.0, {}), 0.0
    middle = first.length / 2
    candidates = tuple(
        Candidate(one.offset + (one.rate - 1) * middle, 1.0, one.share)  # the clock is known best at the middle
        if same_speed
        else Candidate(one.offset, one.rate, one.share)
        for one in match.candidates
    )
    event = OneEvent(
        offset=candidates[0].offset,
        rate=candidates[0].rate,
        offset_error=match.error_at(middle),
        rate_error=match.rate_error,
        candidates=candidates,
        mass=candidates[0].share,
        strength=_log_odds(match),
        kinds={"sound": _log_odds(match)},
    )
    return event, match.probability * candidates[0].share


def _log_odds(match: SoundMatch) -> float:
    sure = min(max(match.probability, 1e-9), 1 - 1e-9)
    return math.log(sure / (1 - sure))
