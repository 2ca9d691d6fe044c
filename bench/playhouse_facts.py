"""How wrong scaled time is, how fast a set is made, how many frames are spoilt (docs/results/rendered.md).

python bench/playhouse_facts.py [--pairs 12] [--workers 2]
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from actor_observer.pairs.clock import Clock
from actor_observer.playhouse import SetPlan, make, plan_set
from actor_observer.playhouse.truth_files import CAUSE_NAMES, read_truth


def misalignment(plan: SetPlan, tempo: str) -> None:
    """The error of scaled time against the exact clock, in third-person seconds, where both takes show the same."""
    wrong, lengths = [], []
    for pair in plan.pairs:
        scaled, times = Clock.scaled(pair.third.length, pair.first.length), np.linspace(0, pair.third.length, 200)
        times = times[pair.clock().in_both(times)]
        wrong.append(np.abs(scaled.to_third(pair.clock().to_first(times)) - times))
        lengths += [pair.third.length, pair.first.length]
    errors = np.concatenate(wrong)
    steps = Counter(len(pair.third.script.steps) for pair in plan.pairs)
    wrongness = f"{np.median(errors):.2f} s (median), {errors.mean():.2f} s (mean)"
    print(f"{len(plan.pairs)} pairs, {tempo}: scaled time is wrong by {wrongness}")
    print("lengths, 5 / 50 / 95 %:", " / ".join(f"{x:.1f} s" for x in np.percentile(lengths, [5, 50, 95])))
    print("actions in a script:", dict(sorted(steps.items())))


def spoilt(folder: Path) -> None:
    """Shares of frames that show nothing useful, by cause and view."""
    for view in ("third", "first"):
        paths = [path for path in sorted(folder.glob("truth/*.npz")) if path.stem.endswith("EGO") == (view == "first")]
        truths = [read_truth(path) for path in paths]
        causes = np.concatenate([truth["cause"] for truth in truths])
        shares = {
            CAUSE_NAMES[i]: f"{np.mean(causes == i):.1%}" for i in range(1, len(CAUSE_NAMES)) if (causes == i).any()
        }
        seen = [
            np.concatenate([truth[name] for truth in truths]).mean() for name in ("hands_visible", "object_visible")
        ]
        print(f"{view}: {np.mean(causes > 0):.1%} of {len(causes)} frames are not informative: {shares}")
        print(f"{view}: hands visible in {seen[0]:.0%}, object in use in {seen[1]:.0%} of all frames")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for tempo in ("steady", "free"):
        misalignment(plan_set(pairs=400, seed=1, different=(), tempo=tempo), tempo)
    with tempfile.TemporaryDirectory() as folder:
        made = make(Path(folder), pairs=options.pairs, seed=1, workers=options.workers, quiet=True, tempo="steady")
        speed = f"{made.frames_per_second:.0f} frames/s with {options.workers} workers"
        print(f"{made.takes} takes, {made.frames} frames: {speed}")
        spoilt(Path(folder))


if __name__ == "__main__":
    main()
