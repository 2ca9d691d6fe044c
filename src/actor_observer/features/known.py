"""Does a model know footage like this? One rule for every answer, from the backbone's φ alone.

A take is known by its mean φ, u (every frame's φ scaled to length 1). Two signs that it is strange are added, each in
units of its own spread over known takes:

    d(u)² = (u - m)ᵀ (C + λ)⁻¹ (u - m)    how far from the known takes, whose means scatter around m with covariance C;
                                          λ is the mean eigenvalue of C
    w·u + b                               a linear function that tells known takes from real videos and test pictures

The first speaks where footage is like nothing that was seen, the second where it is like what is not known. A short
take scatters more than a long one, so the threshold falls with length, down from that of a single picture: at every
length a few in a hundred known takes are above it.

`bench/calibrate_known.py` makes the file beside a model's weights. It is bound to the backbone: heads may change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.disk.sealed_arrays import unpacked
from actor_observer.errors import UserError, first_line
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.model.box import read_beside, write_beside
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS, View

__all__ = ["Knowledge", "Known", "find_known", "known_take", "said_of", "to_units"]

FILE = "known.safetensors"
ARRAYS = ("mean", "basis", "spread", "weight", "bias", "seconds", "limits")

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Knowledge:
    """Whether a model knows what it was shown.

    >>> shown = Knowledge(score=7.5, threshold=2.5, world="rendered homes")
    >>> shown.known, shown.says
    (False, 'the model does not know footage like this: it knows rendered homes')
    """

    score: float  # how strange
    threshold: float  # strange from here on
    world: str  # what the model knows, in words

    @property
    def known(self) -> bool:
        """Whether it is like what the model knows."""
        return self.score <= self.threshold

    @property
    def says(self) -> str:
        """One line where it is not known; "" where it is."""
        return "" if self.known else f"the model does not know footage like this: it knows {self.world}"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        figures = {"strangeness": round(self.score, 3), "strange_from": round(self.threshold, 3)}
        return {"known": self.known, "world": self.world, **figures}


@dataclass(frozen=True, eq=False)
class Known:
    """What a backbone knows, and how to tell. The first axis of every array but `seconds` is the view.

    >>> zero, one = np.zeros((2, 2), np.float32), np.ones((2, 2), np.float32)
    >>> lengths, limits = np.array([0.0, 20.0]), np.array([[8.0, 4.0], [8.0, 4.0]])
    >>> known = Known("93ab", "homes", zero, zero[:, None], 0.2 * one, zero, zero[0], lengths, limits)
    >>> picture = known.frames(np.array([[3.0, 1.0]]), "third")
    >>> round(picture.score, 3), picture.threshold, picture.known
    (5.0, 8.0, True)
    >>> known.frames(np.array([[3.0, 1.0], [2.0, 1.0]]), "third", seconds=60.0).known
    False
    """

    backbone: str  # fingerprint of its weights
    world: str  # in words, such as "rendered homes"
    mean: Array  # (2, D) m
    basis: Array  # (2, K, D) the main directions of C
    spread: Array  # (2, K + 1) its eigenvalues plus λ, and λ for every other direction; all times the spread of d²
    weight: Array  # (2, D) w, in units of the spread of the linear function
    bias: Array  # (2,) b, and what centres both signs
    seconds: Array  # (L,) rising: lengths of takes
    limits: Array  # (2, L) the threshold at each of them
    notes: str = ""  # what it was made from, and what it is worth
    answers: Mapping[str, Any] = field(default_factory=dict)  # what belongs to one model's heads: for answers/limits.py

    def take(self, phi: TakeEmbedding) -> Knowledge:
        """Whether a take with these φ is known."""
        return self.frames(np.asarray(phi.features), phi.view, float(np.ptp(phi.times)) if len(phi.times) else 0.0)

    def frames(self, phi: NDArray[np.floating], view: View, seconds: float = 0.0) -> Knowledge:
        """Whether frames (T, D) that lie in so many seconds are known; a single picture has no length."""
        place = VIEWS.index(view)
        mean = to_units(phi).mean(axis=0)
        off = mean - self.mean[place]
        along = (self.basis[place] @ off) ** 2  # (K,)
        rest = max(0.0, float(off @ off - along.sum()))
        far = float((along / self.spread[place, :-1]).sum() + rest / self.spread[place, -1])
        unlike = float(self.weight[place].astype(float) @ mean + self.bias[place])
        lengths = np.log1p(self.seconds)
        threshold = float(np.interp(np.log1p(seconds), lengths, self.limits[place]))
        return Knowledge(far + unlike, threshold, self.world)

    def write(self, folder: Path) -> Path:
        """Put it beside a model's weights."""
        told = {"backbone": self.backbone, "world": self.world, "notes": self.notes, "answers": dict(self.answers)}
        # In C order: safetensors writes the memory of any other array as it lies, which reads back scrambled.
        arrays = {name: np.array(getattr(self, name), np.float32, order="C") for name in ARRAYS}
        arrays["basis"] = arrays["basis"].astype(np.float16)
        return write_beside(folder, FILE, safetensors.numpy.save(arrays, {"known": json.dumps(told)}))

    @classmethod
    def read(cls, folder: Path) -> Known | None:
        """The one beside a model's weights; None where there is none."""
        content = read_beside(folder, FILE)
        if content is None:
            return None
        try:
            found, notes = unpacked(content)
            told = json.loads(notes["known"])
            arrays = {name: np.asarray(found[name], dtype=np.float32) for name in ARRAYS}
            _check(arrays)
            mean, basis, spread, weight, bias, seconds, limits = (arrays[name] for name in ARRAYS)
            named, said = (str(told["backbone"]), str(told["world"])), (str(told["notes"]), dict(told["answers"]))
            return cls(*named, mean, basis, spread, weight, bias, seconds, limits, *said)
        except (ValueError, KeyError, TypeError, RecursionError, safetensors.SafetensorError) as error:
            raise UserError(
                f"{folder / FILE}: not a calibration ({first_line(error)[:100]}); "
                "make it again with bench/calibrate_known.py"
            ) from error


