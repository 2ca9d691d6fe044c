"""How long does a set-up take, and how much of it is for the demo, for development, for the engines of docs/scale.md?

    python bench/setup_time.py [--rounds 1] [--only demo]

New environments in a temporary folder: with what `make demo` installs (as it does, without compiling), with what
`make setup` installs but faiss, LanceDB, Ray and moto, and with all of it, in turns. Nothing comes from pip's cache,
so the time is mostly that of your package mirror and your disk. Of the first it lists the largest packages: that is
what a plain installation brings.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import tyro

ROOT = Path(__file__).parents[1]
ENGINES = {"faiss-cpu", "lancedb", "ray", "moto", "flask", "flask-cors"}  # flask: of moto's server
LARGEST = 12  # packages that are listed
Kind = Literal["demo", "without the engines", "everything"]


def requirements(kind: Kind) -> list[str]:
    """What `make demo` or `make setup` installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *([] if kind == "demo" else [*extras["dev"], *extras["sim"]])]
    return [line for line in wanted if kind == "everything" or re.split(r"[^\w-]", line)[0] not in ENGINES]


def set_up(kind: Kind) -> tuple[float, float, int, list[str]]:
    """Seconds by the clock, seconds of cores, bytes on disk, and the largest packages."""
    with tempfile.TemporaryDirectory() as name:
        start, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-m", "venv", name], check=True)
        pip = [f"{name}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
        more = ["--no-compile"] if kind == "demo" else []
        subprocess.run([*pip, *more, *requirements(kind)], check=True, stderr=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - start, os.times()
        cores = after.children_user + after.children_system - before.children_user - before.children_system
        (site,) = Path(name).glob("lib/python*/site-packages")
        sizes = {place.name.removesuffix(".libs"): 0 for place in site.iterdir()}
        for place in site.iterdir():  # a package's libraries are its own
            sizes[place.name.removesuffix(".libs")] += _size([place] if place.is_file() else place.rglob("*"))
        listed = sorted(sizes, key=lambda one: -sizes[one])[:LARGEST]
        return seconds, cores, _size(Path(name).rglob("*")), [f"{one} {sizes[one] / 1e6:.0f}" for one in listed]


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.is_file() and not path.is_symlink())


def main(rounds: int = 1, only: Kind | None = None) -> None:
    """Print a line for each set-up."""
    kinds: tuple[Kind, ...] = ("demo", "without the engines", "everything")
    for number in range(1, rounds + 1):
        for kind in [only] if only else kinds:
            seconds, cores, size, largest = set_up(kind)
            told = f"{seconds:.0f} s, {cores:.0f} s of cores, {size / 1e6:.0f} MB"
            print(f"round {number}, {kind}: {told}", flush=True)
            if kind == "demo":
                print(f"  MB each: {', '.join(largest)}", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
