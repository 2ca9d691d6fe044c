"""The chance of being placed on the real robot pairs, against the plain margin and the paper's selector.

    python bench/selector_robots.py [DATA] [--seeds 3] [--workers 2]

`quick-short` on the pairs of `bench/real.py`, five folds by script. For each fold the head of `model/placing.py` is
cross-fitted: the other four folds' pairs are divided into three parts by script, each embedded by a network that
learned from the other two, and the head is fitted on all of them together. It then foretells the fold's own takes,
embedded by a network that learned from the other four folds. Figures are means over seeds, intervals over videos.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.over_videos import Statistic, median_of, median_of_top, top_share
from actor_observer.evaluation.tables.correspondence_tables import quad_weight
from actor_observer.features import Embeddings, TakeEmbedding, embed_features
from actor_observer.model import ActorObserverNet
from actor_observer.pairs import ROBOTS, Manifest, Pair, read_manifest
from actor_observer.sampling import quads
from actor_observer.training import train
from actor_observer.training.after.placing import fit_placing
from real import features, groups, only
from real_figures import PROTOCOL
from real_methods import SHORT
from seeds import over_seeds

INNER = 3
TOLERANCES = (0.1, 0.25, 0.5)  # seconds; chosen on the inner parts


def fit(manifest: Manifest, learn: Sequence[Pair], judged: Sequence[Pair], seed: int, cache: Path | None) -> Embeddings:
    """Train on some pairs, embed others: in a worker process."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        train(
            replace(SHORT, seed=seed),
            only(manifest, learn),
            folder,
            cache=cache,
            device="cpu",
            quiet=True,
            checked=True,
        )
        network = load(folder)
    return embed_features(network, features(manifest, judged, cache))


def foretold(inner: Embeddings, learn: Sequence[Pair], outer: Embeddings, tolerance: float) -> Embeddings:
    """The outer takes with their chance of being placed, by a head fitted on the inner ones."""
    network = ActorObserverNet(replace(SHORT.network, placing=tolerance), pretrained=False)
    fit_placing(network, inner, learn)
    assert network.placing is not None
    told = {}
    with torch.no_grad():
        for id, take in outer.items():
            times = torch.from_numpy(take.times).float()
            logit = network.placing(torch.from_numpy(take.features), times, take.view)
            told[id] = replace(take, chance=logit.sigmoid().numpy())
    return Embeddings(told)


def main(data: Positional[Path] = ROBOTS, seeds: int = 3, workers: int = 2, cache: Path | None = None) -> None:
    manifest = read_manifest(data)
    folds = groups(manifest, list(manifest.pairs), 5, seed=0)
    features(manifest, list(manifest.pairs), cache)  # once, before several processes want them
    found: list[Embeddings] = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs: dict[tuple[int, int, int], Any] = {}
        rests = [[pair for n, part in enumerate(folds) if n != fold for pair in part] for fold in range(len(folds))]
        parts = [groups(manifest, rest, INNER, seed=1) for rest in rests]
        for seed in range(seeds):
            for fold, rest in enumerate(rests):
                jobs[seed, fold, -1] = pool.submit(fit, manifest, rest, folds[fold], seed, cache)
                for number, part in enumerate(parts[fold]):
                    learn = [pair for pair in rest if pair not in part]
                    jobs[seed, fold, number] = pool.submit(fit, manifest, learn, part, seed, cache)
        for seed in range(seeds):
            told: dict[str, TakeEmbedding] = {}
            for fold, rest in enumerate(rests):
                inner = Embeddings({id: t for n in range(INNER) for id, t in jobs[seed, fold, n].result().items()})
                tolerance = chosen(inner, rest, manifest)
                told |= dict(foretold(inner, rest, jobs[seed, fold, -1].result(), tolerance))
            found.append(Embeddings(told))
            print(f"seed {seed} done", flush=True)
    report(found, manifest, [pair for part in folds for pair in part])


def chosen(inner: Embeddings, pairs: Sequence[Pair], manifest: Manifest) -> float:
    """The tolerance whose head, fitted on half of the inner pairs, chooses the best tenth of quads of the others."""
    half = [list(pairs[::2]), list(pairs[1::2])]
    scores = {}
    for tolerance in TOLERANCES:
        right = []
        for learn, held in (half, half[::-1]):
            outer = Embeddings({id: inner[id] for pair in held for id in (pair.third, pair.first)})
            told = foretold(inner, learn, outer, tolerance)
            right.append(row(told, manifest, held, "chance")[1](np.ones(len(held))))
        scores[tolerance] = float(np.mean(right))
    return max(scores, key=scores.__getitem__)


def row(own: Embeddings, manifest: Manifest, pairs: Sequence[Pair], by: str) -> list[Statistic]:
    """Quads at 50, 10 and 5 %, and the median error of all moments and of the best 20 %, chosen `by`."""
    p = PROTOCOL
    asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
    distances = quad_distances(own, asked, pairs)
    choice = distances.margin() if by == "margin" else quad_weight(own, asked, pairs, of=by)  # type: ignore[arg-type]
    shares = [top_share(distances.right(), asked.pair, choice, share) for share in (0.5, 0.1, 0.05)]
    placed = [(n, one) for n, one in enumerate(place_all(own, pairs, p.moment, p.moment_share)) if one]
    error = np.concatenate([one.error for _, one in placed])
    video = np.concatenate([np.full(len(one.error), n) for n, one in placed])
    likes = np.concatenate(
        [one.chance if by == "chance" and one.chance is not None else one.weight for _, one in placed]
    )
    return [*shares, median_of(error, video), median_of_top(error, video, likes, 0.2)]


def report(found: Sequence[Embeddings], manifest: Manifest, pairs: Sequence[Pair]) -> None:
    print("| chosen by | 50 % | 10 % | 5 % | every moment, median (s) | best 20 %, median (s) |")
    print("|---|---|---|---|---|---|")
    for by, name in (
        ("weight", "the paper's selector"),
        ("chance", "chance of being placed"),
        ("margin", "the margin"),
    ):
        columns = zip(*(row(own, manifest, pairs, by) for own in found), strict=True)
        cells = [over_seeds(list(column), len(pairs)) for column in columns]
        told = [cell.percent() if place < 3 else f"{cell}" for place, cell in enumerate(cells)]
        print(f"| {name} | {' | '.join(told if by != 'margin' else told[:3])} |")


if __name__ == "__main__":
    tyro.cli(main)