def find_known(network: ActorObserverNet) -> Known | None:
    """What lies beside a network's weights; None where nothing does, or where its backbone is another.

    >>> from actor_observer.model import NetworkConfig
    >>> find_known(ActorObserverNet(NetworkConfig("resnet18"), pretrained=False)) is None
    True
    """
    found = Known.read(network.source) if network.source else None
    if found is None or found.mean.shape[1] != network.backbone.feature_size:
        return None
    return found if found.backbone == weights_hash(network.backbone) else None


def known_take(network: ActorObserverNet, phi: TakeEmbedding) -> Knowledge | None:
    """Whether a network knows a take with these φ; None where nobody can say."""
    found = find_known(network)
    return None if found is None else found.take(phi)


def said_of(knowledge: Knowledge | None) -> dict[str, Any]:
    """What is known, for programs, also where nobody can say.

    >>> said_of(None)
    {'known': None, 'world': None, 'strangeness': None, 'strange_from': None}
    """
    return knowledge.to_dict() if knowledge else dict.fromkeys(("known", "world", "strangeness", "strange_from"))


def to_units(phi: NDArray[np.floating]) -> Array:
    """Rows scaled to length 1.

    >>> to_units(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6..., 0.8...], [0.0, 0.0]]
    """
    values = np.asarray(phi, dtype=np.float32)
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)


def _check(arrays: Mapping[str, Array]) -> None:
    """Refuse arrays whose shapes or values cannot be right."""
    basis, lengths = arrays["basis"], arrays["seconds"]
    if basis.ndim != 3 or len(basis) != 2 or lengths.ndim != 1 or not len(lengths):
        raise ValueError("arrays of another shape")
    (_, directions, size), many = basis.shape, len(lengths)
    shapes = {"mean": (2, size), "spread": (2, directions + 1), "weight": (2, size), "bias": (2,), "limits": (2, many)}
    if any(arrays[name].shape != shape for name, shape in shapes.items()):
        raise ValueError("arrays of another shape")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("not all numbers are finite")
    if not (arrays["spread"] > 0).all() or not (np.diff(lengths) > 0).all():
        raise ValueError("a spread that is not above zero, or lengths that do not rise")
