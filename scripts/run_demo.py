"""The demo: train `quick` on the small playhouse set, judge it, draw it, and print the result.

    make demo
    python scripts/run_demo.py [--out runs/demo] [--times FILE]

Offline, without a GPU and without a renderer. Called again, it continues where it stopped, or repeats the last stages.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tyro

from actor_observer.console import progress, screen
from actor_observer.features.cache import content_hash
from actor_observer.features.judged_data import JudgedData
from actor_observer.model.pretrained import BOX
from actor_observer.pictures.report.headline import headline, headline_in_terminal, in_words
from actor_observer.pictures.report.report import write_report
from actor_observer.training import as_yaml, recipe_named, train
from actor_observer.training.evaluate import evaluate_runs

MINI = Path(__file__).parents[1] / "src" / "actor_observer" / "playhouse" / "mini"
MARK = "demo.txt"  # says what a demo folder was made from


def main(out: Path = Path("runs/demo"), times: Path | None = None) -> None:
    """Run every stage; `times` is a JSON file for the seconds of each."""
    data, cache, recipe = out / "playhouse-mini", out / "cache", recipe_named("quick")
    clock = Clock()
    with clock.stage("copy the data"):
        prepare(out, data, made_from=as_yaml(recipe) + fingerprint(MINI))
    with clock.stage("train quick"):
        train(recipe, data, out, cache=cache)
    judged = JudgedData(data, cache=cache, bar=progress)
    with clock.stage("evaluate"):
        verdict = evaluate_runs([out, BOX], judged)
        verdict.write(out)
    with clock.stage("draw and write the report"):
        page = write_report(out, judged)
    short = headline(verdict.tables)
    screen().print(headline_in_terminal(short))
    for name in (recipe.name, "model in the box"):
        print(f"{name}: {in_words(short, name)}")
    print(f"{sum(clock.seconds.values()):.0f} s; all tables: {out / 'tables.md'}; the page to open: {page}")
    if times is not None:
        times.write_text(json.dumps(clock.seconds))


def prepare(out: Path, data: Path, made_from: str) -> None:
    """Prepare the demo's folder and its data; start over if it was made from other data or another recipe."""
    mark, print_of = out / MARK, hashlib.sha256(made_from.encode()).hexdigest()
    if mark.is_file() and mark.read_text() != print_of:
        shutil.rmtree(out)  # the mark says that it is ours
    out.mkdir(parents=True, exist_ok=True)
    if not data.is_dir():
        part = out / ".playhouse-mini.part"
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(MINI, part)
        part.rename(data)  # all of it, or nothing
    mark.write_text(print_of)


def fingerprint(folder: Path) -> str:
    """A short hash of a folder's names and contents."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{path.relative_to(folder)} {content_hash(path)}\n" for path in files)


class Clock:
    """How long each stage took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 1)


if __name__ == "__main__":
    tyro.cli(main)
