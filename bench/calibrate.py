"""How good is the confidence of `align`? Fit it on matched and mismatched validation pairs; judge it on test pairs.

    python bench/calibrate.py DATA… [--model RUN] [--cache DIR] [--dry]    # fit on the validation split, and write
    python bench/calibrate.py DATA… --split test                           # judge what lies beside the model

Matched are the split's pairs of one person; mismatched is each third-person take with first-person takes of other
scripts of the same set. No take of these pairs may have trained the model. For fitting, pairs are divided into folds;
each fold is judged by a logistic function fitted on the others, with no take in common, and what is written beside the
model (`confidence.json`) is fitted on all of them. Test pairs are never fitted on, and the threshold is not chosen by
them: `used.json` beside the data says which pairs ever decided something. The inputs are the figures of
`alignment/performances/confidence.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import tyro
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from tyro.conf import Positional

from actor_observer.alignment.performances.confidence import FIGURES, Calibration, find_calibration
from actor_observer.alignment.two_performances import SURE, align_takes
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import share_of
from actor_observer.evaluation.statistics.shares import at_the_end, share_over
from actor_observer.evaluation.used import for_choosing, seen_before
from actor_observer.features import FeatureCache, Look, embed_features
from actor_observer.features.identity import Identity, identify
from actor_observer.features.models import is_trained, open_model
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import Manifest, Pair, read_manifest

Array = NDArray[np.float64]


def main(
    data: Positional[tuple[Path, ...]],
    model: str | None = None,
    split: Literal["validation", "test"] = "validation",  # test: nothing is fitted
    folds: int = 5,
    mismatches: int = 3,  # for each third-person take
    cache: Path | None = None,
    device: str = "auto",
    dry: bool = False,  # only print
) -> None:
    """Measure; fit, judge and write, or judge alone."""
    network = open_model(model)
    rows: list[list[float]] = []
    cases: list[Case] = []
    names: list[str] = []
    for one in data:
        manifest = read_manifest(one).of(split)
        pairs = [pair for pair in manifest.pairs if pair.same_person]
        if len(pairs) < 2 * folds:
            raise SystemExit(f"{one}: {len(pairs)} pairs in the {split} split, {2 * folds} are needed")
        if split == "test":
            print(seen_before(one, pairs))
        else:
            for_choosing(one, pairs, split, "the confidence of align (bench/calibrate.py)", write=not dry)
        dealt = deal(manifest, pairs, folds, mismatches)
        rows += figures_of(network, manifest, pairs, dealt, cache, device)
        before = 1 + max((case[4] for case in cases), default=-1)
        cases += [(*case[:4], case[4] + before) for case in dealt]
        names.append(one.name)
    who, sets = identify(network, model), " and ".join(names)
    if split == "test":
        judge(who, np.array(rows), cases, sets, find_calibration(network)[0])
    else:
        report(who, np.array(rows), cases, sets, split, None if dry else place(model))


def figures_of(
    network: ActorObserverNet,
    manifest: Manifest,
    pairs: Sequence[Pair],
    cases: Sequence[Case],
    cache: Path | None,
    device: str,
) -> list[list[float]]:
    """What `align_takes` says of each case."""
    look = Look.of_network(network.config, LOOK_RATE)
    takes = [manifest.takes[id] for pair in pairs for id in (pair.third, pair.first)]
    store, where = FeatureCache(cache), best_device(device)
    with progress("embedding", len(takes)) as step:
        phi, faults = store.features(network.config.backbone, network.backbone, takes, look, where, step)
    for fault in faults.values():
        raise UserError(f"{fault}: repair or remove it first")
    seen, x = embed_features(network, phi), []
    with progress("aligning", len(cases)) as step:
        for third, first, _, _, _ in cases:
            found = align_takes(seen[third], seen[first], (phi[third], phi[first]), learned=is_trained(network))
            x.append([found.figures[name] for name in FIGURES])
            step()
    return x


Case = tuple[str, str, bool, int, int]  # third take, first take, whether matched, fold, pair


def deal(manifest: Manifest, pairs: Sequence[Pair], folds: int, mismatches: int) -> list[Case]:
    """Matched and mismatched pairs of takes; the two takes of a case are always of one fold."""
    rng = np.random.default_rng(0)
    fold = rng.permutation(len(pairs)) % folds
    cases: list[Case] = []
    for number, pair in enumerate(pairs):
        cases.append((pair.third, pair.first, True, int(fold[number]), number))
        script = manifest.takes[pair.third].script
        others = [
            other.first
            for place, other in enumerate(pairs)
            if fold[place] == fold[number] and (place != number and manifest.takes[other.first].script != script)
        ]
        for first in rng.permutation(others)[:mismatches]:
            cases.append((pair.third, str(first), False, int(fold[number]), number))
    return cases


def fit(x: Array, y: NDArray[np.bool_]) -> tuple[Array, Array, Array, float]:
    """Mean and spread of the figures, their weights and the bias; matched and mismatched count the same."""
    mean, spread = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-9)
    found = LogisticRegression(class_weight="balanced", C=1.0).fit((x - mean) / spread, y)
    return mean, spread, found.coef_[0], float(found.intercept_[0])


def judge(who: Identity, x: Array, cases: Sequence[Case], sets: str, kept: Calibration | None) -> None:
    """Print how well the calibration that is already there tells matched pairs from strangers, by its own threshold."""
    if kept is None or kept.model != who.fingerprint:
        raise UserError(f"{who.name}: no calibration of its own lies beside it; fit it on the validation split first")
    y, pair = (np.array([case[place] for case in cases]) for place in (2, 4))
    said = np.array([kept.confidence(dict(zip(FIGURES, row, strict=True))) for row in x.tolist()])
    count = int(pair.max()) + 1

    def auc(counts: Array) -> float:
        weight = counts[pair]
        known = weight > 0
        return float(roc_auc_score(y[known], said[known], sample_weight=weight[known]))

    print(f"{who.name} on the test split of {sets}: {y.sum()} matched, {(~y).sum()} mismatched\n")
    print(f"fitted on: {kept.notes}\n")
    print("| | |\n|---|---|")
    print(f"| AUC, matched against mismatched | {at_the_end(bootstrap(auc, count), count)} |")
    sure = max(kept.threshold, SURE)
    for name, right in (
        ("matched, above its threshold", said[y] >= kept.threshold),
        ("mismatched, below its threshold", said[~y] < kept.threshold),
        ("matched, *in step* said", said[y] >= sure),
        ("mismatched, *in step* said", said[~y] >= sure),
    ):
        whose = pair[y] if name.startswith("matched") else pair[~y]
        shares = share_over(share_of(right.astype(float), whose), count)
        print(f"| {name} (%) | {shares.percent()} |")


def report(who: Identity, x: Array, cases: Sequence[Case], sets: str, split: str, folder: Path | None) -> None:
    """Print the table; write the calibration."""
    y = np.array([case[2] for case in cases])
    fold, pair = (np.array([case[place] for case in cases]) for place in (3, 4))
    held = np.empty(len(y))
    for part in np.unique(fold):
        mean, spread, weight, bias = fit(x[fold != part], y[fold != part])
        held[fold == part] = expit((x[fold == part] - mean) / spread @ weight + bias)

    def auc(values: Array, counts: Array) -> float:
        weight = counts[pair]
        known = weight > 0
        return float(roc_auc_score(y[known], values[known], sample_weight=weight[known]))

    print(f"{who.name} on the {split} split of {sets}: {y.sum()} matched, {(~y).sum()} mismatched\n")
    print("| figure | AUC [95 % over pairs] |\n|---|---|")
    pairs = int(pair.max()) + 1
    for place, figure in enumerate(FIGURES):
        print(f"| {figure} | {bootstrap(lambda counts, values=x[:, place]: auc(values, counts), pairs)} |")  # type: ignore[misc]
    all_together = bootstrap(lambda counts: auc(held, counts), pairs)
    print(f"| confidence (pairs left out) | {all_together} |")
    levels = np.unique(held)
    right = [(held[y] >= level).mean() / 2 + (held[~y] < level).mean() / 2 for level in levels]
    best = int(np.argmax(right))
    threshold = float(levels[max(best - 1, 0) : best + 1].mean())  # halfway to the next case below
    above = held >= threshold
    shares = [
        share_over(share_of(right[some].astype(float), pair[some]), pairs).percent()
        for some, right in ((y, above), (~y, ~above))
    ]
    print(
        f"\nthreshold {threshold:.3f}: {shares[0]} % of the matched pairs are above it, "
        f"{shares[1]} % of the mismatched below"
    )
    if folder is not None:
        mean, spread, weight, bias = fit(x, y)
        named = [dict(zip(FIGURES, map(float, column), strict=True)) for column in (mean, spread, weight)]
        made = Calibration(who.fingerprint, named[0], named[1], named[2], bias, threshold)
        notes = f"{y.sum()} matched and {(~y).sum()} mismatched pairs of {sets}, {split}; AUC {all_together}"
        print(f"written: {replace(made, notes=notes).write(folder)}")


def place(model: str | None) -> Path:
    """Where a model's calibration goes: beside it."""
    return BOX if model is None else Path(model)


if __name__ == "__main__":
    tyro.cli(main)
