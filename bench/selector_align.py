"""Does a selector help `align`? The same embeddings with equal weights, the box's selector, and the chance of placing.

    python bench/selector_align.py [DATA] [--model RUN] [--splits validation] [--save RUN]

DATA is a rendered set (the small one of the package, if not given), judged by its exact clocks. Where the model has no
head for the chance of being placed, one is fitted on DATA's training pairs, none of which the box has seen.
Errors of all first-person moments along the path that `align_takes` finds, in third-person seconds; differences are
paired, intervals over pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

import actor_observer
from actor_observer.alignment.two_performances import align_takes
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of, median_of
from actor_observer.features import FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.device import best_device
from actor_observer.pairs import read_manifest
from actor_observer.training.after.placing import fit_placing
from selector import with_placing

MINI = Path(actor_observer.__file__).parent / "playhouse" / "mini"
Weigh = Callable[[TakeEmbedding], NDArray[np.float64]]
WAYS: dict[str, Weigh] = {
    "all alike": lambda take: np.ones(len(take.times)),
    "the paper's selector": lambda take: np.asarray(take.weight, float),
    "chance of being placed": lambda take: np.asarray(take.chance, float) / float(np.mean(take.chance)),  # type: ignore[arg-type]
    "its square": lambda take: np.asarray(take.chance, float) ** 2 / float(np.mean(np.square(take.chance))),  # type: ignore[arg-type]
}


def main(
    data: Positional[Path] = MINI,
    model: str | None = None,
    splits: tuple[str, ...] = ("validation",),  # what to weigh by is chosen by this: test pairs come last
    cache: Path | None = None,
    device: str = "auto",
    save: Path | None = None,  # fit the head anew, and keep the network that has it here
) -> None:
    network, manifest, truth = open_model(model), read_manifest(data), find_truth(data)
    look, store, where = Look.of_network(network.config, LOOK_RATE), FeatureCache(cache), best_device(device)
    phi, _ = store.features(network.config.backbone, network.backbone, list(manifest.takes.values()), look, where)
    if network.placing is None or save:
        network = with_placing(network)
        pairs = [pair for pair in manifest.of("train").pairs if pair.same_person]
        fit_placing(network, embed_features(network, phi), pairs)
        if save:
            network.save_pretrained(save)
    own = embed_features(network, phi)
    asked = [pair for split in splits for pair in manifest.of(split).pairs if pair.same_person]  # type: ignore[arg-type]
    asked = list(truth.exact(asked)) if truth else asked
    errors: dict[str, list[NDArray[np.float64]]] = {}
    for name, weigh in WAYS.items():
        for pair in asked:
            third, first = (replace(own[id], weight=weigh(own[id]), chance=None) for id in (pair.third, pair.first))
            found = align_takes(third, first, (phi[pair.third], phi[pair.first]))
            times = np.array([point.first for point in found.placed])
            right = pair.clock.to_third(times)
            shown = (right >= 0) & (right <= found.lengths[0]) & pair.clock.first_in_both(times)
            errors.setdefault(name, []).append(np.abs(found.clock.to_third(times) - right)[shown])
    print(f"{len(asked)} pairs of {data.name}, {', '.join(splits)}\n")
    print("| weights | median (s) | mean (s) | better than all alike by, mean (s) |\n|---|---|---|---|")
    video = np.repeat(np.arange(len(asked)), [len(one) for one in errors["all alike"]])
    plain = np.concatenate(errors["all alike"])
    for name, some in errors.items():
        error = np.concatenate(some)
        cells = [median_of(error, video), mean_of(error, video), mean_of(plain - error, video)]
        told = [f"{bootstrap(cell, len(asked))}" for cell in cells]
        print(f"| {name} | {' | '.join(told)} |")


if __name__ == "__main__":
    tyro.cli(main)
