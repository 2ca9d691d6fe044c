"""A selector that learns what a second is worth: how much worse moments are placed when it is masked. Five seeds.

    python bench/selector_masked.py APART JUDGED --out DIR [--model RUN] [--seeds 5] [--test]

APART is a `pairs.csv` with exact clocks, of pairs that the model did not learn from (`bench/marked.py` makes it);
JUDGED a rendered set. For every frame of APART, φ of the second around it gives way to the take's mean, the take is
embedded anew, and the rise of the placing loss of the moments within 8 s is the frame's target. The selector is the
paper's, f = s·tanh(w·φ + b), and what it maximises is the weighted mean of that rise, Σ p·r with p the softmax of f
over a take, for each pair by itself (`loss_average=pair`). Judged beside it: the chance of being placed, position in
the take alone, the paper's selector in the model, and all moments alike. What docs recommend is chosen on JUDGED's
validation pairs; with `--test` the same rows are printed for its test pairs, once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch
import tyro
from torch import Tensor, nn
from tyro.conf import Positional

from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.measures.selector_truth import score_selector
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import median_of, median_of_top
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.evaluation.used import for_choosing, seen_before
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.features.models import open_model
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs import Pair, read_manifest
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.training.after.placing import fit_placing, placed_right
from selector import with_placing
from selector_ways import Scores, World, candidates, fitted, foretold, targets

RATE = 2.0  # frames a second, as `align` looks
MASK, REACH, TOLERANCE = 0.5, 8.0, 1.0  # seconds to either side: masked, looked at afterwards, counted as right
POSITION = "position alone (control)"
Rises = Mapping[View, list[tuple[Tensor, Tensor]]]  # φ of a take (T, D), centred; the rise of each frame (T,)


def main(
    apart: Positional[Path],
    judged: Positional[Path],
    out: Path,
    model: str | None = None,
    seeds: int = 5,
    test: bool = False,
    cache: Path | None = None,
) -> None:
    network = open_model(model)
    out.mkdir(parents=True, exist_ok=True)
    learn = world(network, apart, "train", cache)
    network = with_placing(network)
    print("placed right when fitted:", fit_placing(network, learn.embedded, learn.pairs), flush=True)
    network.save_pretrained(out / "placed")
    rises = rises_of(network.eval(), learn)
    found = [{view: fit(rises[view], seed) for view in VIEWS} for seed in range(seeds)]
    place = candidates()[POSITION]
    of_place = fitted(place, learn, learn.pairs, targets(learn.pairs, learn.embedded), "cpu")
    splits: list[Literal["validation", "test"]] = ["validation", "test"] if test else ["validation"]
    tables = {}
    for split in splits:
        judge = world(network, judged, split, cache)
        if split == "validation":
            for_choosing(judged, judge.pairs, split, "which selector docs recommend (bench/selector_masked.py)")
        else:
            print(seen_before(judged, judge.pairs))
        rows: dict[str, Sequence[Scores]] = {
            "all alike": [{id: np.ones(len(take.times)) for id, take in judge.embedded.items()}],
            "the paper's selector, as in the model": [own(judge, "weight")],
            "chance of being placed": [own(judge, "chance")],
            "position in the take alone": [foretold(place, of_place, judge, "cpu")],
            f"what masking costs, mean of {seeds} seeds": [told(judge, one) for one in found],
        }
        title = f"{split}: {len(judge.pairs)} pairs of {judged.name}"
        cells = {name: measured(judge, scores) for name, scores in rows.items()}
        tables[split] = Figures(f"masked-{split}", title, COLUMNS, cells, COLUMNS[3:])
        print(as_markdown(tables[split]), end="\n\n", flush=True)
        each = [float(measured(judge, [scores], 2)[2].value) for scores in rows[list(rows)[-1]]]  # type: ignore[union-attr]
        print("best 20 %, each seed (s):", ", ".join(f"{one:.2f}" for one in each), flush=True)
    (out / "masked.json").write_text(json.dumps({key: table.to_dict() for key, table in tables.items()}))


COLUMNS = ("placed, all (s)", "best half (s)", "best 20 % (s)", "AUC, hands and object, third", "AUC, first")


def world(
    network: ActorObserverNet, data: Path, split: Literal["train", "validation", "test"], cache: Path | None
) -> World:
    """A split's pairs of one person by their exact clocks, as the network sees them."""
    manifest, truth = read_manifest(data).of(split), find_truth(data)
    pairs: Sequence[Pair] = [pair for pair in manifest.pairs if pair.same_person]
    pairs = truth.exact(pairs) if truth else pairs
    takes = [manifest.takes[id] for pair in pairs for id in (pair.third, pair.first)]
    look = Look.of_network(network.config, RATE)
    phi, faults = FeatureCache(cache).features(network.config.backbone, network.backbone, takes, look, "cpu")
    assert not faults, next(iter(faults.values()))
    embedded = embed_features(network, phi)
    return World(list(pairs), phi, embedded, embedded, manifest, truth)


