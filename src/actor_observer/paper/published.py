"""The figures that the paper printed: Tables 1, 2 and 3, and its statistic of hands. Shares are from 0 to 1."""

from __future__ import annotations

from typing import Literal

__all__ = ["ALIGNMENT", "CORRESPONDENCE", "HANDS", "HUMAN", "METHODS", "RECOGNITION", "SHARES", "Who"]

Who = Literal["same", "different"]
METHODS = ("chance", "ImageNet", "Charades", "ActorObserverNet")
SHARES = ("all", "50 %", "10 %", "5 %")  # of the test triplets, by weight

# Table 1: share of triplets right, by who acts and by method; one figure for each of SHARES
CORRESPONDENCE: dict[Who, dict[str, tuple[float, ...]]] = {
    "same": {
        "chance": (0.5,) * 4,
        "ImageNet": (0.536, 0.557, 0.579, 0.565),
        "Charades": (0.555, 0.602, 0.688, 0.719),
        "ActorObserverNet": (0.517, 0.739, 0.972, 0.968),
    },
    "different": {
        "chance": (0.5,) * 4,
        "ImageNet": (0.506, 0.504, 0.496, 0.456),
        "Charades": (0.517, 0.516, 0.508, 0.514),
        "ActorObserverNet": (0.504, 0.763, 0.988, 0.983),
    },
}

# Table 2: median alignment error in seconds
ALIGNMENT: dict[Who, dict[str, float]] = {
    "same": {"chance": 11.0, "ImageNet": 8.3, "Charades": 6.5, "ActorObserverNet": 5.2},
    "different": {"chance": 11.0, "ImageNet": 8.7, "Charades": 7.0, "ActorObserverNet": 6.1},
}
HUMAN = 1.3  # seconds, median

# Table 3 and its text: mAP of a classifier of third-person labels, by the view it is tested on
RECOGNITION: dict[str, dict[str, float]] = {
    "first": {"chance": 0.089, "VGG-16": 0.178, "Charades": 0.227, "ActorObserverNet": 0.259},
    "third": {"VGG-16": 0.186, "Charades": 0.228, "ActorObserverNet": 0.235},
}

HANDS = {"highest": 0.68, "lowest": 0.15}  # share of frames with hands among those of highest and of lowest weight
