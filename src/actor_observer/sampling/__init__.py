"""Which frames are compared: triplets, quads, labelled frames, moments."""

from actor_observer.sampling.census import Census, take_census
from actor_observer.sampling.labelled import Labelled, LabelledSource, apart_from
from actor_observer.sampling.quads import Quads, count_quads, quads
from actor_observer.sampling.stream import Stream, step_rng
from actor_observer.sampling.triplets import Triplets, TripletSource
from actor_observer.sampling.windows import Moments, frame_times, moments

__all__ = [
    "Census",
    "Labelled",
    "LabelledSource",
    "Moments",
    "Quads",
    "Stream",
    "TripletSource",
    "Triplets",
    "apart_from",
    "count_quads",
    "frame_times",
    "moments",
    "quads",
    "step_rng",
    "take_census",
]
