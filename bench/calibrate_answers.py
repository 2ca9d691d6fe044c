"""When should `search` and `recognise` say that nothing matches? Calibrated on a known world and on an unknown one.

    python bench/calibrate_answers.py [KNOWN] [UNKNOWN] [--model RUN] [--also DATA] [--cache DIR] [--dry]

KNOWN is a data set like the one that the model was trained on, without the takes that trained it: for a model of one's
own its validation and test takes; for the box all takes of the small set of the package, which trained no box. UNKNOWN
is anything else: the real robot pairs, if not given. A logistic function of φ is fitted to tell the two apart, and the
subspace that known takes span; takes are judged by what was fitted on other people and scripts. What is written beside
the weights (`world.safetensors`, with its notes) is fitted on all. `--also` is a further unknown set, judged only. Run
it again for every new model: a file that was made for other weights is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from tyro.conf import Positional

import actor_observer
from actor_observer.answers.subspace import outside, span, to_units
from actor_observer.answers.world import Limits, World
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.features.identity import identify
from actor_observer.features.models import open_model
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Manifest, Take, read_manifest
from actor_observer.pairs.manifest import VIEWS, View

MINI = Path(actor_observer.__file__).parent / "playhouse" / "mini"
LOOK_RATE = 3.0  # frames a second, as a query is looked at
FOLDS, FALSE_ALARMS, WITHIN = 5, 0.05, 2.0
STRENGTH = 10.0  # C of the logistic function
DIRECTIONS = 64  # of the subspace of known takes
SIGN = np.array([1.0, -1.0])  # the logistic function speaks for the known world, what lies outside against it

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Seen:
    """A data set as the network sees it."""

    manifest: Manifest
    phi: Embeddings
    embedded: Embeddings
    labels: tuple[str, ...]  # of the network's scores, in order

    def of(self, view: View) -> list[Take]:
        return [take for take in self.manifest.takes.values() if take.view == view and take.id in self.phi]


def main(
    known: Positional[Path] = MINI,
    unknown: Positional[Path] = ROBOTS,
    model: str | None = None,
    name: str = "rendered homes",  # the known world, in words
    also: Path | None = None,
    cache: Path | None = None,
    device: str = "auto",
    dry: bool = False,  # only print
) -> None:
    """Fit, judge, write."""
    network = open_model(model)
    store, where = FeatureCache(cache), best_device(device)
    ours = look_at(network, known, store, where, trained_on=("train",) if model or known != MINI else ())
    theirs = look_at(network, unknown, store, where)
    further = look_at(network, also, store, where) if also else None
    found = {view: calibrate(ours, theirs, further, view) for view in VIEWS}
    lines = [line for _, _, told in found.values() for line in told]
    far, told = distances(ours, theirs)
    print("\n".join([f"{known.name} (known), {unknown.name} (unknown)", *lines, *told]))
    if not dry:
        who, notes = identify(network, model), "; ".join([*lines, *told])
        stacked = zip(*(signs.arrays for signs, _, _ in found.values()), strict=True)
        weight, bias, mean, basis, spread = (np.array(some, np.float32) for some in stacked)
        limits = {view: found[view][1] for view in VIEWS}
        made = World(who.fingerprint, name, weight, bias, mean, basis, spread, limits, far, notes)
        print(f"written: {made.write(BOX if model is None else Path(model))}")


def look_at(
    network: ActorObserverNet, data: Path, store: FeatureCache, where: str, trained_on: Sequence[str] = ()
) -> Seen:
    """φ and embeddings of the takes of a data set, without some splits."""
    manifest, look = read_manifest(data), Look.of_network(network.config, LOOK_RATE)
    takes = {id: take for id, take in manifest.takes.items() if take.split not in trained_on}
    pairs = tuple(pair for pair in manifest.pairs if pair.third in takes and pair.first in takes)
    manifest = replace(manifest, takes=takes, pairs=pairs)
    with progress(f"embedding {data.name}", len(manifest.takes)) as step:
        phi, faults = store.features(
            network.config.backbone, network.backbone, manifest.takes.values(), look, where, step
        )
    for fault in faults.values():
        raise UserError(f"{fault}: mend or remove it first")
    return Seen(manifest, phi, embed_features(network, phi), network.config.labels)


def units(seen: Seen, takes: Sequence[Take]) -> list[Array]:
    """φ of each take, scaled to length 1."""
    return [to_units(np.asarray(seen.phi[take.id].features)) for take in takes]


@dataclass(frozen=True)
class Signs:
    """Both signs of one view: a logistic function, and a subspace with the spread of what lies outside it."""

    weight: Array  # (D,)
    bias: float
    mean: Array  # (D,)
    basis: Array  # (K, D)
    spread: float = 1.0

    @property
    def arrays(self) -> tuple[Array | float, ...]:
        return self.weight, self.bias, self.mean, self.basis, self.spread

    @classmethod
    def of(cls, known: Sequence[Array], unknown: Sequence[Array]) -> Signs:
        return cls(*fit(known, unknown), *span(known, DIRECTIONS))

    def both(self, take: Array) -> Array:
        """(2, T) the logistic function, and what lies outside in units of the spread."""
        return np.stack([take @ self.weight + self.bias, outside(take, self.mean, self.basis) / self.spread])

    def scaled(self, of_takes: Array) -> Signs:
        """The same in units of each sign's spread over known takes (2, N), and centred there."""
        (centre, far), (one, two) = of_takes.mean(axis=1), of_takes.std(axis=1)
        bias = (self.bias - centre) / one + far / two
        return replace(self, weight=self.weight / one, bias=float(bias), spread=float(two))


