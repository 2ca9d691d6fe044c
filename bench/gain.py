"""What a run gains over the model in the box on a test split, over the same quads and moments.

    python bench/gain.py RUN DATA [--look-rate 2]

RUN is, say, the demo's `runs/demo/adapted`; DATA a set that it never saw, such as `bench/learning_sets.py`'s judged.
Brackets are 95 % intervals over videos.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import tyro
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import Statistic, median_of, share_of
from actor_observer.evaluation.tables.gain import gain
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.pairs import read_manifest
from seeds import over_seeds


def main(run: Positional[Path], data: Positional[Path], look_rate: float = 6.0, cache: Path | None = None) -> None:
    torch.set_num_threads(1)
    part, truth = read_manifest(data).of("test"), find_truth(data)
    same = [pair for pair in part.pairs if pair.same_person]
    pairs = list(truth.exact(same)) if truth else same
    found: list[Embeddings] = []
    for network in (load(), load(run)):
        look = Look.of_network(network.config, look_rate)
        phi, _ = FeatureCache(cache).features(network.config.backbone, network.backbone, part.takes.values(), look)
        found.append(embed_features(network, phi))

    def errors(own: Embeddings, of: Callable[[np.ndarray, np.ndarray], Statistic]) -> Statistic:
        p = Protocol()
        placed = [(number, one) for number, one in enumerate(place_all(own, pairs, p.moment, p.moment_share)) if one]
        video = np.concatenate([np.full(len(one.error), number) for number, one in placed])
        return of(np.concatenate([one.error for _, one in placed]), video)

    def near(error: np.ndarray, video: np.ndarray) -> Statistic:
        return share_of((error <= 1 + 1e-9).astype(float), video)

    for name, of in (("median error (s)", median_of), ("within 1 s", near)):
        before, after = (errors(own, of) for own in found)
        change = bootstrap(difference(before, after), len(pairs))
        told = [str(over_seeds([one], len(pairs), 1000)) for one in (before, after)]
        print(f"{name}: {told[0]} in the box, {told[1]} of {run.name}, changed by {change}")
    changed = gain(found[0], found[1], part, pairs)
    print(f"quads: changed by {changed.quads}; mean error (s): changed by {changed.moments}; {changed.videos} videos")


def difference(before: Statistic, after: Statistic) -> Statistic:
    return lambda counts: after(counts) - before(counts)


if __name__ == "__main__":
    tyro.cli(main)
