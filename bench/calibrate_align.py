"""What is each kind of evidence for one event worth, and when may `align` say that it is sure? Fit, and judge on folds.

    python bench/calibrate_align.py --real DATA --rendered DATA [--motion FOLDER] [--picture PNG] [--dry]

`--real` and `--rendered` are sets of synchronous pairs with clocks, such as robots' and bench/together_set.py's;
`--motion` the motion of such a set without its videos (bench/motion_set.py), for worlds too large to carry. Of `--real`
every third pair is left to tests. Clips are cut at random (bench/cuts.py); mismatched are clips of two pairs of a set.
Pairs are dealt into folds: every figure printed is of pairs that were not fitted on; a second table is of sets that
were left out whole, as unlike the others as a stranger's recordings. What is written into the box
(`alignment.json`) is fitted on all of them. Whether the model knows a clip is decided as everywhere (features/known.py:
run bench/calibrate_known.py before). `--picture` draws the confidence against the share that was right.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import tyro
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from actor_observer.alignment.align import bounded_look_rate
from actor_observer.alignment.calibration import OneEventCalibration
from actor_observer.alignment.evidence import Evidence
from actor_observer.alignment.kinds.likeness import Likeness
from actor_observer.alignment.kinds.motion import MotionEvidence, motion_rate
from actor_observer.alignment.kinds.motion_head import LearnedMotion, load_heads
from actor_observer.alignment.lags import lag_grid
from actor_observer.alignment.one_event import NEAR, OneEvent
from actor_observer.alignment.recording import Recording
from actor_observer.alignment.weigher import knows
from actor_observer.console import progress
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.features.models import open_model
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import LOOK_RATE
from actor_observer.frames.motion import Motion
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import Clock, read_manifest
from actor_observer.pairs.manifest import VIEWS
from cuts import Cut, clip, draw_cuts, part
from motion_set import read_motion_set

Array = NDArray[np.float64]
RIGHT = 0.5  # seconds: an offset this near is right
FOLDS, CUTS = 4, 2
SHRINK = 0.2  # of a correlation's weight is shared out among all of them
HEAD = (
    "| set | matched | within 1 s | median (s) | in step given | of these right | AUC matched | called unrelated |\n"
    "|---|---|---|---|---|---|---|---|"
)
LEAST_WEIGHT = 0.005  # channels below it are left out: they cost time and say nothing


@dataclass(frozen=True, eq=False)
class Known:
    """A pair whose clock is known, as evidence sees it; first-person times are in third-person seconds."""

    set: int
    motion: tuple[Motion, Motion]
    phi: tuple[TakeEmbedding, TakeEmbedding] | None


@dataclass(frozen=True, eq=False)
class Case:
    """Two clips, their evidence at every lag, and the truth."""

    set: int
    pair: int
    channels: tuple[str, ...]
    scores: Array  # (K, L)
    offsets: Array  # (L,)
    truth: float | None  # None: mismatched


Held = tuple[Case, OneEvent, float, float]  # a case, the answer, the chances that it is right and that they match


def main(
    real: Path,
    rendered: Path,
    motion: Path | None = None,
    cache: Path | None = None,
    dry: bool = False,
    picture: Path | None = None,
) -> None:
    """Cut, weigh, fit, judge, write."""
    sets = [read_set(real, 0, cache, every=3), read_set(rendered, 1, cache)]
    if motion:
        sets.append([Known(2, both, None) for both in read_motion_set(motion)])
    network = open_model(None)
    head = load_heads()

    def evidence_of(known: tuple[Known, Known], cut: tuple[Cut, Cut]) -> tuple[list[Evidence], list[Recording]]:
        """Of a third-person clip of one pair and a first-person clip of another, or of the same."""
        spans = cut[0].third, cut[1].first
        recordings = [
            clip(one.motion[side], *span, VIEWS[side])
            for side, (one, span) in enumerate(zip(known, spans, strict=True))
        ]
        evidence: list[Evidence] = [MotionEvidence()]
        if head is not None:
            evidence.append(LearnedMotion(head))
        phi = [one.phi[side] if one.phi else None for side, one in enumerate(known)]
        if phi[0] is not None and phi[1] is not None:
            lengths = spans[0][1] - spans[0][0], spans[1][1] - spans[1][0]
            assert bounded_look_rate(lengths, LOOK_RATE) == LOOK_RATE, "clips of minutes: look less often"
            cut_phi = part(phi[0], *spans[0]), part(phi[1], *spans[1])
            seen = embed_features(network, Embeddings(dict(zip(VIEWS, cut_phi, strict=True))))
            evidence.append(Likeness((seen["third"], seen["first"]), cut_phi, knows(network, *cut_phi)[0]))
        return evidence, recordings

    cases: list[Case] = []
    with progress("weighing evidence", sum(map(len, sets))) as step:
        for pairs in sets:
            for number, one in enumerate(pairs):
                rng = np.random.default_rng([7, one.set, number])
                for place, cut in enumerate(draw_cuts(*shared(one), CUTS, rng)):
                    cases.append(weigh(one.set, number, *evidence_of((one, one), (cut, cut)), cut.offset))
                    # As many mismatched as matched: before anything is seen, either is as likely.
                    other = pairs[(number + FOLDS * (1 + place)) % len(pairs)]  # of the same fold
                    strange = draw_cuts(*shared(other), 1, rng)[0]
                    cases.append(weigh(one.set, number, *evidence_of((one, other), (cut, strange)), None))
                step()
    names = [path.name for path in (real.parent if real.is_file() else real, rendered, motion) if path]
    report(cases, names, dry, picture)


def read_set(data: Path, number: int, cache: Path | None, every: int = 0) -> list[Known]:
    """Motion and φ of all pairs of a set; every third pair is left out where it is somebody's test part."""
    manifest, network = read_manifest(data), open_model(None)
    pairs = [pair for place, pair in enumerate(manifest.pairs) if not every or place % every]
    takes = [manifest.takes[id] for pair in pairs for id in (pair.third, pair.first)]
    look = Look.of_network(network.config, LOOK_RATE)
    with progress(f"{data}: features", len(takes)) as step:
        phi, _ = FeatureCache(cache).features(network.config.backbone, network.backbone, takes, look, "cpu", step)
    found = []
    with progress(f"{data}: motion", len(pairs)) as step:
        for pair in pairs:
            third, first = (kept_motion(manifest.takes[id], cache) for id in (pair.third, pair.first))
            seen = phi[pair.first]
            in_third = TakeEmbedding("first", in_step(seen.times, pair.clock), seen.features)
            first = Motion(in_step(first.times, pair.clock), first.whole, first.cells, first.length)
            found.append(Known(number, (third, first), (phi[pair.third], in_third)))
            step()
    return found


