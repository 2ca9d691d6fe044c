"""Can 36 pairs teach anything, and does adapting gain? The small set in folds by person, 48 videos instead of 12.

    python bench/small_folds.py [--no-learn] [--out FILE.json] [--no-write]

Twelve test pairs are few. Here the 48 training and validation pairs of the small set are divided into four folds, no
person in two of them; each fold is judged by a network that learned from the others (the last epoch; nothing is
chosen), by exact clocks, beside rules that do not look. Performances are in free tempo, so a row learns either from
*scaled* clocks, the lengths alone, as the set comes, or from *marked* ones: exact, as if somebody had marked what both
takes show. "More by" is the difference over the same quads and moments, with 95 % intervals over videos. Test pairs
have no part in it. Writes the section "small-folds" of docs/results/small-set.md, and docs/figures.json.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import torch
import tyro

from actor_observer import load
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.compared.rivals import RidgeMap
from actor_observer.evaluation.measures.exact_truth import Truth, find_truth
from actor_observer.evaluation.tables.alignment_tables import NEARER, fair_alignment
from actor_observer.evaluation.tables.correspondence_tables import ABOVE, HARDER, fair_correspondence
from actor_observer.evaluation.tables.gain import gain
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.model import create_backbone
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import Manifest, read_manifest
from actor_observer.playhouse import MINI
from actor_observer.training import recipe_named, train, with_settings
from figures import is_shown, keep
from page import write_section
from two_worlds import cell, exchanges

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from folds import all_tested, folds_by_person

FOLDS, RATE = 4, 3.0
COMMON = ("labelled_share=0", "refit=false", "validate_every=1000")
HEADS = (f"init={BOX}", "size=160", "network.context_size=192", "network.projection_hidden=512", "epochs=20")
ADAPT, DTW, ALONE = ("init=box", "epochs=20", "optimiser.lr=1e-4"), "objective=soft-dtw", "alone=0.4"
IMAGENET, BOXED, AS_IT_COMES = "frozen ImageNet", "frozen, the box's", "the model in the box"
ROWS: dict[str, tuple[str, bool, tuple[str, ...]]] = {  # what it is compared with, marked or not, changes to `quick`
    "`quick` on ImageNet's features, marked": (IMAGENET, True, (ALONE,)),
    "… scaled clocks": (IMAGENET, False, ()),
    "new heads on the box's features, marked": (BOXED, True, (*HEADS, ALONE)),
    "the box, adapted by soft InfoNCE, marked": (AS_IT_COMES, True, (*ADAPT, ALONE)),
    "the box, adapted by soft-DTW, scaled clocks": (AS_IT_COMES, False, (*ADAPT, DTW)),
}
COLUMNS = (
    *("quads right (%)", "quads that proportion gets wrong (%)", "quads above not looking (points)"),
    *("every moment, median (s)", "nearer than not looking (s)"),
    *("quads, more by (points)", "mean error, changed by (s)"),
)
KEPT = {  # rows and columns by their names in docs/figures.json
    IMAGENET: "frozen",
    "ridge map on ImageNet's, marked": "ridge",
    "`quick` on ImageNet's features, marked": "quick",
    "… scaled clocks": "quick-scaled",
    "new heads on the box's features, marked": "heads",
    AS_IT_COMES: "box",
    "the box, adapted by soft InfoNCE, marked": "adapted",
}
WHAT = ("quads", "harder", "above", "moments", "nearer", "more", "changed")
COMMAND = "python bench/small_folds.py"
ABOUT = (
    "The training and validation pairs in four folds, no person in two of them, each judged by a network that learned "
    "from the others. *Marked*: learned from exact clocks, as if somebody had marked what both takes show; *scaled "
    "clocks*: from the lengths alone, as the set comes. “More by” is against the frozen features below the heads, or "
    "against the box as it comes, over the same quads and moments."
)


def main(learn: bool = True, out: Path | None = None, cache: Path | None = None, write: bool = True) -> None:
    """Judge; without `learn` only what needs no training, which takes minutes and not an hour."""
    torch.set_num_threads(1)
    manifest, truth, box = read_manifest(MINI), find_truth(MINI), load()
    assert truth is not None
    known = tuple(pair for pair in manifest.pairs if manifest.takes[pair.third].split != "test")
    folds = folds_by_person(replace(manifest, pairs=known), FOLDS)
    marked = [exact(fold, truth) for fold in folds]
    tested = all_tested(marked)
    takes, store, recipe = list(tested.takes.values()), FeatureCache(cache), recipe_named("quick")
    plain, _ = store.features("mobilenet_v2", create_backbone("mobilenet_v2"), takes, Look(RATE, recipe.size, "whole"))
    boxed, _ = store.features("mobilenet_v2", box.backbone, takes, Look.of_network(box.config, RATE))
    found = {
        IMAGENET: plain,
        "ridge map on ImageNet's, marked": joined(mapped(RidgeMap(), plain, fold) for fold in marked),
        BOXED: boxed,
        AS_IT_COMES: embed_features(box, boxed),
    }
    for name, (_, by_marks, changes) in ROWS.items() if learn else ():
        start, own = time.perf_counter(), list[Embeddings]()
        trained = with_settings(recipe, [*COMMON, *changes])
        for fold in marked if by_marks else folds:
            with tempfile.TemporaryDirectory() as run:
                train(trained, fold, run, cache=cache, device="cpu", quiet=True, checked=True)
                network = load(run)
            phi = boxed if "init" in " ".join(changes) else plain
            own.append(embed_features(network, of(phi, fold.of("test"))))
        found[name] = joined(own)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    table = table_of(found, tested, f"{len(tested.pairs)} pairs in {FOLDS} folds by person")
    if out is not None:
        out.write_text(json.dumps(table.to_dict()))
    print(as_markdown(table))
    if write:
        command = COMMAND if learn else f"{COMMAND} --no-learn"
        text = f"## In folds, {len(tested.pairs)} videos\n\n{ABOUT}\n\n{as_markdown(table)}"
        write_section("small-folds", text, command)
        keep_all(table, command, "folds")


def table_of(found: dict[str, Embeddings], tested: Manifest, title: str) -> Figures:
    """Every row beside what does not look, and beside the row that it is compared with."""
    methods = [Method(name, own) for name, own in found.items()]
    pairs, p = list(tested.pairs), Protocol()
    right = fair_correspondence(methods, tested, pairs, p, "same person")
    placed = fair_alignment(methods, pairs, p, "same person")
    rows: dict[str, tuple[Cell, ...]] = {}
    for row in ("chance", IN_PROPORTION, *(row for name in found for row in exchanges(name))):
        beside = ROWS[row][0] if row in ROWS else ""
        changed = gain(found[beside], found[row], tested, pairs) if beside else None
        rows[row] = (
            *(cell(right, row, column) for column in ("all", HARDER, ABOVE)),
            *(
                cell(placed, "uniform guess" if row == "chance" else row, column)
                for column in ("every moment, median", NEARER)
            ),
            *((changed.quads, changed.moments) if changed else (None, None)),
        )
    percent = tuple(column for column in COLUMNS if "(%)" in column or "points" in column)
    return Figures("small-folds", title, COLUMNS, rows, percent, (*right.notes, *placed.notes[:1]))


def keep_all(table: Figures, command: str, where: str) -> None:
    """Put the figures that a page shows into docs/figures.json, as small.box.quads, folds.quick-exchanged.quads, …"""
    for row, cells in table.rows.items():
        name = row.removesuffix(", takes exchanged")
        if name not in KEPT:
            continue
        who = KEPT[name] + ("-exchanged" if name != row else "")
        for what, column, one in zip(WHAT, table.columns, cells, strict=False):
            if one is not None and is_shown(f"{where}.{who}.{what}"):
                percent = column in table.percent
                keep(f"{where}.{who}.{what}", one, command, percent, 1 if percent else 2)


def exact(fold: Manifest, truth: Truth) -> Manifest:
    """A fold whose clocks are exact, for learning too."""
    return replace(fold, pairs=tuple(truth.exact(fold.pairs)))


def joined(parts: Iterable[Embeddings]) -> Embeddings:
    """The takes of all folds."""
    return Embeddings({id: take for part in parts for id, take in part.items()})


def of(embeddings: Embeddings, part: Manifest) -> Embeddings:
    return Embeddings({id: embeddings[id] for id in part.takes})


def mapped(rival: RidgeMap, phi: Embeddings, fold: Manifest) -> Embeddings:
    """What a rival makes of a fold's test takes, fitted on its training takes."""
    learn = fold.of("train")
    return of(phi, fold.of("test")).mapped(rival.fit(of(phi, learn), learn.pairs).embed)


if __name__ == "__main__":
    tyro.cli(main)
