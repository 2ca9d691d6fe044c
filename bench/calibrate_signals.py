"""What is a signal worth beside cameras and other signals? Fit on episodes whose clocks are known, judge on folds.

    python bench/gyro_set.py GYRO --split validation --events 8 --seed 4100
    python bench/calibrate_signals.py KINOVA GYRO [--cuts 8] [--folds] [--dry]

Clips are cut at random out of Kinova's training part and, for two signals, of rendered events (bench/signal_sets.py),
matched and mismatched. Cameras are fitted on robots alone: that serves rendered gyroscopes as well
(docs/results/signals.md), while a fit on both is less sure of robots. Everything else is as in
bench/calibrate_align.py, whose functions these are; `--folds` judges on episodes that were not fitted on, and takes
five times as long. Written into the box's `alignment.json` beside what is there about cameras.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.alignment.calibration import SIGNAL_NAMES, ViewsCalibration, load_calibration
from actor_observer.model.pretrained import BOX
from calibrate_align import fit, fit_and_judge
from known_cuts import case_of
from signal_sets import cuts_of, kinova, rendered

# Signals have been fitted with these alone; the two that cameras are judged by were not tried.
FIGURES = ("mass", "strength", "lead", "agree", "each")


def main(
    kinova_folder: Positional[Path],
    gyro_folder: Positional[Path | None] = None,
    cuts: int = 8,
    folds: bool = False,
    dry: bool = False,
) -> None:
    """Cut, weigh, fit, judge, write."""
    sets = {"kinova": kinova(kinova_folder, "train")}
    if gyro_folder:
        sets["rendered"] = rendered(gyro_folder, "validation")
    found: dict[str, ViewsCalibration] = {}
    for sources, title in SIGNAL_NAMES.items():
        cases = []
        for name, episodes in sets.items():
            if name == "rendered" and sources[0] != "signal":
                continue
            many = cuts if len(episodes) > 12 else 3 * cuts
            drawn = cuts_of(episodes, sources, many, seed=1)
            cases += [case_of(name, cut) for cut in drawn]
        found[title] = fit_and_judge(title, cases, FIGURES)[0] if folds else fit(cases, FIGURES)
        print(f"\n{title}: {found[title]}", file=sys.stderr, flush=True)
    if not dry:
        known = load_calibration()
        names = " ".join(folder.name for folder in (kinova_folder, gyro_folder) if folder)
        told = f"bench/calibrate_signals.py {names} --cuts {cuts}"
        path = replace(known, views={**known.views, **found}, signals=told).write(BOX)
        print(f"\nwritten: {path.name}", file=sys.stderr)


if __name__ == "__main__":
    tyro.cli(main)
