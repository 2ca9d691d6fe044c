"""Does footage look like what the network learned from? If not, its likeness must not speak.

A take is known by its mean φ (every frame's φ scaled to length 1). Means of familiar takes scatter around their own
mean m with covariance C; how strange a take with the mean u is follows from its distance in units of that scatter,

    d(u)² = (u - m)ᵀ (C + λ)⁻¹ (u - m),        λ the mean eigenvalue of C,

so that directions in which no familiar take ever differed count the most. What real cameras see lies far out, however
little a network that was trained with many styles cares about looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.answers.subspace import to_units
from actor_observer.disk.sealed_arrays import unpacked
from actor_observer.errors import UserError, first_line
from actor_observer.features.identity import identify
from actor_observer.model.box import read_beside, write_beside
from actor_observer.model.network import ActorObserverNet

__all__ = ["Familiar", "Takes", "familiar_enough", "find_familiar", "fit_familiar"]

FILE = "familiar.safetensors"
DIRECTIONS = 96
SLACK = 1.2  # times the limit: above 98 % of rendered pairs left out of a fit, below all real robot pairs


@dataclass(frozen=True, eq=False)
class Familiar:
    """How mean φ of one network's familiar takes scatters, for the third-person and the first-person view."""

    model: str  # fingerprint of the network
    mean: NDArray[np.float32]  # (2, D) m
    basis: NDArray[np.float32]  # (2, K, D) eigenvectors of C
    spread: NDArray[np.float32]  # (2, K + 1) their eigenvalues plus λ, and λ itself for every other direction
    limit: tuple[float, float]  # 95 % of familiar takes have a smaller d²
    notes: str = ""

    def distance(self, phi: NDArray[np.floating], view: int) -> float:
        """d² of a take with these φ (T, D)."""
        off = to_units(phi).mean(axis=0) - self.mean[view]
        along = (self.basis[view] @ off) ** 2  # (K,)
        rest = max(0.0, float(off @ off - along.sum()))
        return float((along / self.spread[view, :-1]).sum() + rest / self.spread[view, -1])

    def strangeness(self, phi: NDArray[np.floating], view: int) -> float:
        """The distance in units of the limit; 0: third person, 1: first person."""
        return self.distance(phi, view) / self.limit[view]

    def knows(self, third: NDArray[np.floating], first: NDArray[np.floating]) -> bool:
        """Whether both takes together look familiar."""
        return familiar_enough(self.strangeness(third, 0), self.strangeness(first, 1))

    def write(self, folder: Path) -> Path:
        """Put it beside the network's weights."""
        # In C order: safetensors writes the memory of any other array as it lies, which reads back scrambled.
        arrays: dict[str, NDArray[np.floating]] = {
            name: array.astype(np.float16, order="C") for name, array in (("mean", self.mean), ("basis", self.basis))
        }
        arrays |= {"spread": self.spread.astype(np.float32, order="C"), "limit": np.array(self.limit, np.float32)}
        content = safetensors.numpy.save(arrays, {"model": self.model, "notes": self.notes})
        return write_beside(folder, FILE, content)


def familiar_enough(third: float, first: float) -> bool:
    """Whether two takes of this strangeness look familiar together.

    >>> familiar_enough(1.3, 0.9), familiar_enough(2.1, 1.5)
    (True, False)
    """
    return (third + first) / 2 <= SLACK


Takes = tuple[NDArray[np.floating], NDArray[np.floating]]  # φ (T, D) of a third- and a first-person take


def fit_familiar(model: str, takes: Sequence[Takes], folds: int = 4) -> Familiar:
    """The scatter of pairs of familiar takes; the limit is of takes left out in turn."""
    whole, limits = _scatter(model, takes), []
    for view in (0, 1):
        left_out = []
        for fold in range(folds):
            others = _scatter(model, [both for number, both in enumerate(takes) if number % folds != fold])
            left_out += [others.distance(both[view], view) for both in takes[fold::folds]]
        limits.append(float(np.quantile(left_out, 0.95)))
    return replace(whole, limit=(limits[0], limits[1]))


def _scatter(model: str, takes: Sequence[Takes]) -> Familiar:
    means, bases, spreads = [], [], []
    for view in (0, 1):
        of_takes = np.stack([to_units(both[view]).mean(axis=0) for both in takes])  # (N, D)
        mean = of_takes.mean(axis=0)
        _, singular, vectors = np.linalg.svd(of_takes - mean, full_matrices=False)
        values = singular**2 / len(takes)  # of C; all others are zero
        own = values.sum() / of_takes.shape[1]  # λ
        means.append(mean)
        bases.append(vectors[:DIRECTIONS])
        spreads.append(np.append(values[:DIRECTIONS] + own, own))
    mean, basis, spread = (np.stack(part).astype(np.float32) for part in (means, bases, spreads))
    return Familiar(model, mean, basis, spread, (1.0, 1.0))


def find_familiar(network: ActorObserverNet) -> Familiar | None:
    """What lies beside a network's weights; None where nothing does, or where it was made for other weights.

    >>> find_familiar(ActorObserverNet(pretrained=False)) is None
    True
    """
    content = read_beside(network.source, FILE) if network.source else None
    if network.source is None or content is None:
        return None
    try:
        arrays, told = unpacked(content)
        names = ("mean", "basis", "spread", "limit")
        mean, basis, spread, limit = (np.asarray(arrays[name], np.float32) for name in names)
        if mean.ndim != 2 or basis.ndim != 3 or len(mean) != 2 or basis.shape[::2] != mean.shape or limit.shape != (2,):
            raise ValueError("arrays of another shape")
        if spread.shape != (2, basis.shape[1] + 1) or not (spread > 0).all():
            raise ValueError("the scatter is of another shape, or not above zero")
    except (ValueError, KeyError, safetensors.SafetensorError) as error:
        path = network.source / FILE
        raise UserError(
            f"{path}: cannot be read ({first_line(error)[:100]}); make it again with bench/calibrate_align.py"
        ) from error
    if told.get("model") != identify(network).fingerprint or mean.shape[1] != network.backbone.feature_size:
        return None
    limits = float(limit[0]), float(limit[1])
    return Familiar(str(told["model"]), mean, basis, spread, limits, str(told.get("notes", "")))
