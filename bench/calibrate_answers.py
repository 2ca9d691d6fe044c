"""When should `search` and `recognise` say that nothing matches? Calibrated on a known world and on an unknown one.

    python bench/calibrate_answers.py [KNOWN] [UNKNOWN] [--model RUN] [--also DATA] [--cache DIR] [--dry]

KNOWN is a data set like the one that the model was trained on; its validation and test takes are used, none of which
may have trained the model (if not given, the small set of the package). UNKNOWN is anything else: the real robot pairs,
if not given. A logistic function of φ is fitted to tell the two apart; takes are judged by one fitted on other people
and scripts. What is written beside the weights (`world.safetensors`, with its notes) is fitted on all. `--also` is a
further unknown set, judged only. Run it again for every new model: a file that was made for other weights is not used.
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
from actor_observer.answers.world import Limits, World
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.features.device import best_device
from actor_observer.features.identity import identify
from actor_observer.features.models import open_model
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Manifest, Take, read_manifest
from actor_observer.pairs.manifest import VIEWS, View

MINI = Path(actor_observer.__file__).parent / "playhouse" / "mini"
LOOK_RATE = 3.0  # frames a second, as a query is looked at
FOLDS, FALSE_ALARMS, WITHIN = 5, 0.05, 2.0
STRENGTH = 10.0  # C of the logistic function

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
    ours = look_at(network, known, store, where, trained_on=("train",))
    theirs = look_at(network, unknown, store, where)
    further = look_at(network, also, store, where) if also else None
    weights, biases, limits, lines = [], [], {}, []
    for view in VIEWS:
        weight, bias, limit, told = calibrate(ours, theirs, further, view)
        weights.append(weight)
        biases.append(bias)
        limits[view] = limit
        lines += told
    far, told = distances(ours, theirs)
    print("\n".join([f"{known.name} (known), {unknown.name} (unknown)", *lines, *told]))
    if not dry:
        who, notes = identify(network, model), "; ".join([*lines, *told])
        made = World(who.fingerprint, name, np.stack(weights), np.array(biases, np.float32), limits, far, notes)
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
    found = [np.asarray(seen.phi[take.id].features, dtype=float) for take in takes]
    return [phi / np.linalg.norm(phi, axis=1, keepdims=True) for phi in found]


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


def calibrate(ours: Seen, theirs: Seen, further: Seen | None, view: View) -> tuple[Array, float, Limits, list[str]]:
    """The function of one view, its limits, and what it is worth on takes that were left out."""
    takes, others = ours.of(view), theirs.of(view)
    known, unknown = units(ours, takes), units(theirs, others)
    parts, other_parts = folds_of(takes), folds_of(others)
    scored: list[list[Array]] = [[], []]
    for fold in range(FOLDS):
        weight, bias = fit(
            [take for take, part in zip(known, parts, strict=True) if part != fold],
            [take for take, part in zip(unknown, other_parts, strict=True) if part != fold],
        )
        for side, some, their_parts in ((0, known, parts), (1, unknown, other_parts)):
            scored[side] += [take @ weight + bias for take, p in zip(some, their_parts, strict=True) if p == fold]
    of_takes = [np.array([scores.mean() for scores in side]) for side in scored]
    of_frames = [np.concatenate(side) for side in scored]
    take, frame = (float(np.quantile(side[0], FALSE_ALARMS)) for side in (of_takes, of_frames))
    top, right = least_probability(ours, takes)
    weight, bias = fit(known, unknown)
    told = [
        f"{view} person, {len(takes)} known and {len(others)} unknown takes left out in turn: "
        f"AUC {auc(of_takes):.3f}, {(of_takes[1] < take).mean():.0%} of the unknown takes and "
        f"{(of_frames[1] < frame).mean():.0%} of their frames are told at {FALSE_ALARMS:.0%} false alarms; "
        f"first action right in {right:.0%} of the known takes, at least half from a probability of {top:.2f} on"
    ]
    if further is not None:
        strange = np.array([(phi @ weight + bias).mean() for phi in units(further, further.of(view))])
        told.append(f"{view} person, a further set of {len(strange)}: {(strange < take).mean():.0%} told")
    return weight, bias, Limits(take, frame, top), told


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
