"""What was recorded: takes, pairs, clocks, splits."""

from actor_observer.pairs.clock import Clock, ClockTable
from actor_observer.pairs.manifest import SPLITS, VIEWS, Action, Fault, Manifest, Pair, Split, Take, View
from actor_observer.pairs.read import read_manifest

__all__ = [
    "SPLITS",
    "VIEWS",
    "Action",
    "Clock",
    "ClockTable",
    "Fault",
    "Manifest",
    "Pair",
    "Split",
    "Take",
    "View",
    "read_manifest",
]
