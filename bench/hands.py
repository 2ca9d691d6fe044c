"""How good the palm detector is against rendered truth: precision and recall, over every so many seconds of all takes.

    python bench/hands.py [DATA] [--every 2] [--no-write]

DATA is a playhouse set (the small set if not given): its truth says in which frames a hand can be seen. Nothing is
fitted, so all splits count; intervals are over takes. The threshold is the detector's own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.answers.hands.detector import SIDE, PalmDetector
from actor_observer.answers.hands.statistic import SURE
from actor_observer.console import progress
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.selector_truth import auc
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.frames.at import frames_at
from actor_observer.pairs import read_manifest
from actor_observer.pairs.manifest import VIEWS
from actor_observer.playhouse import MINI
from actor_observer.sampling.windows import frame_times
from page import write_section

DOCS = Path(__file__).parent.parent / "docs"


def main(data: Positional[Path] = MINI, every: float = 2.0, write: bool = True) -> None:
    manifest, truth, detector = read_manifest(data), find_truth(data), PalmDetector()
    assert truth is not None, "only a playhouse set has truth"
    lines = ["| | frames (takes) | hands in (truth) | hands in (detector) | precision | recall | AUC |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for view in VIEWS:
        sure, real, whose = [], [], []
        takes = [take for take in manifest.takes.values() if take.view == view]
        with progress(f"{view} person", len(takes)) as each:
            for number, take in enumerate(takes):
                times = frame_times(take.length, 1 / every)
                seen = truth.at(take.id, times, "hands_visible")
                each()
                if seen is None:
                    continue
                sure.append(detector(frames_at(take, times.tolist(), size=SIDE)))
                real.append(seen.astype(bool))
                whose.append(np.full(len(times), number))
        score, hand, video = (np.concatenate(column) for column in (sure, real, whose))
        names, video = np.unique(video, return_inverse=True)
        found = score >= SURE

        def share(of: np.ndarray, among: np.ndarray, video: np.ndarray = video, count: int = len(names)) -> str:
            """The share of `among` that is `of`, with its interval over takes."""
            sums, sizes = (np.bincount(video, one, count) for one in ((of & among).astype(float), among.astype(float)))
            return share_interval(sums, sizes).percent()

        every_frame = np.ones(len(hand), dtype=bool)
        shares = (share(hand, every_frame), share(found, every_frame), share(hand, found), share(found, hand))
        cells = [f"{len(hand)} ({len(names)})", *(f"{one} %" for one in shares), f"{auc(score, hand):.2f}"]
        lines.append(f"| {view} person | {' | '.join(cells)} |")
    print("\n".join(lines))
    if write:
        write_section("hands", "\n".join(lines), "python bench/hands.py", DOCS)


if __name__ == "__main__":
    tyro.cli(main)
