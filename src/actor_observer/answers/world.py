"""Does a model know what it is shown? A score, calibrated on videos of its own world and on others.

Two signs are added, each in units of its own spread over known takes: a logistic function of φ, which tells the known
world from one that is not, and how much of φ lies outside the subspace that the known world spans, which also speaks
where footage is like neither.

`bench/calibrate_answers.py` makes the file beside a model's weights. It has to be run again for every new model.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.answers.subspace import outside, to_units
from actor_observer.disk.sealed_arrays import unpacked
from actor_observer.errors import UserError, first_line
from actor_observer.features.identity import identify
from actor_observer.model.box import read_beside, write_beside
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS, View

__all__ = ["Limits", "World", "find_world"]

FILE = "world.safetensors"
ARRAYS = ("weight", "bias", "mean", "basis", "spread")

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Limits:
    """What counts as known, for one view."""

    take: float  # 5 % of the known takes score less
    frame: float  # 5 % of the known single frames score less
    top: float  # least probability of a take's first action at which it is right at least half the time


@dataclass(frozen=True, eq=False)
class World:
    """What a model was trained on, and how to tell.

    >>> limits = {"third": Limits(0.0, 0.0, 0.2), "first": Limits(0.0, 0.0, 0.2)}
    >>> eye, none = np.eye(2, dtype=np.float32), np.zeros((2, 2), np.float32)
    >>> world = World("93ab12cd", "homes", eye, none[0], none, np.stack([eye, eye]), eye[0] + 1, limits, far=0.9)
    >>> world.knows(np.array([[3.0, 1.0], [2.0, 1.0]]), "third"), world.knows(np.array([[-3.0, 1.0]]), "third")
    (True, False)
    """

    model: str  # fingerprint of the network
    name: str  # in words, such as "rendered homes"
    weight: Array  # (2, D) for each view: a logistic function of φ scaled to length 1, in units of its spread
    bias: Array  # (2,)
    mean: Array  # (2, D) of known takes
    basis: Array  # (2, K, D) their main directions
    spread: Array  # (2,) of what lies outside them, over known takes
    limits: dict[View, Limits]
    far: float  # the nearest distance that 95 % of the searches with a match stay below
    notes: str = ""  # what it was calibrated and judged on

    def scores(self, phi: NDArray[np.floating], view: View) -> NDArray[np.float64]:
        """How much each frame's φ (T, D) looks like the known world (T,)."""
        place, units = VIEWS.index(view), to_units(phi)
        strange = outside(units, self.mean[place], self.basis[place]) / self.spread[place]
        return np.asarray(units.astype(float) @ self.weight[place] + self.bias[place] - strange)

    def knows(self, phi: NDArray[np.floating], view: View) -> bool:
        """Whether frames (T, D), of one take or a single one, look like the known world."""
        limits = self.limits[view]
        return bool(self.scores(phi, view).mean() >= (limits.take if len(phi) > 1 else limits.frame))

    def write(self, folder: Path) -> Path:
        """Put it beside a model's weights."""
        told = {"model": self.model, "name": self.name, "far": self.far, "notes": self.notes}
        told["limits"] = {view: asdict(one) for view, one in self.limits.items()}
        arrays = {name: np.array(getattr(self, name), np.float32, order="C") for name in ARRAYS}
        arrays["basis"] = arrays["basis"].astype(np.float16)
        return write_beside(folder, FILE, safetensors.numpy.save(arrays, {"world": json.dumps(told)}))

    @classmethod
    def read(cls, folder: Path) -> World | None:
        """The one beside a model's weights; None where there is none."""
        content = read_beside(folder, FILE)
        if content is None:
            return None
        try:
            found, notes = unpacked(content)
            told = json.loads(notes["world"])
            arrays = [np.asarray(found[name], dtype=np.float32) for name in ARRAYS]
            limits = {
                view: Limits(*(float(told["limits"][view][k]) for k in ("take", "frame", "top"))) for view in VIEWS
            }
            weight, bias, mean, basis, spread = arrays
            if not (weight.ndim == 2 and len(weight) == 2 and weight.shape == mean.shape == basis.shape[::2]):
                raise ValueError("arrays of another shape")
            if basis.ndim != 3 or bias.shape != (2,) or spread.shape != (2,) or not (spread > 0).all():
                raise ValueError("arrays of another shape, or a spread that is not above zero")
            named = str(told["model"]), str(told["name"]), weight, bias, mean, basis, spread
            return cls(*named, limits, float(told["far"]), str(told["notes"]))
        except (ValueError, KeyError, TypeError, RecursionError, safetensors.SafetensorError) as error:
            path = folder / FILE
            raise UserError(
                f"{path}: not a calibration ({first_line(error)[:100]}); make it again with bench/calibrate_answers.py"
            ) from error


def find_world(network: ActorObserverNet) -> World | None:
    """The world that a network knows; None where nobody calibrated it, or its weights have changed since.

    >>> find_world(ActorObserverNet(pretrained=False)) is None
    True
    """
    found = World.read(network.source) if network.source else None
    if found is None or found.model != identify(network).fingerprint:
        return None
    return found if found.weight.shape[1] == network.backbone.feature_size else None
