"""Sound alone: what does `align` say of two recordings whose pictures show nothing?

    python bench/sound_alone.py [--cases 10] [--page]

The made-up recordings of bench/sound.py (other seeds), in files whose pictures are still and alike: only sound can
tell. Each pair is given to `align` as it is, and each room's file to another event's head file. It prints how often
*in step* is said, how often that is right (within 0.1 s), and how often it is said of two events; intervals are Clopper
and Pearson's. The last row is one track in two files. `--page` writes a section of docs/results/sound.md.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import tyro

from actor_observer.alignment.align import align
from actor_observer.alignment.result import Alignment
from actor_observer.evaluation.statistics.shares import share_interval
from figures import keep
from page import write_section
from sound_made import KINDS, RATE, Case, make_case, make_source
from tiny_sound import write_sounding

SEED, RIGHT = 5000, 0.1
LATE = 3.0  # seconds


def main(cases: int = 10, page: bool = False) -> None:
    lines = [
        "| pictures still | pairs | *in step* (%) | right when said | two events, *in step* |",
        "|---|---|---|---|---|",
    ]
    said = false = 0
    with tempfile.TemporaryDirectory() as name:
        for kind in KINDS:
            made = [make_case(Path(name), kind, SEED + number) for number in range(cases)]
            told = [(case, align(case.third, case.first)) for case in made]
            others = [align(made[n].third, made[n - 1].first) for n in range(len(made))]
            said += sum(one.verdict == "in step" for _, one in told)
            false += sum(one.verdict == "in step" for one in others)
            lines.append(row(kind, told, others))
            print(lines[-1], flush=True)
        same = align(*identical(Path(name)))
    lines.append(
        f"| the same samples, {LATE:g} s cut off | 1 | {same.verdict}, {same.confidence:.2f} | "
        f"off by {1000 * abs(same.offset - LATE):.1f} ms | |"
    )
    text = "\n".join(lines)
    print(text)
    if page:
        command = f"python bench/sound_alone.py --cases {cases} --page"
        write_section("sound-alone", f"## Sound alone\n\n{text}", command)
        keep("sound.alone.step", f"{said} of {cases * len(KINDS)}", command)
        keep("sound.alone.false", f"{false} of {cases * len(KINDS)}", command)
        keep("sound.alone.same", f"{same.confidence:.2f}", command)


def identical(folder: Path) -> tuple[Path, Path]:
    """One track in two files, the second without its first seconds."""
    track = make_source("speech", np.random.default_rng(SEED), 25.0)
    files = folder / "whole.mp4", folder / "late.mp4"
    write_sounding(files[0], track, RATE)
    write_sounding(files[1], track[round(LATE * RATE) :], RATE)
    return files


def row(kind: str, told: list[tuple[Case, Alignment]], others: list[Alignment]) -> str:
    sure = [(case, one) for case, one in told if one.verdict == "in step"]
    right = sum(case.error(one.offset, one.rate) <= RIGHT for case, one in sure)
    said = share_interval([one.verdict == "in step" for _, one in told], [1] * len(told))
    false = sum(one.verdict == "in step" for one in others)
    return f"| {kind}, 0 dB | {len(told)} | {said.percent()} | {right} of {len(sure)} | {false} of {len(others)} |"


if __name__ == "__main__":
    tyro.cli(main)
