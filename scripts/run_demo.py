"""The demo: learn from real footage, adapt the model in the box, and show what came of it.

    make demo
    python scripts/run_demo.py [--out runs/demo] [--times FILE]

1. Real robots: `quick-short` learns from the pairs that come with the package, from scratch on ImageNet's features and
   from the model in the box, which has never seen a robot (`--init box`); judged on episodes that nobody saw.
2. Rendered homes, in folds by person: `quick` does the same. What adapting the box changed is told video by video.
3. A table, a picture (alignment.png) and a page (report.html).

Offline, without a GPU and without a renderer. Run it again and it continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import tyro

from actor_observer.console import progress, screen
from actor_observer.evaluation.evaluate import Judged, embed_runs
from actor_observer.evaluation.exact_truth import find_truth
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.methods import Protocol
from actor_observer.evaluation.tables.alignment_tables import fair_alignment
from actor_observer.evaluation.tables.correspondence_tables import fair_correspondence
from actor_observer.evaluation.tables.gain import Gain, gain
from actor_observer.features import FeatureCache, Look
from actor_observer.features.on_disk.cache import content_hash
from actor_observer.model.network import ActorObserverNet, load
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Manifest, Pair, read_manifest
from actor_observer.pictures.figures.opened_run import open_run
from actor_observer.pictures.figures.placing import place
from actor_observer.pictures.figures.save import save_picture
from actor_observer.pictures.gallery import Plate, alignment_plate
from actor_observer.playhouse import MINI
from actor_observer.training import Recipe, as_yaml, recipe_named, train, with_settings
from demo_page import Shown, above_of, in_terminal, sentences, table_of, write_page
from folds import all_tested, folds_by_person, pooled

MARK = "demo.txt"  # says what a demo folder was made from
SHORT = Protocol(near=0.1, far=1.0, far_share=0.5, moment=1.0, moment_share=0.5, step=1 / 12)  # clips of a few seconds
ROBOT_RATE, HOME_RATE = 12.0, 2.0  # frames a second that are judged: what the recipes learn from
SHOWN = 2.0  # seconds: shorter clips have little to look at
FOLDS = 4  # of the homes: every pair is judged by networks that learned from other people
QUICK = ("labelled_share=0", "refit=false", "validate_every=1000", f"look_rate={HOME_RATE:g}")  # the last epoch is kept
SCRATCH = (*QUICK, "epochs=40")
FROM_BOX = ("init=box", "name=box, adapted")
ADAPT = (*QUICK, *FROM_BOX, "epochs=10", "optimiser.lr=1e-4", "objective=soft-dtw")


def main(out: Path = Path("runs/demo"), times: Path | None = None) -> None:
    """Run every stage; `times` is a JSON file for the seconds of each, wall and CPU."""
    robots, robots_adapt = (with_settings(recipe_named("quick-short"), some) for some in ((), FROM_BOX))
    quick, adapt = (with_settings(recipe_named("quick"), some) for some in (SCRATCH, ADAPT))
    cache, clock = out / "cache", Clock()
    recipes, folders = (robots, robots_adapt, quick, adapt), (ROBOTS, MINI, BOX)
    prepare(out, made_from="".join([*map(as_yaml, recipes), *map(fingerprint, folders)]))
    on_robots = JudgedData(ROBOTS, cache=cache, bar=progress, look_rate=ROBOT_RATE)
    folds = folds_by_person(read_manifest(MINI), FOLDS)
    homes = all_tested(folds)
    print(f"\nrobots: {len(on_robots.manifest.pairs)} real pairs", flush=True)
    with clock.stage("robots: quick-short learns from scratch"):
        short = train(robots, ROBOTS, out / "robots", cache=cache)
    with clock.stage("robots: the model in the box adapts"):
        short_adapted = train(robots_adapt, ROBOTS, out / "robots-adapted", cache=cache)
    with clock.stage("robots: judge"):
        embedded = embed_runs([short, BOX, short_adapted], on_robots)
        of_robots = embedded.judge(on_robots, SHORT)
        of_robots.write(short)
        robots_gained = gained(embedded, on_robots.part, on_robots.part.pairs, SHORT)
    print(f"\nhomes: {len(homes.pairs)} rendered pairs in {FOLDS} folds by person", flush=True)
    with clock.stage("homes: features"):
        for recipe, network in ((quick, ActorObserverNet(quick.network)), (adapt, load(BOX))):
            look, takes = Look(recipe.look_rate, recipe.size, recipe.crop), list(homes.takes.values())
            with progress("features", len(takes)) as each:
                FeatureCache(cache).features(recipe.network.backbone, network.backbone, takes, look, each=each)
    with clock.stage("homes: quick learns from scratch"):
        scratch = learn_in_folds(quick, folds, out / "scratch", cache)
    with clock.stage("homes: the model in the box adapts"):
        adapted = learn_in_folds(adapt, folds, out / "adapted", cache)
    with clock.stage("homes: judge"):
        on_folds = [JudgedData(MINI, cache=cache, bar=progress, look_rate=HOME_RATE, read=fold) for fold in folds]
        runs = zip(scratch, adapted, on_folds, strict=True)
        embedded = pooled([embed_runs([one, BOX, other], on) for one, other, on in runs])
        truth = find_truth(MINI)
        assert truth is not None
        exact, fair = truth.exact(homes.pairs), Protocol()
        of_homes = (
            fair_correspondence(embedded.methods, homes, exact, fair, "same person"),
            fair_alignment(embedded.methods, exact, fair, "same person"),
        )
        homes_gained = gained(embedded, homes, exact, fair)
    with clock.stage("draw, and write the page"):
        plate = alignment_of(short, on_robots)
        picture = save_picture(plate.draw(), out / "alignment.png")
        tables = {table.key: table for table in of_homes}
        table = table_of(of_robots.tables, tables)
        above = above_of(of_robots.tables, tables)
        shown = Shown(table, (robots_gained, homes_gained), above, plate, on_robots.manifest, homes, out)
        page = write_page(shown)
    print()
    screen().print(in_terminal(shown.table))
    print("\n".join(sentences(shown)))
    print(f"{clock.total():.0f} s. To look at: {picture} (a pair it never saw), and all of it on one page: {page}")
    if times is not None:
        times.write_text(json.dumps(clock.stages))


def learn_in_folds(recipe: Recipe, folds: Sequence[Manifest], runs: Path, cache: Path) -> list[Path]:
    """A run for each fold, one after the other: heads this small keep the memory busy, not the cores."""
    done = []
    with progress("training", len(folds)) as each:
        for number, fold in enumerate(folds, start=1):
            done.append(train(recipe, fold, runs / str(number), cache=cache, quiet=True, checked=True))
            each()
    return done


def gained(judged: Judged, part: Manifest, pairs: Sequence[Pair], protocol: Protocol) -> Gain:
    """What adapting brought: the last of the rows against the one before it."""
    before, after = (method.embeddings for method in judged.methods[-2:])
    return gain(before, after, part, pairs, protocol)


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
