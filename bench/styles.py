"""Which backbone holds up in a world it never saw? Frozen, fine-tuned, averaged, held back: judged on other styles.

    python bench/restyle.py FRESH OUT/styled-validation --split validation --seed 1
    python bench/restyle.py JUDGED OUT/styled-test --split test --seed 2
    python bench/styles.py FRESH JUDGED OUT/styled-validation OUT/styled-test --out DIR
        [--kinova PAIRS.csv] [--heads DATA] [--rate 3] [--seeds 3] [--only NAME …]

FRESH and JUDGED are made by `bench/learning_sets.py`. The rows are ImageNet's backbone, the box's, averages of the two
(WiSE-FT, batch norm's statistics taken anew), and the box's fine-tuned on FRESH: as it was trained, with random styles
(filters, blur, noise, strong colours), and with styles while held near its start (L2-SP); and averages of these with
ImageNet's. On each, the heads of `quick` are trained on JUDGED's training pairs (or those of `--heads`). They are
judged on the test pairs as rendered, in a style never seen, on the robots and on every third pair of the Kinova arm
(those that nothing was calibrated on). Beside that stand heads of `quick-short` trained on the robots themselves, in 5
folds by script. The choice between backbones is made on styled validation pairs alone.

Figures are means over seeds of the heads, brackets 95 % intervals over videos. DIR gets each row as soon as it is
there; called again, it makes only the backbones that are missing.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import torch
import tyro
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import FeatureCache, Look
from actor_observer.model.device import best_device
from actor_observer.pairs import ROBOTS, Take, read_manifest
from actor_observer.training import recipe_named
from several import fill_cache
from style_backbones import BACKBONE, NAMES, make_backbone
from style_figures import COLUMNS, PERCENT, Sets, rendered_row, robots_row


def main(
    fresh: Positional[Path],
    judged: Positional[Path],
    styled_validation: Positional[Path],
    styled_test: Positional[Path],
    out: Path,
    kinova: Path | None = None,
    kinova_every: int = 3,  # pairs 1, 4, 7 …: those that no calibration saw
    heads: Path | None = None,  # the heads learn from the training pairs of this set; none: from JUDGED's
    rate: float = 3.0,  # frames a second that are judged, of all but the robots
    every: int = 1,  # of the test pairs, 1 in so many
    robots: bool = True,  # also the robots, by these heads and by heads of their own
    epochs: int = 0,  # of fine-tuning; 0: as many as each has
    seeds: int = 3,
    only: tuple[str, ...] = (),  # rows by name; none: all
    cache: Path | None = None,
    device: str = "auto",
    workers: int = 4,
    threads: int = 4,
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(threads)
    start = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - start:.0f} s] {line}", flush=True)

    sets = Sets(
        judged,
        heads or judged,
        styled_validation,
        styled_test,
        kinova,
        kinova_every,
        every,
        robots,
        rate,
        seeds,
        cache,
        device,
    )
    names = [name for name in NAMES if not only or name in only]
    folders = {}
    for name in names:
        folders[name] = make_backbone(name, out / "backbones", fresh, sets.heads, epochs, cache, device)
        say(f"backbone: {name}")
    rows: dict[str, dict[int, list[Cell]]] = {name: {} for name in names}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        looked_at = [*sets.rendered(), *sets.real()]
        features(list(folders.values()), looked_at, cache, device)
        say("features")
        jobs = {pool.submit(rendered_row, sets, folders[name], out / "heads" / name): (name, 0) for name in names}
        if robots:
            features(list(folders.values()), [robots_look()], cache, device)
            jobs |= {pool.submit(robots_row, sets, folders[name], out / "robots" / name): (name, 1) for name in names}
        for job in as_completed(jobs):
            name, part = jobs[job]
            rows[name][part] = job.result()
            say(f"{name}: {[str(cell) for cell in rows[name][part]]}")
            write(out, rows)


def robots_look() -> tuple[list[Take], Look]:
    recipe = recipe_named("quick-short")
    return list(read_manifest(ROBOTS).takes.values()), Look(recipe.look_rate, recipe.size, recipe.crop)


def features(folders: list[Path], looked_at: list[tuple[list[Take], Look]], cache: Path | None, device: str) -> None:
    """φ of everything by every backbone; for a GPU, each video is read once."""
    backbones, where = [load(folder).backbone for folder in folders], best_device(device)
    for takes, look in looked_at:
        if where == "cpu":  # reading is the smaller part there
            for backbone in backbones:
                FeatureCache(cache).features(BACKBONE, backbone, takes, look, where)
        else:
            fill_cache(cache, BACKBONE, backbones, takes, look, where)


def write(out: Path, rows: dict[str, dict[int, list[Cell]]]) -> None:
    wide = {0: len(COLUMNS) - 1, 1: 1}
    whole = {
        name: tuple(cell for part, width in wide.items() for cell in parts.get(part, [None] * width))
        for name, parts in rows.items()
        if parts
    }
    table = Figures("styles", "Backbones in worlds they never saw", COLUMNS, whole, PERCENT)
    (out / "styles.json").write_text(json.dumps(table.to_dict()))
    (out / "styles.md").write_text(as_markdown(table) + "\n")


if __name__ == "__main__":
    tyro.cli(main)
