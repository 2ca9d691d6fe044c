"""A small theatre: actors perform household scripts in rendered homes, before a room camera and a head camera."""

from actor_observer.playhouse.make import Made, make, render_frames
from actor_observer.playhouse.plan import PairPlan, SetPlan, TakePlan, plan_set, plan_together

__all__ = ["Made", "PairPlan", "SetPlan", "TakePlan", "make", "plan_set", "plan_together", "render_frames"]
