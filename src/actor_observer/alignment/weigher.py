"""Weigh many pairs of recordings, each recording looked at only once: for several cameras, or folders of recordings."""

from __future__ import annotations

from dataclasses import dataclass, field

from actor_observer.alignment.calibration import OneEventCalibration, load_calibration
from actor_observer.alignment.evidence import Evidence
from actor_observer.alignment.kinds.likeness import Likeness
from actor_observer.alignment.kinds.motion import MotionEvidence, motion_rate
from actor_observer.alignment.kinds.motion_head import LearnedMotion, load_heads
from actor_observer.alignment.kinds.recording_times import RecordingTimes
from actor_observer.alignment.kinds.sound_evidence import SoundEvidence
from actor_observer.alignment.one_event import OneEvent, weigh_one_event
from actor_observer.alignment.recording import Recording
from actor_observer.alignment.result import Verdict
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.known import find_known
from actor_observer.features.models import is_trained
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS

__all__ = ["SHORTEST", "Weigher", "cheap_evidence", "judge_event", "knows"]

SHORTEST = 4.0  # seconds: a shorter recording is too short to be placed
LONG = 20.0  # seconds of either without which little evidence does not speak against a match


@dataclass(eq=False)
class Weigher:
    """Weighs one event for any pair of recordings. Without a network, by motion, sound and recording times alone."""

    network: ActorObserverNet | None = None
    look_rate: float = LOOK_RATE  # frames looked at a second
    max_offset: float | None = None  # seconds: two recordings started no further apart
    same_speed: bool = False
    device: str = "auto"
    calibration: OneEventCalibration = field(default_factory=load_calibration)
    _seen: dict[Recording, tuple[TakeEmbedding, TakeEmbedding, bool]] = field(default_factory=dict)

    def weigh(self, third: Recording, first: Recording) -> OneEvent:
        """What all evidence says; likeness only between a room camera and a head camera, which the network learned."""
        evidence = cheap_evidence(third, first)
        if self.network is not None and (third.view, first.view) == VIEWS:
            (phi, seen, known), (first_phi, first_seen, first_known) = map(self._look, (third, first))
            trusted = known and first_known and is_trained(self.network)
            evidence.append(Likeness((seen, first_seen), (phi, first_phi), trusted))
        per_second = motion_rate(third.motion, first.motion)
        weights = self.calibration.weights
        return weigh_one_event(third, first, evidence, weights, per_second, self.max_offset, self.same_speed)

    def remember(self, recording: Recording, phi: TakeEmbedding) -> None:
        """Use these features of a recording instead of looking at it."""
        if self.network is not None:
            seen = embed_features(self.network, Embeddings({recording.view: phi}))[recording.view]
            self._seen[recording] = phi, seen, knows(self.network, phi)[0]

    def _look(self, recording: Recording) -> tuple[TakeEmbedding, TakeEmbedding, bool]:
        """A recording's φ, its embeddings, and whether the network knows footage like it."""
        assert self.network is not None
        if recording not in self._seen:
            self.remember(recording, recording.see(self.network, self.look_rate, self.device))
        return self._seen[recording]


def cheap_evidence(third: Recording, first: Recording) -> list[Evidence]:
    """Every kind of evidence that needs no network to look at the pictures.

    The learned motion head knows room cameras against head cameras only.
    """
    evidence: list[Evidence] = [MotionEvidence(), SoundEvidence(), RecordingTimes()]
    head = load_heads()
    if head is not None and (third.view, first.view) == VIEWS:
        evidence.append(LearnedMotion(head))
    return evidence


def knows(network: ActorObserverNet, *phi: TakeEmbedding) -> tuple[bool, tuple[str, ...]]:
    """Whether a network knows all that it is shown, and a note if not. A model that nobody calibrated is believed."""
    known = find_known(network)
    strange = [found for take in phi if known is not None and not (found := known.take(take)).known]
    return not strange, tuple(f"{found.says}; what it sees was not counted" for found in strange[:1])


def judge_event(
    event: OneEvent, calibration: OneEventCalibration, lengths: tuple[float, float]
) -> tuple[Verdict, float, bool]:
    """The verdict, the confidence in the offset, and whether anything in the two recordings tells when.

    >>> plain = OneEventCalibration({}, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), 0.9, 0.1)
    >>> judge_event(OneEvent(0, 1, 0.1, 0, (), mass=0.99, strength=5.0, kinds={"motion": 9.0}), plain, (30.0, 2.0))
    ('cannot tell', 0.0, False)
    """
    telling = min(lengths) >= SHORTEST and any(abs(event.kinds.get(name, 0.0)) > 1e-9 for name in ("motion", "sound"))
    if not telling:
        return "cannot tell", 0.0, False
    confidence = calibration.in_step(event)
    if confidence >= calibration.sure:
        return "in step", confidence, True
    unrelated = min(lengths) >= LONG and calibration.matched(event) < calibration.unrelated
    return "unrelated" if unrelated else "cannot tell", confidence, True