def in_step(times: Array, clock: Clock) -> Array:
    return np.asarray(clock.to_third(times), dtype=float)


def shared(known: Known) -> tuple[float, float]:
    times = [one.times for one in known.motion]
    return max(float(one[0]) for one in times), min(float(one[-1]) for one in times)


def weigh(
    number: int, pair: int, evidence: Sequence[Evidence], recordings: Sequence[Recording], truth: float | None
) -> Case:
    third, first = recordings
    lags = lag_grid(third.length, first.length, motion_rate(third.motion, first.motion))
    names, rows = [], []
    for kind in evidence:
        found = kind.lags(third, first, lags)
        if found is not None:
            names += [name for name, _ in found.channels]
            rows += [scores().sum(axis=0) for _, scores in found.channels]
    return Case(number, pair, tuple(names), np.stack(rows), lags.offsets, truth)


def fit_weights(cases: Sequence[Case], steps: int = 150) -> dict[str, float]:
    """The weights (none below 0) under which the true offset is most likely among all, in every set alike.

    Those of correlated motion are drawn towards their mean: what is best on these recordings need not be elsewhere.
    """
    names = sorted({name for case in cases for name in case.channels})
    place = {name: number for number, name in enumerate(names)}
    plain = torch.tensor(["/" in name for name in names])  # the correlations of motion
    counts = np.bincount([case.set for case in cases if case.truth is not None])
    data = []
    for case in cases:
        if case.truth is None:
            continue
        near = np.abs(case.offsets - case.truth) <= 0.1
        if near.any():
            rows = torch.tensor([place[name] for name in case.channels])
            data.append((rows, torch.tensor(case.scores, dtype=torch.float32), torch.tensor(near), counts[case.set]))
    raw = torch.full((len(names),), -3.0, requires_grad=True)
    optimiser = torch.optim.Adam([raw], 0.08)
    for _ in range(steps):
        optimiser.zero_grad()
        weight = torch.nn.functional.softplus(raw)
        loss = 0.3 * (weight[plain] - weight[plain].mean()).square().sum() + 0.01 * weight.square().sum()
        for rows, scores, here, count in data:
            total = weight[rows] @ scores
            loss = loss - (torch.logsumexp(total[here], 0) - torch.logsumexp(total, 0)) / count
        loss.backward()
        optimiser.step()
    weight = torch.nn.functional.softplus(raw).detach()
    weight[plain] = (1 - SHRINK) * weight[plain] + SHRINK * weight[plain].mean()
    return dict(zip(names, weight.tolist(), strict=True))


