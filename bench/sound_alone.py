"""Sound alone: what does `align` say of two recordings whose pictures show nothing?

    python bench/sound_alone.py [--cases 10] [--page]

The made-up recordings of bench/sound.py (other seeds), in files whose pictures are still and alike: only sound can
tell. Each pair is given to `align` as it is, and each room's file to another event's head file. It prints how often
*in step* is said, how often that is right (within 0.1 s), and how often it is said of two events; intervals are Clopper
and Pearson's. The last row is a file against itself. `--page` writes a section of docs/results/sound.md.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import tyro

from actor_observer.alignment.align import align
from actor_observer.alignment.result import Alignment
from actor_observer.evaluation.statistics.shares import share_interval
from page import write_section
from sound_made import KINDS, Case, make_case

SEED, RIGHT = 5000, 0.1


def main(cases: int = 10, page: bool = False) -> None:
    lines = [
        "| pictures still | pairs | *in step* (%) | right when said | two events, *in step* |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as name:
        for kind in KINDS:
            made = [make_case(Path(name), kind, SEED + number) for number in range(cases)]
            told = [(case, align(case.third, case.first)) for case in made]
            others = [align(made[n].third, made[n - 1].first) for n in range(len(made))]
            lines.append(row(kind, told, others))
            print(lines[-1], flush=True)
        same = align(made[0].third, made[0].third)
    itself = f"{same.verdict}, {same.confidence:.2f} | off by {abs(same.offset):.4f} s"
    lines.append(f"| a file against itself | 1 | {itself} | |")
    text = "\n".join(lines)
    print(text)
    if page:
        write_section("sound-alone", f"## Sound alone\n\n{text}", f"python bench/sound_alone.py --cases {cases} --page")


def row(kind: str, told: list[tuple[Case, Alignment]], others: list[Alignment]) -> str:
    sure = [(case, one) for case, one in told if one.verdict == "in step"]
    right = sum(case.error(one.offset, one.rate) <= RIGHT for case, one in sure)
    said = share_interval([one.verdict == "in step" for _, one in told], [1] * len(told))
    false = sum(one.verdict == "in step" for one in others)
    return f"| {kind}, 0 dB | {len(told)} | {said.percent()} | {right} of {len(sure)} | {false} of {len(others)} |"


if __name__ == "__main__":
    tyro.cli(main)
