"""What do the engines of docs/scale.md add to a set-up for development?

    python bench/setup_time.py [--rounds 1]

New environments in a temporary folder, with what `make setup` installs: without faiss, LanceDB, Ray and moto, and with
them, in turns. Nothing comes from pip's cache, so the time is mostly that of your package mirror and your disk.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import tyro

ROOT = Path(__file__).parents[1]
ENGINES = {"faiss-cpu", "lancedb", "ray", "moto", "flask", "flask-cors"}  # flask: of moto's server


def requirements(engines: bool) -> list[str]:
    """What `make setup` installs, with or without the engines."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dev"], *extras["sim"]]
    return [line for line in wanted if engines or re.split(r"[^\w-]", line)[0] not in ENGINES]


def set_up(wanted: list[str]) -> tuple[float, float, int]:
    """Seconds by the clock, seconds of cores, and bytes on disk."""
    with tempfile.TemporaryDirectory() as name:
        start, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-m", "venv", name], check=True)
        pip = [f"{name}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
        subprocess.run([*pip, *wanted], check=True, stderr=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - start, os.times()
        cores = after.children_user + after.children_system - before.children_user - before.children_system
        size = sum(path.stat().st_size for path in Path(name).rglob("*") if path.is_file() and not path.is_symlink())
    return seconds, cores, size


def main(rounds: int = 1) -> None:
    for number in range(1, rounds + 1):
        for name, engines in (("without", False), ("with", True)):
            seconds, cores, size = set_up(requirements(engines))
            told = f"{seconds:.0f} s, {cores:.0f} s of cores, {size / 1e6:.0f} MB"
            print(f"round {number}, {name} the engines: {told}", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
