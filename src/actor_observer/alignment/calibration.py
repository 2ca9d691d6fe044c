"""What evidence is worth: a weight for each channel, and how belief becomes a verdict; fitted where truth is known.

`bench/calibrate_align.py` makes the file, on rendered pairs and real robot recordings, matched and mismatched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from scipy.special import expit

from actor_observer.alignment.one_event import OneEvent
from actor_observer.errors import UserError, first_line
from actor_observer.model.box import read_beside, write_beside
from actor_observer.model.pretrained import BOX

__all__ = ["OneEventCalibration", "load_calibration"]

FILE = "alignment.json"


@dataclass(frozen=True)
class OneEventCalibration:
    """Weights of the channels, and two logistic functions of what they add up to.

    >>> plain = OneEventCalibration({}, (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), 0.9, 0.1)
    >>> round(plain.in_step(OneEvent(0, 1, 0.1, 0, (), mass=0.5, strength=0.0, kinds={})), 2)
    0.5
    """

    weights: Mapping[str, float]  # channel -> weight
    step: tuple[float, float, float]  # bias, of the log odds of the mass, of strength: the best offset is right
    match: tuple[float, float, float]  # the same: they show one event at all
    sure: float  # in step from this probability on
    unrelated: float  # probably not the same event below this probability of a match
    notes: str = ""  # what it was fitted and judged on

    def in_step(self, found: OneEvent) -> float:
        """The chance that the best offset is right, 0 to 1; never more than its share of the belief.

        However strong the evidence, each of two offsets that fit equally well is right half of the time. So is each
        of two where sound prefers one and the pictures the other.
        """
        said = _chance(self.step, found)
        return min(said, found.mass, 0.5 if found.disagree else 1.0)

    def matched(self, found: OneEvent) -> float:
        """The chance that both show one event, 0 to 1."""
        return _chance(self.match, found)

    def write(self, folder: Path) -> Path:
        """Put it into a model's folder."""
        return write_beside(folder, FILE, (json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n").encode())


@lru_cache(maxsize=4)
def load_calibration(folder: Path = BOX) -> OneEventCalibration:
    """The calibration that comes with the package.

    >>> 0 < load_calibration().sure < 1
    True
    """
    content = read_beside(folder, FILE)
    try:
        told = json.loads(content or b"")
        weights = {str(name): float(weight) for name, weight in told["weights"].items()}
        lines = [(float(a), float(b), float(c)) for a, b, c in (told["step"], told["match"])]
        return OneEventCalibration(
            weights, lines[0], lines[1], float(told["sure"]), float(told["unrelated"]), str(told["notes"])
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = first_line(error)[:100]
        raise UserError(
            f"{folder / FILE}: not a calibration ({why}); make it again with bench/calibrate_align.py"
        ) from error


def _chance(line: tuple[float, float, float], found: OneEvent) -> float:
    """A logistic function of what one event is judged by."""
    bias, of_mass, of_strength = line
    mass, strength = found.figures()
    return float(expit(bias + of_mass * mass + of_strength * strength))
