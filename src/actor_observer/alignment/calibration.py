"""What evidence is worth: weights of the channels, and how a curve over offsets becomes belief and a verdict.

Fitted where the truth is known, on matched and mismatched recordings, for each pair of views by itself
(`bench/calibrate_align.py`, which uses the same functions as `align`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from scipy.special import expit

from actor_observer.alignment.belief import Belief, believe
from actor_observer.alignment.curve import Curve
from actor_observer.alignment.figures import Figures, figures_of
from actor_observer.alignment.recordings.recording import Source
from actor_observer.errors import UserError, first_line
from actor_observer.model.box import read_beside, write_beside
from actor_observer.model.pretrained import BOX
from actor_observer.pairs.manifest import View

__all__ = ["NAMES", "SIGNAL_NAMES", "EventCalibration", "ViewsCalibration", "load_calibration", "views_of"]

FILE = "alignment.json"
FIGURES = 5, 1 + len(Figures._fields)  # fewest and most numbers of a line: a bias, and a factor for each figure
NAMES: dict[tuple[View, View], str] = {
    ("third", "first"): "room and head",
    ("third", "third"): "room and room",
    ("first", "first"): "head and head",
}
SIGNAL_NAMES: dict[tuple[Source, Source], str] = {
    ("third", "signal"): "room and signal",
    ("first", "signal"): "head and signal",
    ("signal", "signal"): "signal and signal",
}


@dataclass(frozen=True)
class ViewsCalibration:
    """For recordings of two views, such as a room and a head camera's.

    >>> line = (0.0, 1.0)
    >>> plain = ViewsCalibration({}, line, line, 0.1, (1.0, 1.0, 0.0))
    >>> float(plain.tells(Figures(mass=0.0, strength=3.0, lead=1.0, agree=1.0, each=0.0)))
    0.5
    """

    weights: Mapping[str, float]  # channel -> weight
    step: tuple[float, ...]  # bias, then factors of the first figures (0: not judged by it): the best offset is right
    match: tuple[float, ...]  # the same: both show one event at all
    unrelated: float  # probably not the same event below this chance of a match
    width: tuple[float, float, float]  # error bar, 95 %: so many spreads, so many jumps, and seconds always added

    def tells(self, figures: Figures) -> float:
        """The chance that the best offset of a curve with these figures is right, 0 to 1."""
        return _chance(self.step, figures)

    def believe(self, curve: Curve) -> Belief:
        """What to believe of a curve."""
        return believe(curve, self.tells(figures_of(curve)))

    def matched(self, belief: Belief) -> float:
        """The chance that both show one event, 0 to 1; what was heard counts with what was seen.

        No smaller than that the curve tells the truth: then they do.
        """
        seen = max(_chance(self.match, belief.figures), self.tells(belief.figures))
        seen = min(max(seen, 1e-9), 1 - 1e-9)
        return float(expit(math.log(seen / (1 - seen)) + belief.given))

    def error_of(self, belief: Belief) -> float:
        """Half-width of the offset, 95 %."""
        spreads, jumps, always = self.width
        return math.hypot(spreads * belief.spread, jumps * belief.jumps, always)


@dataclass(frozen=True)
class EventCalibration:
    """For all pairs of views."""

    views: Mapping[str, ViewsCalibration]
    sure: float  # in step from this confidence on
    shared: float  # how far two cameras that see one and the same thing err alike, 0 to 1
    notes: str = ""  # what it was fitted and judged on, by which command
    signals: str = ""  # the same of what it knows about signals

    def of(self, one: Source, other: Source) -> ViewsCalibration:
        name = views_of(one, other)
        if name not in self.views:
            raise UserError(f"this calibration knows no {name}: make it again with bench/calibrate_signals.py")
        return self.views[name]

    def weights(self, one: Source, other: Source) -> Mapping[str, float]:
        """Of all channels of two recordings; what a camera measured of itself is weighed as any signal is."""
        signals = [self.views[name].weights for name in SIGNAL_NAMES.values() if name in self.views]
        return {**{name: weight for some in signals for name, weight in some.items()}, **self.of(one, other).weights}

    def write(self, folder: Path) -> Path:
        """Put it into a model's folder; what another command fitted about other views stays there."""
        told, before = asdict(self), json.loads(read_beside(folder, FILE) or b"{}")
        if isinstance(before, dict) and isinstance(before.get("views"), dict):
            told["views"] = {**before["views"], **told["views"]}
            told["signals"] = told["signals"] or before.get("signals", "")
        return write_beside(folder, FILE, (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode())


def views_of(one: Source, other: Source) -> str:
    """What a pair of views is called.

    >>> views_of("third", "first"), views_of("first", "third"), views_of("third", "third")
    ('room and head', 'room and head', 'room and room')
    """
    every = {views: name for names in (NAMES, SIGNAL_NAMES) for views, name in names.items()}
    return str(every.get((one, other)) or every[other, one])


@lru_cache(maxsize=4)
def load_calibration(folder: Path = BOX) -> EventCalibration:
    """The calibration that comes with the package.

    >>> 0 < load_calibration().sure < 1
    True
    """
    content = read_beside(folder, FILE)
    try:
        told = json.loads(content or b"")
        if "views" not in told:
            raise ValueError("of an older version")
        views = {name: _read(told["views"][name]) for name in NAMES.values()}
        views |= {name: _read(told["views"][name]) for name in SIGNAL_NAMES.values() if name in told["views"]}
        signals = str(told.get("signals", ""))
        return EventCalibration(views, float(told["sure"]), float(told["shared"]), str(told["notes"]), signals)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = first_line(error)[:100]
        raise UserError(
            f"{folder / FILE}: not a calibration ({why}); make it again with bench/calibrate_align.py"
        ) from error


def _read(told: Mapping[str, object]) -> ViewsCalibration:
    weights = told["weights"]
    assert isinstance(weights, Mapping)
    lines = []
    # Versions before knew fewer figures, and no jumps; they are 0 there.
    for name, least, most in (("step", *FIGURES), ("match", *FIGURES), ("width", 2, 3)):
        line = told[name]
        if not isinstance(line, list) or not least <= len(line) <= most:
            raise ValueError(f"{name}: {most} numbers are needed")
        lines.append([float(number) for number in line])
    step, match, width = lines
    spreads, jumps, always = width if len(width) == 3 else (width[0], 0.0, width[1])
    named = {str(name): float(weight) for name, weight in weights.items()}
    return ViewsCalibration(named, tuple(step), tuple(match), float(str(told["unrelated"])), (spreads, jumps, always))


def _chance(line: tuple[float, ...], figures: Figures) -> float:
    """A logistic function of the figures."""
    bias, *factors = line
    return float(expit(bias + sum(factor * figure for factor, figure in zip(factors, figures, strict=False))))
