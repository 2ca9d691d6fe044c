"""Two models on two worlds: performances that keep their tempo, and free ones; beside rules that do not look.

    python bench/two_worlds.py BEFORE [OTHER…] NEW --free DATA --steady DATA --learned PAIRS_CSV [--split test] [--keep]

BEFORE and NEW are models (NEW may be `box`) on one backbone. Rivals are frozen φ of that backbone and a ridge map on
it, fitted by exact clocks on the training pairs of PAIRS_CSV (`bench/marked.py`). Everything is judged by exact
clocks at two frames a second. On the validation split it is for choosing, and `used.json` remembers that; the test
split is for judging once. `--keep` writes the table into docs/results/free-tempo.md and the figures into
docs/figures.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.compared.rivals import Raw, RidgeMap
from actor_observer.evaluation.judge import judge
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of, median_of
from actor_observer.evaluation.tables.alignment_tables import NEARER
from actor_observer.evaluation.tables.correspondence_tables import ABOVE, HARDER
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.evaluation.used import for_choosing, seen_before
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs import Manifest, read_manifest
from actor_observer.sampling import quads
from figures import is_shown
from figures import keep as keep_figure
from page import write_section

RATE = 2.0
Split = Literal["validation", "test"]
FROZEN, RIDGE, BEFORE, NEW = "frozen φ", "ridge map on φ", "the box before", "the new box"
QUADS = ("all", HARDER, ABOVE)
PLACED = ("every moment, median", "within 1 s", NEARER)
COLUMNS = (
    *("quads (%)", "quads that proportion gets wrong (%)", "quads above not looking (points)"),
    *("every moment, median (s)", "within 1 s (%)", "nearer than not looking (s)"),
    *("names, third (mAP, %)", "names, first (mAP, %)"),
)
NAMES = {
    "chance": "chance",
    IN_PROPORTION: "proportion",
    FROZEN: "frozen",
    RIDGE: "ridge",
    BEFORE: "before",
    NEW: "box",
}
KEPT = ("quads", "harder", "above", "moments", "within", "nearer", "names-third", "names")


def main(
    models: Positional[tuple[str, ...]],
    free: Path,
    steady: Path,
    learned: Path,
    split: Split = "validation",
    keep: bool = False,
    cache: Path | None = None,
    out: Path | None = None,  # every table of `evaluate` goes here, as JSON
) -> None:
    if len(models) < 2:
        raise SystemExit("name at least two models: the one before, and the new one")
    names = (BEFORE, *(Path(model).name for model in models[1:-1]), NEW)
    opened = {name: load(None if model == "box" else model) for name, model in zip(names, models, strict=True)}
    if len({weights_hash(model.backbone) for model in opened.values()}) > 1:
        raise SystemExit("these models have different backbones: judge them with actor-observer evaluate")
    ridge = fitted_ridge(opened[NEW], learned, cache)
    parts = []
    for world, data in (("free", free), ("steady", steady)):
        short, every = judged(opened, ridge, data, split, cache)
        parts.append(as_markdown(replace(short, title=f"{world.capitalize()} tempo, {short.title}")))
        print(parts[-1], end="\n\n", flush=True)
        if out:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{world}-{split}.json").write_text(json.dumps({key: one.to_dict() for key, one in every.items()}))
        if keep and split == "test":
            keep_all(short, world)
    if keep and split == "test":
        write_section("two-worlds", "\n\n".join(parts), COMMAND)


COMMAND = (
    "python bench/two_worlds.py BEFORE box --free OUT/judged-free --steady OUT/judged-steady "
    "--learned MARKED/pairs.csv --split test --keep"
)


def fitted_ridge(network: ActorObserverNet, learned: Path, cache: Path | None) -> RidgeMap:
    manifest = read_manifest(learned).of("train")
    phi = features(network, manifest, cache)
    return RidgeMap().fit(phi, list(manifest.pairs))


def features(network: ActorObserverNet, manifest: Manifest, cache: Path | None) -> Embeddings:
    look = Look.of_network(network.config, RATE)
    takes = manifest.takes.values()
    phi, faults = FeatureCache(cache).features(network.config.backbone, network.backbone, takes, look, "cpu")
    if faults:
        raise SystemExit(str(next(iter(faults.values()))))
    return phi


def judged(
    models: Mapping[str, ActorObserverNet], ridge: RidgeMap, data: Path, split: Split, cache: Path | None
) -> tuple[Figures, dict[str, Figures]]:
    """The rows of one world, and every table behind them."""
    manifest = read_manifest(data).of(split)
    if split == "test":
        print(seen_before(data, manifest.pairs))
    else:
        for_choosing(data, manifest.pairs, split, "which heads are in the box (bench/two_worlds.py)")
    phi = features(models[NEW], manifest, cache)
    methods = [
        Method(FROZEN, phi.mapped(Raw().embed)),
        Method(RIDGE, phi.mapped(ridge.embed)),
        *(Method(name, embed_features(model, phi), temporal=True) for name, model in models.items()),
    ]
    tables = judge(methods, manifest, split, data).tables
    rows: dict[str, tuple[Cell, ...]] = {}
    for row in ("chance", IN_PROPORTION, FROZEN, RIDGE, *(row for name in models for row in exchanges(name))):
        rows[row] = tuple(
            cell(tables[key], where, column)
            for key, wanted, where in (
                ("correspondence-fair-same", QUADS, row),
                ("alignment-fair-same", PLACED, "uniform guess" if row == "chance" else row),
            )
            for column in wanted
        ) + tuple(named(tables.get("recognition"), row, view) for view in ("third person", "first person (zero-shot)"))
    asked = (*tables["correspondence-fair-same"].notes, paired(methods[-1], methods[2], manifest, data))
    percent = tuple(column for column in COLUMNS if "%" in column or "points" in column)
    title = f"{len([pair for pair in manifest.pairs if pair.same_person])} {split} pairs"
    return Figures("two-worlds", title, COLUMNS, rows, percent, asked), tables


def paired(new: Method, before: Method, manifest: Manifest, data: Path) -> str:
    """What the new one gets more than the one before, over the same quads and moments, pair by pair."""
    truth = find_truth(data)
    pairs = [pair for pair in manifest.pairs if pair.same_person]
    pairs = list(truth.exact(pairs)) if truth else pairs
    p = Protocol()
    asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
    right = [quad_distances(one.embeddings, asked, pairs).right() for one in (new, before)]
    more = bootstrap(mean_of(right[0] - right[1], asked.pair), len(pairs))
    placed = [place_all(one.embeddings, pairs) for one in (new, before)]
    known = [number for number, one in enumerate(placed[0]) if one]
    error = [np.concatenate([one.error for one in some if one]) for some in placed]
    video = np.concatenate(
        [np.full(len(one.error), number) for number, one in zip(known, filter(None, placed[0]), strict=True)]
    )
    medians = [median_of(some, video) for some in error]
    nearer = bootstrap(lambda counts: medians[1](counts) - medians[0](counts), len(pairs))
    return (
        f"The new box above the one before, pair by pair: {more.percent()} points of quads; median error smaller by "
        f"{nearer.text(2)} s."
    )


def exchanges(name: str) -> tuple[str, str]:
    return name, f"{name}, takes exchanged"


def cell(table: Figures, row: str, column: str) -> Cell:
    """A cell of a table, whatever a row's name says after the method's."""
    of_row = [cells for name, cells in table.rows.items() if name.replace(" (uses time)", "").split(", by ")[0] == row]
    place = table.columns.index(column) if column in table.columns else None
    told = [cells[place] for cells in of_row if place is not None and cells[place] is not None]
    return told[0] if told else None


def named(table: Figures | None, row: str, view: str) -> Cell:
    if table is None or row in (IN_PROPORTION, FROZEN, RIDGE):
        return None
    if row == "chance":
        return next(iter(table.rows.values()))[table.columns.index("chance")]
    return cell(table, f"{row}, {view}", "mAP, all frames")


def keep_all(short: Figures, world: str) -> None:
    """Put the figures of one world into docs/figures.json, as free.box.quads, steady.before.moments, …"""
    for row, cells in short.rows.items():
        name = row.removesuffix(", takes exchanged")
        if name not in NAMES:
            continue
        who = NAMES[name] + ("-exchanged" if name != row else "")
        for what, column, one in zip(KEPT, COLUMNS, cells, strict=True):
            if one is not None and is_shown(f"{world}.{who}.{what}"):
                percent = column in short.percent
                keep_figure(f"{world}.{who}.{what}", one, COMMAND, percent, 1 if percent else 2)


if __name__ == "__main__":
    tyro.cli(main)
