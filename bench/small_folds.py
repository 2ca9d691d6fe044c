"""Can 36 pairs teach anything, and does adapting gain? The small set in folds by person, 48 videos instead of 12.

    python bench/small_folds.py [--only NAME …] [--out FILE.json] [--no-write]

The demo judges one run on 12 test pairs, which is few. Here the 48 training and validation pairs of the small set are
divided into four folds, no person in two of them; each fold is judged by a network that learned from the others (the
last epoch; nothing is chosen), by exact clocks. Test pairs have no part in it: what the demo does is chosen by this
table. "Better by" is the difference over the same quads and moments, with 95 % intervals over videos. Writes the
section "small-folds" of docs/results/small-set.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import tyro

from actor_observer import load
from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, positions
from actor_observer.evaluation.compared.rivals import RidgeMap
from actor_observer.evaluation.measures.correspondence import accuracy, quad_distances
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import median_of
from actor_observer.evaluation.tables.gain import gain
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.model import create_backbone
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import Manifest, Pair, read_manifest
from actor_observer.playhouse import MINI
from actor_observer.sampling import quads
from actor_observer.training import recipe_named, train, with_settings
from page import write_section

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from folds import all_tested, folds_by_person

FOLDS, RATE = 4, 3.0
COMMON = ("labelled_share=0", "refit=false", "validate_every=1000")
HEADS = (f"init={BOX}", "size=160", "network.context_size=192", "network.projection_hidden=512", "epochs=20")
ADAPT, DTW = ("init=box", "epochs=20"), "objective=soft-dtw"
ROWS: dict[str, tuple[str, tuple[str, ...]]] = {  # name -> what it is compared with, and the changes to `quick`
    "`quick` on ImageNet's features": ("frozen ImageNet", ()),
    "new heads on the box's features": ("frozen, the box's", HEADS),
    "the box, adapted by soft InfoNCE": ("the model in the box", (*ADAPT, "optimiser.lr=1e-4")),
    "the box, adapted by soft-DTW": ("the model in the box", (*ADAPT, "optimiser.lr=1e-4", DTW)),
    "… rate 3e-4": ("the model in the box", (*ADAPT, "optimiser.lr=3e-4", DTW)),
    "… rate 3e-4, temperature 0.05": (
        "the model in the box",
        (*ADAPT, "optimiser.lr=3e-4", DTW, "temperature=0.05"),
    ),
}
COLUMNS = (
    *("quads right (%)", "takes exchanged, quads (%)", "every moment, median (s)", "takes exchanged (s)"),
    *("quads, more by (points)", "mean error, changed by (s)"),
)
ABOUT = (
    "Twelve videos are few. The training and validation pairs in four folds, no person in two of them, each judged by "
    "a network that learned from the others. “More by” is against the frozen features below the heads, or against the "
    "box as it comes, over the same quads and moments."
)


def main(only: tuple[str, ...] = (), out: Path | None = None, cache: Path | None = None, write: bool = True) -> None:
    torch.set_num_threads(1)
    manifest, truth, box = read_manifest(MINI), find_truth(MINI), load()
    assert truth is not None
    known = tuple(pair for pair in manifest.pairs if manifest.takes[pair.third].split != "test")
    folds = folds_by_person(replace(manifest, pairs=known), FOLDS)
    tested = all_tested(folds)
    judged, takes = list(truth.exact(tested.pairs)), list(tested.takes.values())
    recipe, store = recipe_named("quick"), FeatureCache(cache)
    plain, _ = store.features("mobilenet_v2", create_backbone("mobilenet_v2"), takes, Look(RATE, recipe.size, "whole"))
    boxed, _ = store.features("mobilenet_v2", box.backbone, takes, Look.of_network(box.config, RATE))
    found = {
        IN_PROPORTION: positions(plain),
        "frozen ImageNet": plain,
        "frozen, the box's": boxed,
        "the model in the box": embed_features(box, boxed),
    }
    rows: dict[str, tuple[Cell, ...]] = {}

    def add(name: str, beside: str = "") -> None:
        changed = gain(found[beside], found[name], manifest, judged) if beside else None
        better = (changed.quads, changed.moments) if changed else (None, None)
        own, swapped = (figures(found[name], pairs) for pairs in (judged, exchanged(found[name], judged)))
        rows[name] = (own[0], swapped[0], own[1], swapped[1], *better)
        print(f"{name}: {list(map(str, rows[name]))}", flush=True)

    def figures(own: Embeddings, pairs: list[Pair]) -> tuple[Cell, ...]:
        p = Protocol()
        asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
        placed = [(number, one) for number, one in enumerate(place_all(own, pairs, p.moment, p.moment_share)) if one]
        video = np.concatenate([np.full(len(one.error), number) for number, one in placed])
        error = np.concatenate([one.error for _, one in placed])
        right = accuracy(quad_distances(own, asked, pairs).right(), asked.pair)
        return right, bootstrap(median_of(error, video), len(pairs))

    found["ridge map on ImageNet's"] = Embeddings(
        {id: take for fold in folds for id, take in mapped(RidgeMap(), plain, fold).items()}
    )
    for name in found:
        add(name)
    for name, (beside, changes) in ROWS.items():
        if only and name not in only:
            continue
        start, own = time.perf_counter(), dict[str, TakeEmbedding]()
        trained = with_settings(recipe, [*COMMON, *changes])
        for fold in folds:
            with tempfile.TemporaryDirectory() as run:
                train(trained, fold, run, cache=cache, device="cpu", quiet=True, checked=True)
                network = load(run)
            phi = boxed if "init" in " ".join(changes) else plain
            own |= embed_features(network, of(phi, fold.of("test")))
        found[name] = Embeddings(own)
        print(f"{time.perf_counter() - start:.0f} s", flush=True)
        add(name, beside)
    table = Figures(
        "small-folds", f"{len(judged)} pairs in {FOLDS} folds by person", COLUMNS, rows, (*COLUMNS[:2], COLUMNS[4])
    )
    if out is not None:
        out.write_text(json.dumps(table.to_dict()))
    print(as_markdown(table))
    if write and not only:
        text = f"## In folds, {len(judged)} videos\n\n{ABOUT}\n\n{as_markdown(table)}"
        write_section("small-folds", text, "python bench/small_folds.py")


def of(embeddings: Embeddings, part: Manifest) -> Embeddings:
    return Embeddings({id: embeddings[id] for id in part.takes})


def mapped(rival: RidgeMap, phi: Embeddings, fold: Manifest) -> Embeddings:
    """What a rival makes of a fold's test takes, fitted on its training takes."""
    learn = fold.of("train")
    return of(phi, fold.of("test")).mapped(rival.fit(of(phi, learn), learn.pairs).embed)


if __name__ == "__main__":
    tyro.cli(main)