def answer(case: Case, weights: dict[str, float]) -> OneEvent:
    """The best offset by these weights, without a prior on offsets."""
    total = np.array([weights[name] for name in case.channels]) @ case.scores
    share = np.exp(total - total.max())
    strength = float(np.log(share.mean()) + total.max())
    share /= share.sum()
    best = float(case.offsets[total.argmax()])
    mass = float(share[np.abs(case.offsets - best) <= NEAR].sum())
    return OneEvent(best, 1.0, 0.0, 0.0, (), mass, strength, {})


def logistic(x: Sequence[Sequence[float]], y: NDArray[np.bool_]) -> tuple[float, float, float]:
    if y.all() or not y.any():
        return (0.0, 1.0, 0.0)
    found = LogisticRegression(C=1.0).fit(np.array(x), y)
    return float(found.intercept_[0]), float(found.coef_[0][0]), float(found.coef_[0][1])


def calibrate(cases: Sequence[Case], weights: dict[str, float]) -> OneEventCalibration:
    answers = [answer(case, weights) for case in cases]
    seen = [found.figures() for found in answers]
    right = np.array([is_right(case, found) for case, found in zip(cases, answers, strict=True)])
    matched = np.array([case.truth is not None for case in cases])
    return OneEventCalibration(weights, logistic(seen, right), logistic(seen, matched), 0.9, 0.05)


def is_right(case: Case, found: OneEvent) -> bool:
    return case.truth is not None and abs(found.offset - case.truth) <= RIGHT


def report(cases: Sequence[Case], names: Sequence[str], dry: bool, picture: Path | None = None) -> None:
    """Fit on all folds but one, judge that one; print the table; write what was fitted on everything."""
    fold, sets = np.array([case.pair % FOLDS for case in cases]), np.array([case.set for case in cases])
    held = left_out(cases, fold)
    # Below half of what 98 % of the matched pairs get: absence of evidence is no evidence against.
    unrelated = 0.5 * float(np.quantile([m for case, _, _, m in held if case.truth is not None], 0.02))
    for title, judged in (
        ("some pairs of every set left out", held),
        ("motion alone, fitted on the other sets", left_out([seen_by_motion(case) for case in cases], sets)),
    ):
        print(f"\n{title}\n\n{HEAD}")
        for number, name in enumerate(names):
            print(f"| {name} | " + " | ".join(row([one for one in judged if one[0].set == number], unrelated)) + " |")
    print("\nreliability, all sets: said, right, cases")
    said = reliability(held)
    for claimed, right, count in said:
        print(f"  {claimed:.2f}  {right:.2f}  {count}")
    if picture:
        draw_reliability(said, picture)
    if not dry:
        made = calibrate(cases, fit_weights(cases))
        matched = sum(case.truth is not None for case in cases)
        notes = f"{matched} matched and {len(cases) - matched} mismatched cuts of {', '.join(names)}"
        weights = {name: round(weight, 4) for name, weight in made.weights.items() if weight >= LEAST_WEIGHT}
        written = OneEventCalibration(weights, made.step, made.match, made.sure, round(unrelated, 4), notes)
        print(f"\nwritten: {written.write(BOX).name}")


