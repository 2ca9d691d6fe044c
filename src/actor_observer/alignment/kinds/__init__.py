"""The kinds of evidence that two recordings show one event. A new one is a file here, and a line in this list."""

from actor_observer.alignment.kinds.learned_motion import Anybody, LearnedMotion
from actor_observer.alignment.kinds.motion import MotionEvidence
from actor_observer.alignment.kinds.recording_times import RecordingTimes
from actor_observer.alignment.kinds.same_people import SamePeople
from actor_observer.alignment.kinds.signal_directions import DirectionEvidence
from actor_observer.alignment.kinds.signal_evidence import SignalEvidence
from actor_observer.alignment.kinds.sound_evidence import SoundEvidence
from actor_observer.alignment.recordings.evidence import Evidence

__all__ = ["KINDS"]

KINDS: tuple[Evidence, ...] = (
    LearnedMotion(),
    Anybody(),
    SamePeople(),
    MotionEvidence(),
    SignalEvidence(),
    DirectionEvidence(),
    SoundEvidence(),
    RecordingTimes(),
)
