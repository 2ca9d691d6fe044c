"""What was recorded: takes, pairs, clocks, splits."""

from pathlib import Path

from actor_observer.pairs.clock import Clock, ClockTable
from actor_observer.pairs.manifest import SPLITS, VIEWS, Action, Fault, Manifest, Pair, Split, Take, View
from actor_observer.pairs.read import read_manifest

__all__ = [
    "ROBOTS",
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

ROBOTS = Path(__file__).parent / "robots"  # 75 real pairs that come with the package (CC BY 4.0, see LICENSE.md there)
