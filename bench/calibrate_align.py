"""What is each kind of evidence for one event worth, and when may `align` say that it is sure? Fit, and judge on folds.

    python bench/motion_set.py DATA MOTION                                    # once for each set: motion without videos
    python bench/calibrate_align.py MOTION... [--cuts 3] [--strangers 3] [--known-to SET=0.1] [--dry] [--picture PNG]

Each MOTION is a folder that bench/motion_set.py made, of a set whose clocks are known: rendered events of validation
homes, the training part of real recordings. Clips are cut at random (bench/known_cuts.py), matched and mismatched, for
every pair of views; the belief in them is that of `align` itself (`actor_observer.alignment.belief`). Events are dealt
into folds: every figure printed is of events that were not fitted on. A second table leaves whole sets out. What is
written into the box (`alignment.json`) is fitted on all of them.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import tyro
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score
from tyro.conf import Positional

from actor_observer.alignment.belief import Belief
from actor_observer.alignment.calibration import NAMES, EventCalibration, ViewsCalibration
from actor_observer.alignment.curve import Curve, add_up
from actor_observer.alignment.figures import Figures, figures_of
from actor_observer.console import progress
from actor_observer.model.pretrained import BOX
from actor_observer.pairs.manifest import VIEWS, View
from fitting import for_fitting
from known_cuts import Case, cases_of

Array = NDArray[np.float64]
FOLDS = 4
RIGHT = 0.5  # seconds
# Each by two figures alone: of a set that was left out of the fit they told more than five, which knew how many kinds
# of evidence agree in the worlds they were fitted on. Between two room cameras some offset stands out by chance more
# easily in some sets than in others: how good the best of the others are is known of each curve.
FIGURES: dict[tuple[View, View], tuple[str, ...]] = {
    ("third", "first"): ("stands", "holds"),
    ("third", "third"): ("ahead", "weakest"),
    ("first", "first"): ("ahead", "weakest"),
}
SURE = 0.9
FEW = 10  # right cuts of a set: with fewer, error bars are not fitted on it
SHARED = 0.3  # see alignment/joint.py; the least tried that keeps strangers and events apart in `bench/align.py groups`
KNOWN_TO: dict[str, float] = {}  # seconds: how well the clocks of a set are known; others exactly
# Seconds: real heads do not turn at the instant at which the body is seen to move. Robots and rendered people do, and
# the clocks of the real people are known only to 0.1 s, so a fit alone would make error bars too short. With this, the
# bars of wearers 1, 3 and 5 cover most of the right cuts also where clocks are taken as exact (bench/error_bars.py).
HEAD_AND_BODY = 0.12
SPARSE = 0.02  # per unit of weight: a channel must earn its place
LEAST_WEIGHT = 0.02
# Motion sets have no pictures. What the network sees keeps the weights that were fitted on rendered validation homes
# and robots, pictures included, when it was last trained.
SIGHT = {"features": 0.5416, "likeness": 0.8038}
HEAD = (
    "| set | cuts | within 1 s | median (s) | in step | right | strangers in step | AUC | error bar covers |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, eq=False)
class Held:
    """A case that was not fitted on, and what is believed of it."""

    case: Case
    belief: Belief
    matched: float
    error: float  # seconds: the error bar

    @property
    def right(self) -> bool:
        return self.case.truth is not None and self.off <= RIGHT

    @property
    def off(self) -> float:
        """Seconds between the clock and the truth, at the middle of the other clip."""
        return abs(self.belief.to_one(self.case.lengths[1] / 2) - self.case.lengths[1] / 2 - (self.case.truth or 0.0))

    @property
    def beyond(self) -> float:
        """The same, less what is not known about the truth itself."""
        return max(0.0, self.off - KNOWN_TO.get(self.case.set, 0.0))


def main(
    motion: Positional[tuple[Path, ...]],
    cuts: int = 3,
    strangers: int = 3,  # mismatched cuts for each matched one; they count as much as those, however many
    dry: bool = False,
    picture: Path | None = None,
    known_to: tuple[str, ...] = (),  # SET=SECONDS: how well the clocks of a set are known
    seed: int = 1,
) -> None:
    """Cut, weigh, fit, judge, write."""
    KNOWN_TO.update({name: float(seconds) for name, _, seconds in (one.partition("=") for one in known_to)})
    found: dict[str, ViewsCalibration] = {}
    told: list[Held] = []
    sets = {folder.name: for_fitting(folder) for folder in motion}
    for views, title in NAMES.items():
        cases: list[Case] = []
        with progress(f"{title}: cuts", len(sets)) as step:
            for name, films in sets.items():
                cases += cases_of(name, films, views, cuts if len(films) > 3 else 15 * cuts, seed, strangers)
                step()
        fitted, held = fit_and_judge(title, cases, FIGURES[views])
        found[title] = with_sight(fitted) if views == VIEWS else fitted
        told += held
    print_reliability(told, picture)
    if not dry:
        known = f" --known-to {' '.join(known_to)}" if known_to else ""
        given = f"--cuts {cuts} --strangers {strangers}{known}"
        command = f"bench/calibrate_align.py {' '.join(folder.name for folder in motion)} {given}"
        print(f"\nwritten: {EventCalibration(found, SURE, SHARED, command).write(BOX).name}", file=sys.stderr)


def with_sight(fitted: ViewsCalibration) -> ViewsCalibration:
    """Of a room and a head camera: also what the network sees, and error bars that know of heads and bodies."""
    spreads, jumps, always = fitted.width
    width = spreads, jumps, max(always, HEAD_AND_BODY)
    return replace(fitted, weights={**fitted.weights, **SIGHT}, width=width)


def fit_and_judge(title: str, cases: Sequence[Case], by: Sequence[str]) -> tuple[ViewsCalibration, list[Held]]:
    """Judge on folds and on sets left out, print both; what is fitted on everything."""
    names = sorted({case.set for case in cases})
    fold = np.array([case.event % FOLDS for case in cases])
    parts = [("some events of every set left out", fold)]
    if len(names) > 1:
        parts.append(("fitted on the other sets", np.array([names.index(case.set) for case in cases])))
    first: list[Held] = []
    for what, part in parts:
        held = left_out(cases, part, by)
        first = first or held
        print(f"\n**{title}: {what}**\n\n{HEAD}")
        for name in names:
            print(f"| {name} | " + " | ".join(row([one for one in held if one.case.set == name])) + " |", flush=True)
    return fit(cases, by), first


def left_out(cases: Sequence[Case], part: NDArray[np.int64], by: Sequence[str]) -> list[Held]:
    """Each part of the cases (N,) judged by what was fitted on all the others; a part alone is fitted on itself."""
    held = []
    for number in np.unique(part):
        others = [case for case, own in zip(cases, part, strict=True) if own != number] or list(cases)
        fitted = fit(others, by)
        for case in (case for case, own in zip(cases, part, strict=True) if own == number):
            belief = fitted.believe(curve_of(case, fitted.weights))
            held.append(Held(case, belief, fitted.matched(belief), fitted.error_of(belief)))
    return held


def fit(cases: Sequence[Case], by: Sequence[str]) -> ViewsCalibration:
    """Everything that `align` needs to know about two views; `by`: the figures that curves are judged by."""
    weights = fit_weights([case for case in cases if case.truth is not None])
    curves = [curve_of(case, weights) for case in cases]
    figures = [figures_of(curve) for curve in curves]
    nothing = (0.0,) * (1 + len(Figures._fields))
    plain = ViewsCalibration(weights, nothing, nothing, 0.0, (1.0, 0.0, 0.0))
    beliefs = [plain.believe(curve) for curve in curves]
    held = [Held(case, belief, 0.0, 0.0) for case, belief in zip(cases, beliefs, strict=True)]
    right, matched = np.array([one.right for one in held]), np.array([case.truth is not None for case in cases])
    balance = set_weights(cases)
    step, match = (logistic(figures, truth, balance, by) for truth in (right, matched))
    rough = ViewsCalibration(weights, step, match, 0.0, (1.0, 0.0, 0.0))
    final = [Held(case, rough.believe(curve), 0.0, 0.0) for case, curve in zip(cases, curves, strict=True)]
    chances = [rough.matched(one.belief) for one in final if one.case.truth is not None]
    # Below half of what 99 % of the matched pairs get: absence of evidence is no evidence against.
    return ViewsCalibration(weights, step, match, 0.5 * float(np.quantile(chances, 0.01)), width_of(final))


def set_weights(cases: Sequence[Case]) -> Array:
    """Every set counts alike, and in it those that match and those that do not, however many there are."""
    groups = [(case.set, case.truth is None) for case in cases]
    counts = Counter(groups)
    return np.array([len(cases) / len(counts) / counts[group] for group in groups])


def curve_of(case: Case, weights: Mapping[str, float]) -> Curve:
    """What the channels of a case add up to."""
    parts: dict[str, Array] = {}
    for (kind, channel), scores in zip(case.channels, case.scores, strict=True):
        before = parts.setdefault(kind, np.zeros((len(case.middles), case.lags.count)))
        parts[kind] = before + weights.get(channel, 0.0) * scores
    return add_up(parts, (), case.middles, case.lags, case.lengths, dict.fromkeys(parts, "motion"), same_speed=True)


def fit_weights(cases: Sequence[Case], steps: int = 200) -> dict[str, float]:
    """The weights (none below 0) under which the true offset is most likely among all, in every set alike."""
    names = sorted({channel for case in cases for _, channel in case.channels})
    place, balance = {name: number for number, name in enumerate(names)}, set_weights(cases)
    data = []
    for case, share in zip(cases, balance, strict=True):
        usual = curve_of(case, {}).usual()[0]
        near = torch.from_numpy(np.abs(case.lags.offsets - float(case.truth or 0.0)) <= RIGHT)
        if near.any():
            rows = torch.tensor([place[channel] for _, channel in case.channels])
            scores = torch.from_numpy(case.scores.sum(axis=1))  # (K, L)
            data.append((rows, scores, torch.from_numpy(usual).float(), near, float(share)))
    raw = torch.full((len(names),), -3.0, requires_grad=True)
    optimiser = torch.optim.Adam([raw], 0.1)
    for _ in range(steps):
        optimiser.zero_grad()
        weight = torch.nn.functional.softplus(raw)
        loss = SPARSE * weight.sum()
        for rows, scores, usual, here, share in data:
            total = weight[rows] @ scores + usual
            loss = loss - share * (torch.logsumexp(total[here], 0) - torch.logsumexp(total, 0)) / len(data)
        loss.backward()
        optimiser.step()
    found = torch.nn.functional.softplus(raw).tolist()
    return {name: round(weight, 4) for name, weight in zip(names, found, strict=True) if weight >= LEAST_WEIGHT}


def logistic(
    figures: Sequence[Figures], truth: NDArray[np.bool_], balance: Array, by: Sequence[str]
) -> tuple[float, ...]:
    """A bias and a factor for each figure, 0 for those that are not used; more of a figure never speaks against."""
    used = [Figures._fields.index(name) for name in by]
    x, y, share = (torch.tensor(np.array(some), dtype=torch.float64) for some in (figures, truth, balance))
    x = x[:, used]
    raw, bias = torch.full((x.shape[1],), -2.0, dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    raw.requires_grad_(), bias.requires_grad_()
    optimiser = torch.optim.LBFGS([raw, bias], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        factor = torch.nn.functional.softplus(raw)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ factor + bias, y, share)
        loss = loss + 1e-3 * factor.square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    factors = torch.zeros(len(Figures._fields), dtype=torch.float64)
    factors[used] = torch.nn.functional.softplus(raw).detach()
    return tuple(round(float(one), 5) for one in (bias.detach(), *factors))


def width_of(held: Sequence[Held]) -> tuple[float, float, float]:
    """Spreads, jumps and seconds with which error bars cover the truth in 95 % of the right cuts of every set.

    The shortest such bars. Believed or not, all right cuts count: otherwise real people, whose heads and bodies do not
    move at the same instant, would hardly be among them.
    """
    right = [one for one in held if one.right]
    sets = [name for name, many in Counter(one.case.set for one in right).items() if many >= FEW]
    if all(name in KNOWN_TO for name in sets):  # nothing shows how short they may be
        return 3.0, 2.0, 0.1
    off, spread, jumps = np.array([(one.beyond, one.belief.spread, one.belief.jumps) for one in right]).T
    of = {name: np.array([one.case.set == name for one in right]) for name in sets}
    best = (np.inf, 3.0, 2.0, 0.1)
    for always, jumped in itertools.product(np.linspace(0.005, 0.2, 40), (0.0, 1.0, 2.0, 3.0)):
        for spreads in np.linspace(0.25, 8.0, 32):
            bars = np.sqrt((spreads * spread) ** 2 + (jumped * jumps) ** 2 + always**2)
            if all(np.mean(off[some] <= bars[some]) >= 0.95 for some in of.values()):
                long = float(np.mean([np.log(bars[some]).mean() for some in of.values()]))
                best = min(best, (long, float(spreads), jumped, float(always)))
                break
    return round(best[1], 3), best[2], round(best[3], 3)


def row(held: Sequence[Held]) -> list[str]:
    matched = [one for one in held if one.case.truth is not None]
    strangers = [one for one in held if one.case.truth is None]
    off = np.array([one.off for one in matched])
    said = [one for one in matched if one.belief.confidence >= SURE]
    false = sum(one.belief.confidence >= SURE for one in strangers)
    truth = [one.case.truth is not None for one in held]
    auc = roc_auc_score(truth, [one.belief.confidence for one in held]) if len(set(truth)) > 1 else float("nan")
    return [
        str(len(matched)),
        f"{np.mean(off <= 1):.0%}",
        f"{np.median(off):.3f}",
        f"{len(said) / max(1, len(matched)):.0%}",
        f"{sum(one.right for one in said)} of {len(said)}",
        f"{false} of {len(strangers)}",
        f"{auc:.3f}",
        f"{np.mean([float(one.beyond <= one.error) for one in said if one.right] or [np.nan]):.0%}",
    ]


def print_reliability(held: Sequence[Held], picture: Path | None) -> None:
    """The confidence that was said, the share that was right, and how many, in bins of confidence."""
    bins = []
    print("\nreliability, all sets and views: said, right, cuts")
    for low, high in itertools.pairwise((0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.001)):
        some = [(one.belief.confidence, one.right) for one in held if low <= one.belief.confidence < high]
        if some:
            bins.append((float(np.mean([p for p, _ in some])), float(np.mean([r for _, r in some])), len(some)))
            print("  {:.2f}  {:.2f}  {}".format(*bins[-1]))
    if picture:
        draw_reliability(bins, picture)


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
    print(f"written: {path}", file=sys.stderr)


if __name__ == "__main__":
    tyro.cli(main)
