"""The demo: learn from real footage, adapt the model in the box, and show what came of it.

    make demo
    python scripts/run_demo.py [--out runs/demo] [--times FILE]

1. `quick-short` learns from the robot pairs that come with the package, and is judged on episodes it never saw.
2. Homes of the small rendered set: `quick` from scratch on ImageNet's features, and on those of the model in the box;
   then the box itself is adapted (`quick --init box`). What adapting changed is told video by video.
3. A table, a picture (alignment.png) and a page (report.html).

Offline, without a GPU and without a renderer. Run it again and it continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import tyro

from actor_observer.console import progress, screen
from actor_observer.evaluation.exact_truth import find_truth
from actor_observer.evaluation.methods import Protocol
from actor_observer.evaluation.tables.gain import gain
from actor_observer.features.judged_data import JudgedData
from actor_observer.features.on_disk.cache import content_hash
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Pair
from actor_observer.pictures.figures.placing import place
from actor_observer.pictures.figures.save import save_picture
from actor_observer.pictures.gallery import Plate, alignment_plate
from actor_observer.pictures.opened_run import open_run
from actor_observer.playhouse import MINI
from actor_observer.training import Recipe, as_yaml, recipe_named, train, with_settings
from actor_observer.training.evaluate import embed_runs, evaluate_runs
from demo_page import Shown, in_terminal, sentences, table_of, write_page

MARK = "demo.txt"  # says what a demo folder was made from
SHORT = Protocol(near=0.1, far=1.0, far_share=0.5, moment=1.0, moment_share=0.5, step=1 / 12)  # clips of a few seconds
ROBOT_RATE, HOME_RATE = 12.0, 3.0  # frames a second that are judged: what the recipes learn from
SHOWN = 2.0  # seconds: shorter clips have little to look at
QUICK = ("labelled_share=0",)  # no classifier: the demo is about moments
NEW_HEADS = (  # the box's backbone, and heads of its widths that know nothing
    *(*QUICK, f"init={BOX}", "name=new heads", "size=160", "epochs=20"),
    *("network.context_size=96", "network.projection_hidden=192"),
)
ADAPT = (*QUICK, "init=box", "name=box, adapted", "epochs=20", "optimiser.lr=3e-4", "objective=soft-dtw")


def main(out: Path = Path("runs/demo"), times: Path | None = None) -> None:
    """Run every stage; `times` is a JSON file for the seconds of each, wall and CPU."""
    robots = recipe_named("quick-short")
    quick, heads, adapt = (with_settings(recipe_named("quick"), some) for some in (QUICK, NEW_HEADS, ADAPT))
    cache, clock = out / "cache", Clock()
    recipes, folders = (robots, quick, heads, adapt), (ROBOTS, MINI, BOX)
    prepare(out, made_from="".join([*map(as_yaml, recipes), *map(fingerprint, folders)]))

    def learn(what: str, recipe: Recipe, data: Path, run: Path) -> Path:
        print(f"\n{what}", flush=True)
        with clock.stage(what):
            return train(recipe, data, run, cache=cache)

    on_robots = JudgedData(ROBOTS, cache=cache, bar=progress, look_rate=ROBOT_RATE)
    on_homes = JudgedData(MINI, cache=cache, bar=progress, look_rate=HOME_RATE)
    short = learn("robots: quick-short learns from real pairs", robots, ROBOTS, out / "robots")
    with clock.stage("robots: judge"):
        of_robots = evaluate_runs([short], on_robots, SHORT)
        of_robots.write(short)
    scratch = learn("homes: quick learns from rendered pairs, from scratch", quick, MINI, out / "scratch")
    on_box = learn("homes: quick learns from the same pairs, on the box's features", heads, MINI, out / "heads")
    adapted = learn("homes: the model in the box adapts to the same pairs", adapt, MINI, out / "adapted")
    with clock.stage("homes: judge"):
        embedded = embed_runs([scratch, on_box, BOX, adapted], on_homes)
        of_homes = embedded.judge(on_homes)
        of_homes.write(adapted)
        before, after = (method.embeddings for method in embedded.methods[-2:])
        same = tuple(pair for pair in on_homes.part.pairs if pair.same_person)
        truth = find_truth(MINI)
        gained = gain(before, after, on_homes.part, truth.exact(same) if truth else same)
    with clock.stage("draw, and write the page"):
        plate = alignment_of(short, on_robots)
        picture = save_picture(plate.draw(), out / "alignment.png")
        table = table_of(of_robots.tables, of_homes.tables)
        shown = Shown(table, gained, plate, on_robots.manifest, on_homes.manifest, out)
        page = write_page(shown)
    print()
    screen().print(in_terminal(shown.table))
    print("\n".join(sentences(shown)))
    print(f"{clock.total():.0f} s. To look at: {picture} (a pair it never saw), and all of it on one page: {page}")
    if times is not None:
        times.write_text(json.dumps(clock.stages))


def alignment_of(run: Path, on: JudgedData) -> Plate:
    """A typical test pair, put in step by the run: of those long enough to look at, the one of median error."""
    opened = open_run(run, on)
    lengths = {pair.id: opened.manifest.takes[pair.third].length for pair in opened.pairs}
    moments = {id: min(SHORT.moment, SHORT.moment_share * length) for id, length in lengths.items()}

    def error(pair: Pair) -> float:
        third, first = opened.embeddings[pair.third], opened.embeddings[pair.first]
        return float(np.median(place(third, first, pair.clock, moments[pair.id])[2]))

    shown = sorted((pair for pair in opened.pairs if lengths[pair.id] >= SHOWN), key=error) or list(opened.pairs)
    pair = shown[len(shown) // 2]
    plate = alignment_plate(opened, pair, moments[pair.id])
    typical = (
        f"A typical pair that it never saw: about half of the {len(shown)} of at least {SHOWN:g} s are placed better. "
    )
    return replace(plate, caption=typical + plate.caption)


def prepare(out: Path, made_from: str) -> None:
    """Prepare the demo's folder; start over if it was made from other data, another recipe or another box."""
    mark, print_of = out / MARK, hashlib.sha256(made_from.encode()).hexdigest()
    if mark.is_file() and mark.read_text() != print_of:
        shutil.rmtree(out)  # the mark says that it is ours
    out.mkdir(parents=True, exist_ok=True)
    mark.write_text(print_of)


def fingerprint(folder: Path) -> str:
    """The names and contents of a folder's files, as hashes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{path.relative_to(folder)} {content_hash(path)}\n" for path in files)


class Clock:
    """How long each stage took: seconds on the wall, and of CPU over all cores."""

    def __init__(self) -> None:
        self.stages: dict[str, tuple[float, float]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start, work = time.perf_counter(), sum(os.times()[:4])
        yield
        self.stages[name] = (round(time.perf_counter() - start, 1), round(sum(os.times()[:4]) - work, 1))

    def total(self) -> float:
        """Seconds on the wall."""
        return sum(wall for wall, _ in self.stages.values())


if __name__ == "__main__":
    tyro.cli(main)