def rises_of(network: ActorObserverNet, learn: World) -> Rises:
    """How much each frame's second is worth, for every take."""
    found: dict[View, list[tuple[Tensor, Tensor]]] = {view: [] for view in VIEWS}
    for pair in learn.pairs:
        third, first = learn.phi[pair.third], learn.phi[pair.first]
        gap = torch.from_numpy(pair.clock.apart(third.times, first.times))  # (first, third)
        for view, own_id, other_id, apart in (
            ("third", pair.third, pair.first, gap.T),
            ("first", pair.first, pair.third, gap),
        ):
            other = torch.from_numpy(np.asarray(learn.embedded[other_id].features)).float()
            rise = _rise(network, learn.phi[own_id], other, apart)
            phi = torch.from_numpy(np.asarray(learn.phi[own_id].features)).float()
            found[view].append((phi - phi.mean(dim=0), rise))  # type: ignore[index]
    return found


def _rise(network: ActorObserverNet, take: TakeEmbedding, other: Tensor, gap: Tensor) -> Tensor:
    """The mean rise of the placing loss around each frame (T,) when its second is masked; NaN: nothing is asked."""
    times = np.asarray(take.times)
    masks = torch.from_numpy(np.abs(times[:, None] - times[None, :]) <= MASK + 1e-6)  # (T, T)
    phi, when = torch.from_numpy(np.asarray(take.features)).float(), torch.from_numpy(times).float()

    @torch.inference_mode()
    def loss(seen: Tensor) -> Tensor:
        own = network.embed(network.in_take(seen, when), take.view).features  # the embedding alone: no names, no chance
        soft, _ = placed_right(own, other, gap, TOLERANCE)
        return -soft.clamp(min=1e-6).log()  # NaN where a frame has no right moment

    usual, rises = loss(phi), []
    for row in range(len(times)):
        around = torch.from_numpy(np.abs(times - times[row]) <= REACH) & usual.isfinite()
        rises.append((loss(torch.where(masks[row][:, None], phi.mean(dim=0), phi)) - usual)[around].mean())
    return torch.stack(rises)


def fit(takes: Sequence[tuple[Tensor, Tensor]], seed: int, steps: int = 400) -> tuple[nn.Linear, float]:
    """The selector of one view: the paper's form, by the weighted mean rise of each take."""
    torch.manual_seed(seed)
    known = [(phi[rise.isfinite()], rise[rise.isfinite()]) for phi, rise in takes]
    known = [(phi, (rise - rise.mean()) / rise.std().clamp(min=1e-6)) for phi, rise in known if len(rise) > 2]
    size = torch.cat([phi for phi, _ in known]).std(dim=0).clamp(min=1e-3)
    linear, log_scale = nn.Linear(len(size), 1), nn.Parameter(torch.tensor(0.5).log())
    optimiser = torch.optim.AdamW([*linear.parameters(), log_scale], lr=1e-3, weight_decay=0.3)
    for _ in range(steps):
        loss = torch.zeros(())
        for number in torch.randint(len(known), (16,)).tolist():
            phi, rise = known[number]
            f = log_scale.exp() * torch.tanh(linear(phi / size).squeeze(1))
            loss = loss - (f.softmax(dim=0) * rise).sum() / 16  # its gradient to f is p·(L − r), L of this pair
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        linear.weight.div_(size)
    return linear.requires_grad_(False), float(log_scale.detach().exp())


def told(judge: World, found: Mapping[View, tuple[nn.Linear, float]]) -> Scores:
    """The weight of every frame, e^f over its mean in the take."""
    scores = {}
    for view in VIEWS:
        linear, scale = found[view]
        for id in judge.ids(view):
            phi = torch.from_numpy(np.asarray(judge.phi[id].features)).float()
            weight = (scale * torch.tanh(linear(phi - phi.mean(dim=0)).squeeze(1))).exp().double().numpy()
            scores[id] = weight / weight.mean()
    return scores


def own(judge: World, name: Literal["weight", "chance"]) -> Scores:
    return {id: np.asarray(getattr(take, name), float) for id, take in judge.embedded.items()}


def measured(judge: World, ways: Sequence[Scores], replicates: int = 300) -> tuple[Cell, ...]:
    """A row: the median error of all moments and of those of highest weight, means over several ways of weighing."""
    count = len(judge.pairs)
    chosen = [
        Embeddings({id: replace(take, weight=scores[id]) for id, take in judge.embedded.items() if id in scores})
        for scores in ways
    ]
    every = [[(number, one) for number, one in enumerate(place_all(some, judge.pairs)) if one] for some in chosen]
    error = np.concatenate([one.error for _, one in every[0]])
    video = np.concatenate([np.full(len(one.error), number) for number, one in every[0]])
    likes = [np.concatenate([one.weight for _, one in placed]) for placed in every]

    def top(share: float) -> Interval:
        parts = [median_of_top(error, video, like, share) for like in likes]
        return bootstrap(lambda counts: float(np.mean([part(counts) for part in parts])), count, replicates)

    curves: list[Cell] = [None, None]
    if judge.truth is not None and len(ways) == 1:
        sides = [score_selector(chosen[0], judge.truth, judge.ids(view), view) for view in VIEWS]
        curves = [side.auc if side else None for side in sides]
    return (bootstrap(median_of(error, video), count, replicates), top(0.5), top(0.2), *curves)


if __name__ == "__main__":
    torch.set_num_threads(1)
    tyro.cli(main)
