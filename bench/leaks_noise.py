"""The experiments on noise behind bench/leaks.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from actor_observer.evaluation import Interval, accuracy
from actor_observer.evaluation.compared.ridge import fit_ridge
from actor_observer.evaluation.compared.rivals import RidgeMap
from actor_observer.evaluation.measures.placement import place_by_matrix
from actor_observer.evaluation.measures.recognition import average_precision
from actor_observer.evaluation.statistics.chance import UniformGuess
from actor_observer.features import Embeddings, TakeEmbedding, embed_features
from actor_observer.features.distances import box_mean
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.steps.triplet import TripletStep
from actor_observer.pairs import VIEWS, Clock, Manifest, Pair, Take
from actor_observer.sampling import Stream, TripletSource
from actor_observer.sampling.windows import frame_times

Array = NDArray[np.float64]
Noise = tuple[Manifest, Embeddings]
CLASSES = 8  # of the label leak
RADIUS = 3  # frames: the published window is 7 x 7
SIZE = 512  # numbers a frame, as a ResNet-18 gives
OFFSET = 50.0  # how far apart the views are, in standard deviations: frames of a view have something in common


def noise_pairs(videos: int, seed: int, length: float = 31.0, size: int = SIZE, rate: float = 2.0) -> Noise:
    """Pairs of takes whose frames are independent noise; only the views differ in their mean."""
    rng = np.random.default_rng(seed)
    offset = np.zeros(size)
    offset[0] = OFFSET
    times = frame_times(length, rate)
    takes, pairs, embedded = {}, [], {}
    for number in range(videos):
        for view in VIEWS:
            id = f"{number}.{view}"
            frames = rng.normal(size=(len(times), size)) + (offset if view == "third" else 0)
            takes[id] = Take(id, view, Path(id), length)
            embedded[id] = TakeEmbedding(view, times, frames.astype(np.float32))
        pairs.append(Pair(str(number), f"{number}.third", f"{number}.first", Clock.scaled(length, length)))
    return Manifest(takes, tuple(pairs)), Embeddings(embedded)


def learn_heads(noise: Noise, epochs: int = 12) -> Callable[[Embeddings], Embeddings]:
    """The paper's selector with two first-person heads, learned on noise; the embedding stays as it is."""
    manifest, embeddings = noise
    torch.manual_seed(0)
    config = NetworkConfig("resnet18", selector_scale=0.5, balance=False, videos=len(manifest.takes))
    network = ActorObserverNet(config, pretrained=False)
    step = TripletStep(network)
    optimiser = torch.optim.AdamW(network.heads.parameters(), lr=3e-3)
    source = TripletSource(manifest)
    number = {id: place for place, id in enumerate(manifest.takes)}
    for epoch in range(epochs):
        for batch in Stream(source, batch=60, seed=0).epoch(epoch):
            asked = [source.pairs[place] for place in batch.pair]
            rows = []
            for pair, x, z, z_negative in zip(asked, batch.x, batch.z, batch.z_negative, strict=True):
                third, first = embeddings[pair.third], embeddings[pair.first]
                places = first.at(np.array([z, z_negative]))
                rows.append((third.features[third.at(np.array([x]))[0]], *first.features[places]))
            x, z, z_negative = (torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))
            videos = torch.tensor([[number[p.third], number[p.first], number[p.first]] for p in asked])
            optimiser.zero_grad()
            step(x, z, z_negative, videos).loss.backward()
            optimiser.step()
    return lambda other: embed_features(network, other)


def border_choices(matrices: int, length: float) -> tuple[Array, Array, float]:
    """(third, first) times of the chosen cells with clipped and with whole windows; a uniform guess's median error."""
    rng = np.random.default_rng(0)
    times = frame_times(length, 6.0)
    empty = np.zeros((len(times), 1))
    third, first = TakeEmbedding("third", times, empty), TakeEmbedding("first", times, empty)
    clock = Clock.scaled(length, length)
    clipped, whole, grids = [], [], []
    for _ in range(matrices):
        matrix = rng.random((len(times), len(times)))
        j, i = np.unravel_index(np.argmin(box_mean(matrix, RADIUS, clipped=True)), matrix.shape)
        clipped.append((times[i], times[j]))
        inner = box_mean(matrix, RADIUS)
        j, i = np.unravel_index(np.argmin(inner), inner.shape)
        whole.append((times[i + 3], times[j + 3]))
        placed = place_by_matrix(matrix, third, first, clock)
        assert placed is not None
        assert abs(placed.best_error - abs(whole[-1][0] - whole[-1][1])) < 1e-9  # the evaluator chooses the same cell
        grids.append((placed.third, placed.truth))
    return np.array(clipped), np.array(whole), UniformGuess(grids).median()


def label_leak(paired: int, same: bool, draws: int = 24) -> Interval:
    """Share of first-person clips named correctly, with an interval over several draws of everything."""
    right = np.stack([_named_right(paired, same, seed) for seed in range(draws)])  # (draws, clips)
    return accuracy(right.ravel(), np.repeat(np.arange(draws), right.shape[1]))


def _named_right(paired: int, same: bool, seed: int, tested: int = 100) -> Array:
    """Recognise first-person clips with a classifier of third-person labels, through a ridge map learned on pairs.

    The third person shows which clip it is and nothing of the class; the first person shows the class. Whatever the
    classifier knows about the first person came through the pairs.
    """
    rng = np.random.default_rng([seed, paired, same])
    classes = CLASSES
    look = rng.normal(size=(classes, 24))  # how each class looks in first person

    def clips(count: int) -> tuple[NDArray[np.int64], list[Array], list[Array]]:
        label = rng.integers(0, classes, count)
        third = [rng.normal(size=64) + 0.5 * rng.normal(size=(10, 64)) for _ in label]
        first = [look[own] + 1.5 * rng.normal(size=24) + 0.5 * rng.normal(size=(10, 24)) for own in label]
        return label, third, first

    times = np.arange(10.0)
    label, third, first = clips(paired)
    takes = {f"{n}.third": TakeEmbedding("third", times, frames) for n, frames in enumerate(third)}
    takes |= {f"{n}.first": TakeEmbedding("first", times, frames) for n, frames in enumerate(first)}
    pairs = [Pair(str(n), f"{n}.third", f"{n}.first", Clock.scaled(10, 10)) for n in range(paired)]
    link = RidgeMap().fit(Embeddings(takes), pairs)
    if not same:
        label, third, _ = clips(paired)
    seen = np.concatenate([link.embed("third", frames) for frames in third])
    whose = np.repeat(np.arange(paired), 10)
    classifier = fit_ridge(seen, np.eye(classes)[label[whose]], whose, (1.0, 100.0, 1e4))
    truth, _, test = clips(tested)
    scores = np.stack([classifier(np.asarray(link.embed("first", frames))).mean(axis=0) for frames in test])
    return (scores.argmax(axis=1) == truth).astype(float)


def small_tests(videos: int, draws: int, classes: int = 157) -> list[float]:
    """The mAP of one method on several test sets: class frequencies as skewed as Charades', about seven a video."""
    found = []
    for draw in range(draws):
        rng = np.random.default_rng([videos, draw])
        often = 7 * (1 / np.arange(4, 4 + classes)) / (1 / np.arange(4, 4 + classes)).sum()
        positive = rng.random((videos, classes)) < np.minimum(often, 0.9)
        scores = rng.normal(size=(videos, classes)) + 0.9 * positive
        ap = [average_precision(scores[:, c], positive[:, c]) for c in range(classes) if positive[:, c].any()]
        found.append(float(np.mean(ap)))
    return found
