"""Is the playhouse neither trivial nor impossible? Fair correspondence of simple rivals, and of an oracle.

    python bench/playhouse_difficulty.py [--train 100] [--test 60] [--seeds 3] [--tempo free] [--out difficulty.json]

Only the frames that are scored are drawn: ten moments of every take. Rivals that learn do so from training pairs by
scaled time, as any method would; test quads go by the exact clock. Wanted: histograms, pixels and clock at most 57 %,
ImageNet features at most 65 %, the ridge map at most 75 %, the oracle with hands and object visible at least 95 %.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from actor_observer.console import progress
from actor_observer.evaluation import ClockRival, Interval, Raw, RidgeMap, Rival, Standardised, accuracy, quad_distances
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.pairs import VIEWS, Clock, Pair
from actor_observer.playhouse import PairPlan, TakePlan, plan_set
from actor_observer.playhouse.acting.scripting.actions import ACTIONS
from actor_observer.playhouse.filming.render import Painter
from actor_observer.playhouse.planner import Tempo
from actor_observer.playhouse.record import filming_of
from actor_observer.playhouse.truth_files import frame_truth
from actor_observer.sampling import Quads

FAR = 10.0
MOMENTS = 10  # of every pair
SIZE = (224, 168)

Floats = NDArray[np.float64]
Features = Callable[["Drawn"], Floats]  # (T, D)


@dataclass(frozen=True)
class Drawn:
    """Some frames of a take, and their truth."""

    images: NDArray[np.uint8]  # (T, H, W, 3)
    truth: dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Shown:
    """The same moments of a pair in both views; `times` are third-person seconds."""

    id: str
    times: Floats  # (T,)
    drawn: dict[str, Drawn]  # by view


def draw(take: TakePlan, times: Floats) -> Drawn:
    filming = filming_of(take)
    with Painter(filming, SIZE) as painter:
        frames = painter.draw(take.moments(times))
    shares = {name: getattr(frames, f"{name}_share") for name in ("hands", "object", "actor")}
    return Drawn(frames.images, frame_truth(take, filming, times, shares))


def show(pair: PairPlan, exact: bool) -> Shown:
    """Draw a grid of moments, with partners by the exact clock or by scaled time; runs in a worker process."""
    clock = pair.clock() if exact else Clock.scaled(pair.third.length, pair.first.length)
    shown = np.linspace(0, pair.third.length, 1000)
    shown = shown[clock.in_both(shown)]
    times = shown[((np.arange(MOMENTS) + 0.5) / MOMENTS * len(shown)).astype(int)]
    partners = np.clip(clock.to_first(times), 0.0, pair.first.length)
    return Shown(pair.third.id, times, {"third": draw(pair.third, times), "first": draw(pair.first, partners)})


def show_all(pairs: Sequence[PairPlan], exact: bool, pool: ProcessPoolExecutor) -> list[Shown]:
    jobs = [pool.submit(show, pair, exact) for pair in pairs]
    shown = []
    with progress("drawing", len(jobs)) as step:
        for job in jobs:
            shown.append(job.result())
            step()
    return shown


def histogram(drawn: Drawn) -> Floats:
    """Colours in 8 x 8 x 8 bins, as square roots of shares."""
    red, green, blue = np.moveaxis(drawn.images.astype(np.int64) // 32, -1, 0)
    code = (red * 64 + green * 8 + blue).reshape(len(red), -1)
    return np.stack([np.sqrt(np.bincount(row, minlength=512) / len(row)) for row in code])


def pixels(drawn: Drawn) -> Floats:
    frames = torch.from_numpy(drawn.images).permute(0, 3, 1, 2).float()
    small = torch.nn.functional.interpolate(frames, (32, 32), mode="bilinear", antialias=True)
    return np.asarray(small.flatten(1), dtype=float) / 255


class ImageNet:
    """Frozen ImageNet MobileNetV2."""

    def __init__(self) -> None:
        self.backbone = for_inference(create_backbone("mobilenet_v2"))

    @torch.inference_mode()
    def __call__(self, drawn: Drawn) -> Floats:
        return np.asarray(self.backbone(torch.from_numpy(drawn.images).permute(0, 3, 1, 2)), dtype=float)


def oracle(drawn: Drawn) -> Floats:
    """What is being done: action, object, phase, and hands relative to the body; nothing about time."""
    truth = drawn.truth
    action = np.eye(len(ACTIONS) + 1)[truth["action"]]  # the last column: between two actions
    names = truth["objects"][truth["object"]]
    held = np.array([[float(hash_of(str(name), n)) for n in range(16)] for name in names])
    hands = truth["hands"].reshape(len(action), -1)
    return np.hstack([3 * action, held, truth["phase"][:, None], hands])


def hash_of(name: str, number: int) -> bool:
    """A name as sixteen bits that other names are unlikely to share."""
    return bool(int.from_bytes(name.encode(), "little") % (65537 + 2 * number) & 1) if name else False


def embed(shown: Sequence[Shown], features: Features) -> tuple[Embeddings, list[Pair]]:
    takes, pairs = {}, []
    for one in shown:
        for view in VIEWS:
            takes[f"{one.id}.{view}"] = TakeEmbedding(view, one.times, features(one.drawn[view]))
        pairs.append(Pair(one.id, f"{one.id}.third", f"{one.id}.first", Clock(((0.0, 0.0),))))
    return Embeddings(takes), pairs


def quads_of(shown: Sequence[Shown]) -> Quads:
    rows = []
    for number, one in enumerate(shown):
        i, j = np.triu_indices(len(one.times), k=1)
        apart = one.times[j] - one.times[i] > FAR
        first, last = one.times[i][apart], one.times[j][apart]
        rows.append(np.stack([np.full(len(first), number), first, first, last, last]))
    pair, x_i, z_i, x_j, z_j = np.concatenate(rows, axis=1)
    return Quads(pair.astype(np.int64), x_i, z_i, x_j, z_j)


def in_full_view(shown: Sequence[Shown], quads: Quads) -> NDArray[np.bool_]:
    """Quads of which all four frames show hands and the object in use."""
    seen = []
    for one in shown:
        both = [one.drawn[view].truth["hands_visible"] & one.drawn[view].truth["object_visible"] for view in VIEWS]
        seen.append({float(time): bool(ok) for time, ok in zip(one.times, both[0] & both[1], strict=True)})
    return np.array([seen[p][a] and seen[p][b] for p, a, b in zip(quads.pair, quads.x_i, quads.x_j, strict=True)])


def one_seed(
    seed: int, train: int, test: int, tempo: Tempo, pool: ProcessPoolExecutor, imagenet: ImageNet
) -> dict[str, Interval]:
    total = train + test + 1
    plan = plan_set(total, seed, shares=(train / total, 1 / total, test / total), different=(), tempo=tempo)
    learn = show_all([pair for pair in plan.pairs if pair.third.split == "train"], exact=False, pool=pool)
    judge = show_all([pair for pair in plan.pairs if pair.third.split == "test"], exact=True, pool=pool)
    quads = quads_of(judge)
    rows: dict[str, tuple[Features, Rival]] = {
        "position only": (lambda drawn: np.zeros((MOMENTS, 1)), Raw()),
        "colour histogram": (histogram, Raw()),
        "colour histogram, standardised": (histogram, Standardised()),
        "pixels 32 x 32": (pixels, Raw()),
        "pixels 32 x 32, standardised": (pixels, Standardised()),
        "ImageNet features": (imagenet, Raw()),
        "ImageNet features, standardised": (imagenet, Standardised()),
        "clock": (imagenet, ClockRival()),
        "ridge map": (imagenet, RidgeMap()),
    }
    results = {}
    known: dict[Any, Any] = {}
    for name, (features, rival) in rows.items():
        if features not in known:
            known[features] = embed(learn, features), embed(judge, features)
        (seen, pairs), (tested, test_pairs) = known[features]
        found = quad_distances(tested.mapped(rival.fit(seen, pairs).embed), quads, test_pairs)
        results[name] = accuracy(found.right(), found.pair)
    tested, test_pairs = embed(judge, oracle)
    found = quad_distances(tested, quads, test_pairs)
    visible = in_full_view(judge, quads)
    results["oracle, all quads"] = accuracy(found.right(), found.pair)
    results["oracle, hands and object visible"] = accuracy(found.right()[visible], found.pair[visible])
    print(f"seed {seed}: {len(quads)} quads of {len(judge)} test pairs, {visible.sum()} with hands and object visible")
    return results


def main(train: int = 100, test: int = 60, seeds: int = 3, tempo: Tempo = "steady", out: Path | None = None) -> None:
    imagenet = ImageNet()
    context = multiprocessing.get_context("spawn")  # a GL context does not survive a fork
    with ProcessPoolExecutor(os.cpu_count(), context) as pool:
        results = [one_seed(seed, train, test, tempo, pool, imagenet) for seed in range(seeds)]
    table = Table("", "mean (%)", *(f"seed {seed} [95 %]" for seed in range(seeds)), title="fair correspondence")
    for name in results[0]:
        mean = 100 * np.mean([result[name].value for result in results])
        table.add_row(name, f"{mean:.1f}", *(result[name].percent() for result in results))
    Console(width=120).print(table)
    if out:
        out.write_text(json.dumps([{name: vars(value) for name, value in one.items()} for one in results], indent=2))


if __name__ == "__main__":
    tyro.cli(main)
