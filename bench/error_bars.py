"""How often do error bars of a room and a head camera cover real people's truth, by what is always added to them?

    python bench/error_bars.py PEOPLE [--added 0.07 0.12]

PEOPLE is what bench/real_motion_set.py made of the wearers that were fitted on. Their clocks are known to 0.1 s only;
here they are taken as exact. Right clocks are within half a second. By motion alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

import known_cuts
from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.compare import Comparer
from align_events import RIGHT, error_of


def main(
    people: Positional[Path], added: tuple[float, ...] = (0.0, 0.07, 0.12, 0.15, 0.2), cuts: int = 120, seed: int = 1
) -> None:
    """Cut, compare, print."""
    known_cuts.WIDE, comparer = 0.0, Comparer()
    told = []
    for cut in known_cuts.pairs_of(known_cuts.open_set(people), ("third", "first"), cuts, seed, 0):
        assert cut.truth is not None
        found = comparer.compare(cut.one, cut.other)
        if (off := error_of(found, cut.truth)) <= RIGHT:
            told.append((off, found.belief))
    fitted = load_calibration().of("third", "first")
    print("| always added (s) | right cuts | covered (%) |\n|---|---|---|")
    for seconds in added:
        one = replace(fitted, width=(*fitted.width[:2], seconds))
        covered = np.mean([off <= one.error_of(belief) for off, belief in told])
        print(f"| {seconds:g} | {len(told)} | {100 * covered:.0f} |")


if __name__ == "__main__":
    tyro.cli(main)
