"""How long `make demo` takes, stage by stage, after the set-up: an empty folder, an empty feature cache, a second run.

    python bench/demo.py [--no-again] [--out demo.json]

Each stage has its seconds on the wall and its CPU seconds over all cores: run it on a machine that does nothing else,
or go by the CPU seconds. The goal is four minutes on two cores.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tyro
from rich.console import Console
from rich.table import Table

SCRIPT = Path(__file__).parents[1] / "scripts" / "run_demo.py"
GOAL = 240  # seconds

Stages = dict[str, tuple[float, float]]  # stage -> seconds on the wall, CPU seconds


def main(again: bool = True, out: Path | None = None) -> None:
    """Time the demo, and with `again` the same command once more."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {"empty folder": run(Path(folder))}
        if again:
            runs["called again"] = run(Path(folder))
    columns = [f"{name}, {kind}" for name in runs for kind in ("wall", "CPU")]
    table = Table("seconds", *columns, title=f"make demo, {os.cpu_count()} cores")
    for stage in runs["empty folder"]:
        table.add_row(stage, *(f"{seconds:.1f}" for stages in runs.values() for seconds in stages[stage]))
    Console(width=120).print(table)
    whole = runs["empty folder"]["whole process"][0]
    print(f"goal: {GOAL} s; {'reached' if whole <= GOAL else 'missed'}")
    if out is not None:
        out.write_text(json.dumps(runs, indent=1))


def run(folder: Path) -> Stages:
    """Seconds of each stage, and of the whole process; the stages' own output goes to stderr."""
    times, start, before = folder / "times.json", time.perf_counter(), os.times()
    command = [sys.executable, str(SCRIPT), "--out", str(folder / "demo"), "--times", str(times)]
    subprocess.run(command, check=True, stdout=sys.stderr)
    stages: Stages = {name: (wall, work) for name, (wall, work) in json.loads(times.read_text()).items()}
    whole, after = time.perf_counter() - start, os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return {**stages, "whole process": (round(whole, 1), round(work, 1))}


if __name__ == "__main__":
    tyro.cli(main)