def fit(known: Sequence[Array], unknown: Sequence[Array]) -> tuple[Array, float]:
    """Weight (D,) and bias of a logistic function; every take counts the same, and so do the two worlds."""
    phi = np.concatenate([*known, *unknown])
    truth = np.repeat([1, 0], [sum(map(len, known)), sum(map(len, unknown))])
    shares = [np.full(len(take), 0.5 / len(side) / len(take)) for side in (known, unknown) for take in side]
    centre = phi.mean(axis=0)
    made = LogisticRegression(C=STRENGTH, max_iter=300)
    made.fit(phi - centre, truth, sample_weight=np.concatenate(shares) * len(known))
    weight = made.coef_[0].astype(np.float32)
    return weight, float(made.intercept_[0] - centre @ weight)


def folds_of(takes: Sequence[Take]) -> NDArray[np.int64]:
    """A part for each take; a person, or where there are few a script, is never in two."""
    names = [[take.subject for take in takes], [take.script for take in takes], [take.id for take in takes]]
    groups = next(some for some in names if len({*some}) >= FOLDS)
    order = sorted({*groups})
    part = dict(zip(order, np.random.default_rng(0).permutation(len(order)) % FOLDS, strict=True))
    return np.array([part[group] for group in groups])


def calibrate(ours: Seen, theirs: Seen, further: Seen | None, view: View) -> tuple[Signs, Limits, list[str]]:
    """The signs of one view, their limits, and what they are worth on takes that were left out."""
    takes, others = ours.of(view), theirs.of(view)
    known, unknown = units(ours, takes), units(theirs, others)
    parts, other_parts = folds_of(takes), folds_of(others)
    raw: list[list[Array]] = [[], []]  # of known and of unknown takes: both signs (2, T)
    for fold in range(FOLDS):
        signs = Signs.of(
            [take for take, part in zip(known, parts, strict=True) if part != fold],
            [take for take, part in zip(unknown, other_parts, strict=True) if part != fold],
        )
        for side, some, their_parts in ((0, known, parts), (1, unknown, other_parts)):
            raw[side] += [signs.both(take) for take, p in zip(some, their_parts, strict=True) if p == fold]
    means = np.array([both.mean(axis=1) for both in raw[0]]).T  # (2, known takes)
    centre, spread = means.mean(axis=1, keepdims=True), means.std(axis=1, keepdims=True)
    scored = [[SIGN @ ((both - centre) / spread) for both in side] for side in raw]
    of_takes = [np.array([scores.mean() for scores in side]) for side in scored]
    of_frames = [np.concatenate(side) for side in scored]
    take, frame = (float(np.quantile(side[0], FALSE_ALARMS)) for side in (of_takes, of_frames))
    top, right = least_probability(ours, takes)
    signs = Signs.of(known, unknown).scaled(means)
    told = [
        f"{view} person, {len(takes)} known and {len(others)} unknown takes left out in turn: "
        f"AUC {auc(of_takes):.3f}, {(of_takes[1] < take).mean():.0%} of the unknown takes and "
        f"{(of_frames[1] < frame).mean():.0%} of their frames are told at {FALSE_ALARMS:.0%} false alarms; "
        f"first action right in {right:.0%} of the known takes, at least half from a probability of {top:.2f} on"
    ]
    if further is not None:
        strange = np.array([(SIGN @ signs.both(phi)).mean() for phi in units(further, further.of(view))])
        told.append(f"{view} person, a further set of {len(strange)}: {(strange < take).mean():.0%} told")
    return signs, Limits(take, frame, top), told


