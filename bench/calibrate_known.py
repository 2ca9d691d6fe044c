"""When must a model say that it does not know footage? Fitted, and judged on takes that were not fitted on.

    python bench/calibrate_known.py --known DATA… --unknown DATA… --judged DATA… [--model RUN] [--cache DIR] [--dry]

--known are sets like the one that the model was trained on, without what trained it; the small set of the package is
always one of them for the box. --unknown are real recordings and anything else; pictures that show nothing are always
among them. Of both, takes of the split `test` are only judged. --judged are unknown sets of which nothing is fitted.
All lie beside each other in the table, at full length, in cuts of three seconds and by single frames; a second table
leaves out a whole unknown set in turn: that is what footage like none of these can expect.

What is written beside the weights (`known.safetensors`, see features/known.py) holds for every model on this backbone.
In it lies what `recognise` and `search` need of this model's heads (answers/limits.py), from the small set: for new
heads run it again, with --heads to change nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from actor_observer.features import Embeddings, FeatureCache
from actor_observer.features.known import Known, find_known
from actor_observer.features.models import open_model
from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.model.device import best_device
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Manifest
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.playhouse import MINI
from answer_limits import limits_of_answers
from known_sets import LOOK_RATE, Part, look_at, parts_of, parts_of_nothing

DIRECTIONS = 32  # of the scatter of known takes
STRENGTH = 1e4  # C of the linear function; the weights of all takes add up to 2
FOLDS, FALSE_ALARMS = 5, 0.05
CUTS = (1, 4, 9, 18, 30, 0)  # frames of a cut; 0: the whole take
NOTHING = "pictures of nothing"

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Signs:
    """Both signs of one view, not yet in units of anything."""

    mean: Array  # (D,)
    basis: Array  # (K, D)
    spread: Array  # (K + 1,)
    weight: Array  # (D,)
    bias: float

    @classmethod
    def fit(cls, known: Sequence[Part], unknown: Sequence[Sequence[Part]]) -> Signs:
        """Every take counts the same, and so does every unknown set."""
        of_known = np.stack([part.units.mean(axis=0) for part in known])  # (N, D)
        mean = of_known.mean(axis=0)
        _, singular, vectors = np.linalg.svd(of_known - mean, full_matrices=False)
        values = singular**2 / len(known)
        own = values.sum() / len(mean)  # λ
        others = [np.stack([part.units.mean(axis=0) for part in some]) for some in unknown]
        means = np.concatenate([of_known, *others])
        shares = np.concatenate(
            [np.full(len(known), 1 / len(known)), *(np.full(len(some), 1 / len(some) / len(others)) for some in others)]
        )
        centre = means.mean(axis=0)
        strange = np.arange(len(means)) >= len(known)
        made = LogisticRegression(C=STRENGTH, max_iter=500).fit(means - centre, strange, sample_weight=shares)
        weight = made.coef_[0]
        bias = float(made.intercept_[0] - centre @ weight)
        return cls(mean, vectors[:DIRECTIONS], np.append(values[:DIRECTIONS] + own, own), weight, bias)

    def of(self, means: Array) -> Array:
        """Both signs (N, 2) of means (N, D)."""
        off = means - self.mean
        along = (off @ self.basis.T) ** 2
        rest = np.maximum(0.0, (off**2).sum(axis=1) - along.sum(axis=1))
        far = (along / self.spread[:-1]).sum(axis=1) + rest / self.spread[-1]
        return np.stack([far, means @ self.weight + self.bias], axis=1)


@dataclass(frozen=True)
class Rule:
    """The rule of one view: signs, what they are centred and scaled by, and the thresholds."""

    signs: Signs
    centre: Array  # (2,)
    scale: Array  # (2,)
    seconds: Array  # (L,) of cuts, rising
    limits: Array  # (L,)

    @classmethod
    def fit(cls, known: Sequence[Part], unknown: Sequence[Sequence[Part]]) -> Rule:
        """Scales and thresholds are of known people who were left out of the fit in turn."""
        fold = folds_of(known)
        left_out: dict[int, list[Array]] = {frames: [] for frames in CUTS}
        for number in range(FOLDS):
            signs = Signs.fit([part for part in known if fold[part.person] != number], unknown)
            for part in known:
                if fold[part.person] == number:
                    for frames in CUTS:
                        left_out[frames].append(signs.of(cuts(part.units, frames)))
        whole = np.concatenate(left_out[0])
        centre, scale = whole.mean(axis=0), whole.std(axis=0)
        scores = [((np.concatenate(left_out[frames]) - centre) / scale).sum(axis=1) for frames in CUTS]
        limits = np.minimum.accumulate([np.quantile(some, 1 - FALSE_ALARMS) for some in scores])
        usual = float(np.median([len(part.units) for part in known]))
        seconds = np.array([(frames or usual) - 1 for frames in CUTS]) / LOOK_RATE
        return cls(Signs.fit(known, unknown), centre, scale, seconds, limits)

    def told(self, parts: Sequence[Part], frames: int) -> tuple[int, float]:
        """How many cuts there are, and the share that the rule calls unknown."""
        strange = []
        for part in parts:
            scores = ((self.signs.of(cuts(part.units, frames)) - self.centre) / self.scale).sum(axis=1)
            seconds = (min(frames or len(part.units), len(part.units)) - 1) / LOOK_RATE
            strange += [*(scores > np.interp(np.log1p(seconds), np.log1p(self.seconds), self.limits))]
        return len(strange), float(np.mean(strange))

    def arrays(self) -> tuple[Array, ...]:
        """As features/known.py has them, in its order."""
        signs, (far, unlike), (far_scale, unlike_scale) = self.signs, self.centre, self.scale
        bias = np.array((signs.bias - unlike) / unlike_scale - far / far_scale)
        scaled = signs.spread * far_scale, signs.weight / unlike_scale
        return (signs.mean, signs.basis, *scaled, bias, self.seconds, self.limits)


def cuts(units: Array, frames: int) -> Array:
    """Means (N, D) of cuts of so many frames, or of the whole take; of single frames every fourth."""
    if not frames or len(units) < frames:
        return units.mean(axis=0)[None]
    starts = range(0, len(units) - frames + 1, max(frames, 4))
    return np.stack([units[start : start + frames].mean(axis=0) for start in starts])


def folds_of(known: Sequence[Part]) -> dict[str, int]:
    """A fold for each person."""
    people = sorted({part.person for part in known})
    order = np.random.default_rng(0).permutation(len(people))
    return {people[place]: number % FOLDS for number, place in enumerate(order)}


@dataclass(frozen=True)
class Looked:
    """A data set as the backbone sees it."""

    name: str
    manifest: Manifest
    phi: Embeddings

    def parts(self, view: View, test: bool) -> list[Part]:
        """Of the test part, or of all others."""
        takes = [take for take in self.manifest.takes.values() if (take.split == "test") == test]
        return parts_of(takes, self.phi, view)


def main(
    known: tuple[Path, ...] = (),
    unknown: tuple[Path, ...] = (ROBOTS,),
    judged: tuple[Path, ...] = (),
    model: str | None = None,
    world: str = "rendered homes",  # what is known, in words
    cache: Path | None = None,
    device: str = "auto",
    heads: bool = False,  # only what belongs to the heads
    dry: bool = False,  # only print
) -> None:
    """Fit, judge, write."""
    network, store, where = open_model(model), FeatureCache(cache), best_device(device)
    sets = known if model else (*known, MINI)
    answers, told = limits_of_answers(network, sets[-1], store, where)
    print("\n".join(told))
    if heads:
        found = find_known(network)
        assert found is not None, "nothing to add to: run it without --heads"
    else:
        known_sets, unknown_sets, judged_sets = (
            [Looked(path.name, *look_at(network, path, store, where)) for path in some]
            for some in (sets, unknown, judged)
        )
        rules, lines = fit_and_judge(known_sets, unknown_sets, judged_sets, parts_of_nothing(network))
        print("\n".join(lines))
        found = as_known(rules, weights_hash(network.backbone), world, "\n".join(lines + told))
    if not dry:
        print(f"written: {replace(found, answers=answers).write(BOX if model is None else Path(model))}")


def as_known(rules: Mapping[View, Rule], backbone: str, world: str, notes: str) -> Known:
    """Both views' rules as they are written."""
    both = zip(*(rules[view].arrays() for view in VIEWS), strict=True)
    mean, basis, spread, weight, bias, seconds, limits = (np.stack(one).astype(np.float32) for one in both)
    return Known(backbone, world, mean, basis, spread, weight, bias, seconds.mean(axis=0), limits, notes)


