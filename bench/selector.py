"""Which moments can be trusted? Several selectors, fitted on takes that the embedding never saw, side by side.

    python bench/selector.py FRESH JUDGED --out DIR [--model RUN]

FRESH and JUDGED are made by `bench/learning_sets.py`. All are fitted on the training pairs of FRESH, whose takes had no
part in making the model, by the clocks of the data; looked at on FRESH's validation pairs; and judged on JUDGED's test
pairs by exact clocks. What they learn is the probability that a frame gives to its right moments in the other take (two
seconds to either side), by the model's own embedding or by one that sees single frames. "Position alone" and "takes
exchanged" are the controls: what time alone would give. DIR gets selector.json, selector.md and the network with
the head of `model/placing.py` fitted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
import tyro
from tyro.conf import Positional

from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.measures.selector_truth import score_selector
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import median_of, median_of_top, top_share
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.evaluation.tables.correspondence_tables import quad_weight
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.features.models import open_model
from actor_observer.model.device import best_device
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import read_manifest
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.sampling import quads
from actor_observer.training import recipe_named, train, with_settings
from actor_observer.training.after.placing import fit_placing
from selector_ways import (
    CHOSEN,
    TOLERANCE,
    Candidate,
    Function,
    Scores,
    World,
    candidates,
    fitted,
    foretold,
    targets,
)

LEARN_RATE, JUDGE_RATE = 3.0, 6.0  # frames a second


def main(
    fresh: Positional[Path],
    judged: Positional[Path],
    out: Path,
    model: str | None = None,
    cache: Path | None = None,
    device: str = "auto",
) -> None:
    where, network = best_device(device), open_model(model)
    out.mkdir(parents=True, exist_ok=True)
    alone = frame_by_frame(judged, out / "alone", model, cache, device)

    def world(data: Path, split: str, rate: float) -> World:
        manifest = read_manifest(data).of(split)  # type: ignore[arg-type]
        truth = find_truth(data)
        pairs = [pair for pair in manifest.pairs if pair.same_person]
        takes = [manifest.takes[id] for pair in pairs for id in (pair.third, pair.first)]
        look = Look.of_network(network.config, rate)
        phi, faults = FeatureCache(cache).features(network.config.backbone, network.backbone, takes, look, where)
        assert not faults, next(iter(faults.values()))
        exact = truth.exact(pairs) if truth and split != "train" else pairs
        return World(list(exact), phi, embed_features(network, phi), embed_features(alone, phi), manifest, truth)

    learn, validation = world(fresh, "train", LEARN_RATE), world(fresh, "validation", JUDGE_RATE)
    test = world(judged, "test", JUDGE_RATE)
    print(
        f"fitted on {len(learn.pairs)}, validated on {len(validation.pairs)}, judged on {len(test.pairs)}", flush=True
    )
    bench = Judged({"validation": validation, "test": test}, out)
    bench.add("all alike", lambda world: {id: np.ones(len(take.times)) for id, take in world.embedded.items()})
    bench.add("the paper's, as in the box", own_weight)
    bench.margin("the plain margin (sees both takes)")
    head = with_placing(network)
    shares = fit_placing(head, learn.embedded, learn.pairs)
    head.save_pretrained(out / "placed")
    print("placed right when fitted:", shares, flush=True)

    def chance(world: World) -> Scores:
        return {id: np.asarray(take.chance, float) for id, take in embed_features(head, world.phi).items()}

    bench.add("`placing`, the head of the package", chance, calibrate=True)
    told = {False: targets(learn.pairs, learn.embedded), True: targets(learn.pairs, learn.alone)}
    others = exchanged(learn.embedded, learn.pairs)
    for label, candidate in candidates().items():
        found = fitted(candidate, learn, learn.pairs, told[candidate.frame_by_frame], where)
        bench.add(label, partial(foretold, candidate, found, where=where))
        if label == CHOSEN:
            bench.add(f"{label}, relative to its take", partial(relative, candidate, found, where=where))
            strange = fitted(candidate, learn, others, targets(others, learn.embedded), where)
            bench.add(f"{label}, fitted with takes exchanged", partial(foretold, candidate, strange, where=where))


def relative(candidate: Candidate, found: Mapping[View, Function], judge: World, where: str) -> Scores:
    scores = foretold(candidate, found, judge, where)
    return {id: values / values.mean() for id, values in scores.items()}


class Judged:
    """Rows for every world, written as they come."""

    def __init__(self, worlds: Mapping[str, World], out: Path) -> None:
        self.worlds, self.out = worlds, out
        self.rows: dict[str, dict[str, tuple[Cell, ...]]] = {name: {} for name in worlds}
        self.calibrations: dict[str, Figures] = {}

    def add(self, label: str, scores: Callable[[World], Scores], calibrate: bool = False) -> None:
        for name, world in self.worlds.items():
            found = scores(world)
            self.rows[name][label] = measured(world, found)
            if calibrate:
                self.calibrations[f"{name}-calibration"] = calibration(world, found)
            print(f"{name}, {label}: {list(map(str, self.rows[name][label]))}", flush=True)
        self.write()

    def margin(self, label: str) -> None:
        for name, world in self.worlds.items():
            self.rows[name][label] = (None, None, *by_margin(world), None, None, None)

    def write(self) -> None:
        tables = {
            name: Figures(f"selector-{name}", f"{name}: {len(self.worlds[name].pairs)} pairs", COLUMNS, rows, PERCENT)
            for name, rows in self.rows.items()
        }
        tables |= self.calibrations
        (self.out / "selector.json").write_text(json.dumps({key: table.to_dict() for key, table in tables.items()}))
        (self.out / "selector.md").write_text("\n\n".join(map(as_markdown, tables.values())) + "\n")


COLUMNS = (
    "AUC, hands and object, third",
    "AUC, first",
    *("quads, all", "50 %", "10 %", "5 %"),
    *("placed, all (s)", "best half (s)", "best 20 % (s)"),
)
PERCENT = COLUMNS[:6]


def frame_by_frame(data: Path, run: Path, model: str | None, cache: Path | None, device: str) -> ActorObserverNet:
    """Heads on the same backbone that see single frames: `quick` without context."""
    start = str(BOX if model is None else model)
    changes = ["network.context=", f"init={start}", "size=160", "epochs=20", "validate_every=4", "labelled_share=0"]
    train(with_settings(recipe_named("quick"), [*changes, "refit=false"]), data, run, (), cache, device, quiet=True)
    return load(run)


def own_weight(world: World) -> Scores:
    return {id: np.asarray(take.weight, float) for id, take in world.embedded.items()}


def measured(world: World, scores: Scores, replicates: int = 200) -> tuple[Cell, ...]:
    """A row of the table: what happens when quads and moments are chosen by these scores."""
    chosen = Embeddings({id: replace(take, weight=scores[id]) for id, take in world.embedded.items() if id in scores})
    curves = [None, None]
    if world.truth is not None:
        sides = [score_selector(chosen, world.truth, world.ids(view), view) for view in VIEWS]
        curves = [side.auc if side else None for side in sides]  # type: ignore[misc]
    asked, _ = quads(world.manifest, world.pairs, 10.0, 1.0, 60, 0)
    right = quad_distances(chosen, asked, world.pairs).right()
    weight = quad_weight(chosen, asked, world.pairs)
    count = len(world.pairs)
    shares = [share_over(top_share(right, asked.pair, weight, share), count) for share in (1.0, 0.5, 0.1, 0.05)]
    placed = place_all(chosen, world.pairs)
    error = np.concatenate([one.error for one in placed if one])
    video = np.concatenate([np.full(len(one.error), number) for number, one in enumerate(placed) if one])
    likes = np.concatenate([one.weight for one in placed if one])
    medians = [
        bootstrap(median_of(error, video), count, replicates),
        bootstrap(median_of_top(error, video, likes, 0.5), count, replicates),
        bootstrap(median_of_top(error, video, likes, 0.2), count, replicates),
    ]
    return (*curves, *shares, *medians)


def by_margin(world: World) -> list[Interval]:
    asked, _ = quads(world.manifest, world.pairs, 10.0, 1.0, 60, 0)
    found = quad_distances(world.embedded, asked, world.pairs)
    choices = (top_share(found.right(), asked.pair, found.margin(), share) for share in (1.0, 0.5, 0.1, 0.05))
    return [share_over(one, len(world.pairs)) for one in choices]


def with_placing(network: ActorObserverNet) -> ActorObserverNet:
    """The same network with an unfitted head for the chance of being placed."""
    made = ActorObserverNet(replace(network.config, placing=TOLERANCE), pretrained=False)
    made.load_state_dict({**made.state_dict(), **network.state_dict()})
    return made.eval()


def calibration(world: World, chance: Scores) -> Figures:
    """How often first-person moments were placed within the tolerance, by the chance that was foretold."""
    chosen = Embeddings({id: replace(take, weight=chance[id]) for id, take in world.embedded.items() if id in chance})
    placed = [one for one in place_all(chosen, world.pairs) if one]
    told = np.concatenate([one.weight for one in placed])
    right = np.concatenate([one.error <= TOLERANCE for one in placed]).astype(float)
    edges = np.quantile(told, np.linspace(0, 1, 6))
    bins = np.clip(np.searchsorted(edges, told, side="right") - 1, 0, 4)
    rows: dict[str, tuple[Cell, ...]] = {
        f"fifth {number + 1}": (
            float(told[bins == number].mean()),
            float(right[bins == number].mean()),
            int((bins == number).sum()),
        )
        for number in range(5)
    }
    off = float(np.mean([abs(told[bins == n].mean() - right[bins == n].mean()) for n in range(5)]))
    columns = ("chance foretold", "placed within 1 s", "moments")
    return Figures(
        "selector-calibration",
        "The chance, and what became of it",
        columns,
        rows,
        columns[:2],
        (f"mean gap {100 * off:.1f} points",),
    )


if __name__ == "__main__":
    torch.set_num_threads(4)
    tyro.cli(main)
