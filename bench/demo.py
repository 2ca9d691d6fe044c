"""How long `make demo` takes, stage by stage, after the set-up: an empty folder, an empty feature cache, a second run.

    python bench/demo.py [--no-again] [--out demo.json]

Run it on a machine that does nothing else; the last row, CPU seconds over all cores, shows how busy it was.
The goal is five minutes on two cores.
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
GOAL = 300  # seconds


def main(again: bool = True, out: Path | None = None) -> None:
    """Time the demo, and with `again` the same command once more."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {"empty folder": run(Path(folder))}
        if again:
            runs["called again"] = run(Path(folder))
    table = Table("seconds", *runs, title=f"make demo, {os.cpu_count()} cores")
    for stage in runs["empty folder"]:
        table.add_row(stage, *(f"{seconds[stage]:.1f}" for seconds in runs.values()))
    Console(width=100).print(table)
    whole = runs["empty folder"]["whole process"]
    print(f"goal: {GOAL} s; {'reached' if whole <= GOAL else 'missed'}")
    if out is not None:
        out.write_text(json.dumps(runs, indent=1))


def run(folder: Path) -> dict[str, float]:
    """Seconds of each stage, and of the whole process; the stages' own output goes to stderr."""
    times, start, before = folder / "times.json", time.perf_counter(), os.times()
    command = [sys.executable, str(SCRIPT), "--out", str(folder / "demo"), "--times", str(times)]
    subprocess.run(command, check=True, stdout=sys.stderr)
    stages: dict[str, float] = json.loads(times.read_text())
    whole, after = time.perf_counter() - start, os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return {**stages, "whole process": round(whole, 1), "CPU seconds, over all cores": round(work, 1)}


if __name__ == "__main__":
    tyro.cli(main)