def fit_and_judge(
    known: Sequence[Looked], unknown: Sequence[Looked], judged: Sequence[Looked], nothing: tuple[list[Part], list[Part]]
) -> tuple[dict[View, Rule], list[str]]:
    """The rule of each view, and both tables."""
    head = ["| view | set | takes | told unknown | of cuts of 3 s | of frames |", "|---|---|---|---|---|---|"]
    rules: dict[View, Rule] = {}
    lines, apart = list(head), ["", "a whole unknown set left out of the fit", *head]
    for view in VIEWS:
        ours = [part for one in known for part in one.parts(view, test=False)]
        theirs = {one.name: one.parts(view, test=False) for one in unknown} | {NOTHING: nothing[0]}
        theirs = {name: parts for name, parts in theirs.items() if parts}
        tested = {one.name: one.parts(view, test=True) for one in (*known, *unknown, *judged)} | {NOTHING: nothing[1]}
        rules[view] = Rule.fit(ours, [*theirs.values()])
        for name, parts in tested.items():
            lines += row(view, name, parts, rules[view])
        for name, parts in theirs.items():
            without = Rule.fit(ours, [some for other, some in theirs.items() if other != name])
            apart += row(view, name, [*parts, *tested[name]], without)
    return rules, [*lines, *apart]


def row(view: View, name: str, parts: Sequence[Part], rule: Rule) -> list[str]:
    if not parts:
        return []
    shares = [rule.told(parts, frames) for frames in (0, 9, 1)]
    return [f"| {view} | {name} | {shares[0][0]} | " + " | ".join(f"{share:.0%}" for _, share in shares) + " |"]


if __name__ == "__main__":
    tyro.cli(main)
