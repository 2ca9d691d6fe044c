"""Rendered pairs: actors perform household scripts in rendered homes, filmed by a room and a head camera."""

from pathlib import Path

from actor_observer.playhouse.event_plan import Events, plan_events
from actor_observer.playhouse.make import Made, make
from actor_observer.playhouse.planner import plan_set, plan_together
from actor_observer.playhouse.record import render_frames
from actor_observer.playhouse.set_plan import PairPlan, SetPlan, TakePlan
from actor_observer.playhouse.truth_files import read_truth

__all__ = [
    "EVENT",
    "MINI",
    "Events",
    "Made",
    "PairPlan",
    "SetPlan",
    "TakePlan",
    "make",
    "plan_events",
    "plan_set",
    "plan_together",
    "read_truth",
    "render_frames",
]

MINI = Path(__file__).parent / "mini"  # the small set that comes with the package
EVENT = (
    Path(__file__).parent / "event"
)  # room-1.mp4, room-2.mp4, head.mp4, gyro.csv: one event, in clocks.json the truth