def reliability(held: Sequence[Held]) -> list[tuple[float, float, int]]:
    """The confidence that was said, the share that was right, and how many, in bins of confidence."""
    bins = []
    for low, high in itertools.pairwise((0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.001)):
        some = [(p, is_right(case, found)) for case, found, p, _ in held if low <= p < high]
        if some:
            bins.append((float(np.mean([p for p, _ in some])), float(np.mean([r for _, r in some])), len(some)))
    return bins


def draw_reliability(bins: Sequence[tuple[float, float, int]], path: Path) -> None:
    """Said against right, with 95 % intervals (Wilson's)."""
    figure = Figure(figsize=(3.6, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1)
    for said, right, count in bins:
        spread = binomtest(round(right * count), count).proportion_ci(method="wilson")
        axes.plot([said, said], [spread.low, spread.high], color="#0072b2", linewidth=1.5)
        axes.plot(said, right, "o", color="#0072b2", markersize=6)
        axes.annotate(f"{count}", (said, right), (7, -4), textcoords="offset points", fontsize=8, color="#666666")
    axes.set(xlabel="confidence said", ylabel="right within half a second", xlim=(-0.03, 1.08), ylim=(-0.03, 1.03))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    print(f"written: {path}")


def left_out(cases: Sequence[Case], part: NDArray[np.int64]) -> list[Held]:
    """Each part of the cases (N,) judged by what was fitted on all the others."""
    held = []
    for number in np.unique(part):
        fitted = [case for case, own in zip(cases, part, strict=True) if own != number]
        made = calibrate(fitted, fit_weights(fitted))
        for case in (case for case, own in zip(cases, part, strict=True) if own == number):
            found = answer(case, dict(made.weights))
            held.append((case, found, made.in_step(found), made.matched(found)))
    return held


def seen_by_motion(case: Case) -> Case:
    """Without likeness, which some sets have no pictures for."""
    kept = [number for number, name in enumerate(case.channels) if "/" in name or name == LearnedMotion.name]
    return replace(case, channels=tuple(case.channels[number] for number in kept), scores=case.scores[kept])


def row(held: Sequence[Held], unrelated: float) -> list[str]:
    matched = [one for one in held if one[0].truth is not None]
    errors = np.array([abs(found.offset - float(case.truth or 0.0)) for case, found, _, _ in matched])
    given = [(case, found) for case, found, p, _ in held if p >= 0.9]
    right = np.mean([is_right(case, found) for case, found in given]) if given else float("nan")
    truth = [case.truth is not None for case, *_ in held]
    auc = roc_auc_score(truth, [p for _, _, p, _ in held])
    strangers = [m for case, _, p, m in held if case.truth is None]
    return [
        str(len(matched)),
        f"{np.mean(errors <= 1):.0%}",
        f"{np.median(errors):.3f}",
        f"{np.mean([p >= 0.9 for _, _, p, _ in matched]):.0%}",
        f"{right:.0%} of {len(given)}",
        f"{auc:.3f}",
        f"{np.mean([m < unrelated for *_, m in matched]):.0%} matched, "
        f"{np.mean([m < unrelated for m in strangers]):.0%} not",
    ]


if __name__ == "__main__":
    tyro.cli(main)
