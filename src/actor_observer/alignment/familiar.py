"""Does footage look like what the network learned from? If not, its likeness must not speak.

φ of familiar frames lies near a subspace that rendered frames span. The share of φ outside it is small for homes that
the network has never seen but were rendered alike, and large for real rooms and robots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.errors import UserError, first_line
from actor_observer.features.identity import identify
from actor_observer.features.subspace import outside, span, to_units
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX, write_whole

__all__ = ["Familiar", "familiar_enough", "find_familiar", "fit_familiar"]

FILE = "familiar.safetensors"
DIRECTIONS = 96
SLACK = 1.3  # times the limit: above all of 48 pairs in homes left out of a fit, below 95 % of real robot pairs
MOST = 1 << 24  # bytes


@dataclass(frozen=True, eq=False)
class Familiar:
    """The subspace of one network's familiar frames, for the third-person and the first-person view."""

    model: str  # fingerprint of the network
    mean: NDArray[np.float32]  # (2, D) of φ scaled to length 1
    basis: NDArray[np.float32]  # (2, 96, D)
    limit: tuple[float, float]  # 95 % of familiar takes have a smaller share outside
    notes: str = ""

    def outside(self, phi: NDArray[np.floating], view: int) -> float:
        """How much of a take's φ (T, D) lies outside the familiar subspace, squared, on average."""
        return float(outside(to_units(phi), self.mean[view], self.basis[view]).mean())

    def strangeness(self, phi: NDArray[np.floating], view: int) -> float:
        """What lies outside, in units of the limit; 0: third person, 1: first person."""
        return self.outside(phi, view) / self.limit[view]

    def knows(self, third: NDArray[np.floating], first: NDArray[np.floating]) -> bool:
        """Whether both takes together look familiar."""
        return familiar_enough(self.strangeness(third, 0), self.strangeness(first, 1))

    def write(self, folder: Path) -> Path:
        """Put it beside the network's weights."""
        path = folder / FILE
        # In C order: safetensors writes the memory of any other array as it lies, which reads back scrambled.
        arrays = {"mean": self.mean.astype(np.float16, order="C"), "basis": self.basis.astype(np.float16, order="C")}
        arrays["limit"] = np.array(self.limit, np.float32)
        write_whole(path, safetensors.numpy.save(arrays, {"model": self.model, "notes": self.notes}))
        return path


def familiar_enough(third: float, first: float) -> bool:
    """Whether two takes of this strangeness look familiar together.

    >>> familiar_enough(1.3, 0.9), familiar_enough(2.1, 1.5)
    (True, False)
    """
    return (third + first) / 2 <= SLACK


Takes = tuple[NDArray[np.floating], NDArray[np.floating]]  # φ (T, D) of a third- and a first-person take


def fit_familiar(model: str, takes: Sequence[Takes], folds: int = 4) -> Familiar:
    """The subspace of pairs of familiar takes; the limit is of takes left out in turn."""
    means, bases, limits = [], [], []
    for view in (0, 1):
        units = [to_units(both[view]) for both in takes]
        left_out = []
        for fold in range(folds):
            mean, basis = span([one for number, one in enumerate(units) if number % folds != fold], DIRECTIONS)
            left_out += [float(outside(one, mean, basis).mean()) for one in units[fold::folds]]
        mean, basis = span(units, DIRECTIONS)
        means.append(mean)
        bases.append(basis)
        limits.append(float(np.quantile(left_out, 0.95)))
    return Familiar(model, np.stack(means), np.stack(bases), (limits[0], limits[1]))


def find_familiar(network: ActorObserverNet) -> Familiar | None:
    """What lies beside a network's weights; None where nothing does, or where it was made for other weights.

    >>> find_familiar(ActorObserverNet(pretrained=False)) is None
    True
    """
    path = (network.source or BOX) / FILE
    if network.source is None or not path.is_file():
        return None
    try:
        if path.stat().st_size > MOST:
            raise ValueError("too large")
        with safetensors.safe_open(path, framework="numpy") as file:
            told = file.metadata() or {}
            mean, basis, limit = (np.asarray(file.get_tensor(name), np.float32) for name in ("mean", "basis", "limit"))
        if mean.ndim != 2 or basis.ndim != 3 or len(mean) != 2 or basis.shape[::2] != mean.shape or limit.shape != (2,):
            raise ValueError("arrays of another shape")
    except (OSError, ValueError, KeyError, safetensors.SafetensorError) as error:
        raise UserError(
            f"{path}: cannot be read ({first_line(error)[:100]}); make it again with bench/calibrate_align.py"
        ) from error
    if told.get("model") != identify(network).fingerprint or mean.shape[1] != network.backbone.feature_size:
        return None
    return Familiar(str(told["model"]), mean, basis, (float(limit[0]), float(limit[1])), str(told.get("notes", "")))