def least_probability(seen: Seen, takes: Sequence[Take]) -> tuple[float, float]:
    """The probability of a take's first action from which on it is right half the time, and how often it is right."""
    cases = []
    for take in takes:
        scores, shown = seen.embedded[take.id].scores, {action.label for action in take.actions}
        if scores is not None and shown:
            whole = np.asarray(scores, dtype=float).mean(axis=0)
            cases.append((float(whole.max()), seen.labels[int(whole.argmax())] in shown))
    if not cases:
        return 0.0, float("nan")
    cases.sort(reverse=True)
    right = np.cumsum([is_right for _, is_right in cases]) / np.arange(1, len(cases) + 1)
    good = np.flatnonzero(right >= 0.5)
    return (cases[good[-1]][0] if len(good) else 1.0), float(right[-1])


def distances(ours: Seen, theirs: Seen) -> tuple[float, list[str]]:
    """How near the nearest moment is where there is a match, and how often it is right."""
    pairs = [pair for pair in ours.manifest.pairs if pair.same_person]
    moments = [(pair.first, ours.embedded[pair.first]) for pair in pairs]
    owner = np.concatenate([np.full(len(take.times[1::3]), id) for id, take in moments])
    times = np.concatenate([take.times[1::3] for _, take in moments])
    vectors = np.concatenate([np.asarray(take.features)[1::3] for _, take in moments])
    near, absent, right = [], [], []
    for pair in pairs:
        asked = ours.embedded[pair.third]
        expected = pair.clock.to_first(asked.times[1::6]) if pair.clock else np.full(len(asked.times[1::6]), np.nan)
        for vector, time in zip(np.asarray(asked.features)[1::6], np.ravel(expected), strict=True):
            apart = np.linalg.norm(vectors - vector, axis=1)
            best = int(apart.argmin())
            near.append(apart[best])
            absent.append(apart[owner != pair.first].min())
            right.append(owner[best] == pair.first and abs(times[best] - time) <= WITHIN)
    strange = [
        np.linalg.norm(vectors - vector, axis=1).min()
        for take in theirs.of("third")
        for vector in np.asarray(theirs.embedded[take.id].features)[1::6]
    ]
    far = float(np.quantile(near, 1 - FALSE_ALARMS))
    lost, unknown = ((np.array(some) > far).mean() for some in (absent, strange))
    told = (
        f"search among {len(vectors)} known moments of {len(pairs)} takes: the first answer is right within {WITHIN:g} "
        f"s in {np.mean(right):.0%} of {len(right)} searches; the nearest distance alone tells {lost:.0%} of the "
        f"searches whose take is not there and {unknown:.0%} of unknown queries at {FALSE_ALARMS:.0%} false alarms"
    )
    return far, [told]


def auc(sides: Sequence[Array]) -> float:
    return float(roc_auc_score(np.repeat([1, 0], [len(sides[0]), len(sides[1])]), np.concatenate(sides)))


if __name__ == "__main__":
    tyro.cli(main)
