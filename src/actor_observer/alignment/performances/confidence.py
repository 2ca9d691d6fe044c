"""Do two recordings show the same thing at all? A few figures of an alignment, and what they meant on known pairs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from actor_observer.alignment.performances.line import Line
from actor_observer.alignment.performances.moment_matrix import MomentMatrix
from actor_observer.alignment.performances.path import best_path
from actor_observer.errors import UserError
from actor_observer.features.identity import identify
from actor_observer.model.box import read_beside, write_beside
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX

__all__ = ["FIGURES", "Calibration", "find_calibration", "measure"]

FILE = "confidence.json"
FIGURES = ("peak", "gain", "near")
TURNS = 8  # how often the first-person moments are turned round against the third-person ones


@dataclass(frozen=True)
class Calibration:
    """How the figures become a confidence: a logistic function, fitted on matched and mismatched pairs.

    >>> even = Calibration("abc", {"gain": 1.0}, {"gain": 2.0}, {"gain": 1.0}, bias=0.0, threshold=0.5)
    >>> even.confidence({"gain": 1.0}), round(even.confidence({"gain": 5.0}), 2)
    (0.5, 0.88)
    """

    model: str  # fingerprint of the network that it was fitted for
    mean: Mapping[str, float]  # of each figure over the pairs that it was fitted on
    spread: Mapping[str, float]
    weight: Mapping[str, float]
    bias: float
    threshold: float  # below it, two recordings are called unrelated
    notes: str = ""  # what it was fitted and judged on

    def confidence(self, figures: Mapping[str, float]) -> float:
        """The chance, by these figures, that two recordings show the same thing; 0 to 1."""
        known = [name for name in self.weight if math.isfinite(figures[name])]
        total = self.bias + sum(
            self.weight[name] * (figures[name] - self.mean[name]) / self.spread[name] for name in known
        )
        return float(expit(total))

    def write(self, folder: Path) -> Path:
        """Put it beside a model."""
        return write_beside(folder, FILE, (json.dumps(asdict(self), indent=1) + "\n").encode())

    @classmethod
    def read(cls, folder: Path) -> Calibration | None:
        """What lies beside a model; None where nothing does."""
        content = read_beside(folder, FILE)
        if content is None:
            return None
        try:
            found = cls(**json.loads(content))
            if not 0 <= found.confidence(dict.fromkeys(FIGURES, 0.0)) <= 1:
                raise ValueError("not a number")
        except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
            path = folder / FILE
            raise UserError(f"{path}: not a calibration ({error}); make it anew with bench/calibrate.py") from error
        return found


def find_calibration(network: ActorObserverNet) -> tuple[Calibration | None, bool]:
    """The calibration beside a network, or else the box's; and whether it was made for this very network.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig("resnet18"), pretrained=False)
    >>> find_calibration(network)[1]
    False
    """
    found = Calibration.read(network.source) if network.source else None
    found = found or Calibration.read(BOX)
    return found, found is not None and found.model == identify(network).fingerprint


def measure(evidence: MomentMatrix, line: Line, total: float) -> dict[str, float]:
    """The figures that a confidence is made of.

    - `peak`: how far the best offset and rate stand out among all others;
    - `gain`: how much more speaks for the best path (`total`) than for paths through the same matrix with the
      first-person moments turned round (the end before the start) or run backwards, per root of its length;
    - `near`: how near each moment comes to the nearest one of the other view, on average.

    >>> rng = np.random.default_rng(0)
    >>> score = rng.normal(size=(60, 60)) + 4 * np.eye(60)
    >>> evidence = MomentMatrix(np.arange(60) / 6, np.arange(60) / 6, 1 - score, score, score, score, np.ones(60))
    >>> measure(evidence, Line(0.0, 1.0, 9.0), best_path(score)[1])["gain"] > 5
    True
    """
    score, rows = evidence.score, len(evidence.score)
    turns = (round(rows * turn / (TURNS + 1)) for turn in range(1, TURNS + 1))
    others = [best_path(np.roll(score, turn, axis=0))[1] for turn in turns] + [best_path(score[::-1])[1]]
    near = (evidence.distances.min(axis=1).mean() + evidence.distances.min(axis=0).mean()) / 2
    gain = (total - float(np.mean(others))) / math.sqrt(rows)
    return {"peak": line.peak, "gain": gain, "near": -float(near)}
