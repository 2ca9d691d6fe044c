"""A row of bench/styles.py: heads on one backbone, judged in every world. Runs in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from actor_observer import load
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.over_videos import median_of, share_of
from actor_observer.evaluation.tables.layout import Cell
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs import ROBOTS, Manifest, Pair, Take, read_manifest
from actor_observer.sampling import quads
from actor_observer.training import recipe_named, train, with_settings
from names import named
from objective_runs import Job, fit
from real import groups, only
from real_figures import PROTOCOL as SHORT_PROTOCOL
from seeds import over_seeds
from style_backbones import BACKBONE

LEARN_RATE, ROBOT_RATE = 3.0, 12.0  # frames a second
SIZE = 160  # pixels
HEADS = (
    f"size={SIZE}",
    *("epochs=20", "validate_every=4", "network.context_size=96", "network.projection_hidden=192"),
)
SEEN = ("styled validation", "as rendered", "other style")
COLUMNS = (
    *(f"{SEEN[0]}: {name}" for name in ("quads", "mAP, third", "mAP, first")),
    *(f"{place}: {name}" for place in SEEN[1:] for name in ("quads", "every moment (s)", "mAP, third", "mAP, first")),
    *("robots: quads", "Kinova: quads", "Kinova: every moment (s)", "robots, heads of their own: quads"),
)
PERCENT = tuple(name for name in COLUMNS if "(s)" not in name)


@dataclass(frozen=True)
class Sets:
    """What the heads learn from and are judged on."""

    judged: Path
    heads: Path  # whose training pairs the heads learn from
    styled_validation: Path
    styled_test: Path
    kinova: Path | None
    kinova_every: int
    every: int  # of the test pairs, 1 in so many
    robots: bool
    rate: float  # frames a second that are judged, of all but the robots
    seeds: int
    cache: Path | None
    device: str

    def look(self, rate: float = 0.0) -> Look:
        return Look(rate or self.rate, SIZE, "whole")

    def parts(self) -> dict[str, tuple[Path, Manifest]]:
        """The rendered sets that are judged, by name."""
        return {
            SEEN[0]: (self.styled_validation, read_manifest(self.styled_validation).of("validation")),
            SEEN[1]: (self.judged, self.thinned(self.judged)),
            SEEN[2]: (self.styled_test, self.thinned(self.styled_test)),
        }

    def thinned(self, data: Path) -> Manifest:
        test = read_manifest(data).of("test")
        pairs = test.pairs[:: self.every]
        takes = {id: test.takes[id] for pair in pairs for id in (pair.third, pair.first)}
        return replace(test, takes=takes, pairs=pairs)

    def kinova_pairs(self) -> Manifest | None:
        if self.kinova is None:
            return None
        manifest = read_manifest(self.kinova)
        return only(manifest, list(manifest.pairs)[:: self.kinova_every])

    def rendered(self) -> list[tuple[list[Take], Look]]:
        learned = [take for take in read_manifest(self.heads).takes.values() if take.split != "test"]
        judged = [(list(part.takes.values()), self.look()) for _, part in self.parts().values()]
        return [(learned, self.look(LEARN_RATE)), *judged]

    def real(self) -> list[tuple[list[Take], Look]]:
        arm = self.kinova_pairs()
        robots = (list(read_manifest(ROBOTS).takes.values()), self.look(ROBOT_RATE))
        return [*([robots] if self.robots else []), *([(list(arm.takes.values()), self.look())] if arm else [])]


def rendered_row(sets: Sets, start: Path, run: Path) -> list[Cell]:
    """Heads trained on rendered pairs, judged on every set: quads, placing, names."""
    torch.set_num_threads(1)
    networks = []
    for seed in range(sets.seeds):
        recipe = with_settings(recipe_named("quick"), [*HEADS, f"init={start}", f"seed={seed}"])
        train(recipe, sets.heads, run / str(seed), (), sets.cache, sets.device, quiet=True, checked=True)
        networks.append(load(run / str(seed)))
    cells: list[Cell] = []
    for name, (data, part) in sets.parts().items():
        truth = find_truth(data)
        pairs = list(truth.exact(part.pairs)) if truth else list(part.pairs)
        phi = features(networks[0], sets, list(part.takes.values()), sets.rate)
        own = [embed_features(network, phi) for network in networks]
        cells += placed(own, part, pairs, Protocol())[: 1 if name == SEEN[0] else 2]
        found = [named(network, dict(phi), part) for network in networks]
        cells += [over([one[view].mean for one in found]) for view in ("third", "first")]
    cells += robots_by(networks, sets) if sets.robots else [None]
    arm = sets.kinova_pairs()
    if arm is None:
        return [*cells, None, None]
    phi = features(networks[0], sets, list(arm.takes.values()), sets.rate)
    own = [embed_features(network, phi) for network in networks]
    return [*cells, *placed(own, arm, list(arm.pairs), Protocol())]


def robots_by(networks: Sequence[ActorObserverNet], sets: Sets) -> list[Cell]:
    """The robots, by heads that learned from rendered pairs."""
    robots = read_manifest(ROBOTS)
    phi = features(networks[0], sets, list(robots.takes.values()), ROBOT_RATE)
    own = [embed_features(network, phi) for network in networks]
    return placed(own, robots, list(robots.pairs), SHORT_PROTOCOL)[:1]


def features(network: ActorObserverNet, sets: Sets, takes: Sequence[Take], rate: float) -> Embeddings:
    device = best_device(sets.device)
    phi, faults = FeatureCache(sets.cache).features(BACKBONE, network.backbone, takes, sets.look(rate), device)
    assert not faults, next(iter(faults.values()))
    return phi


def placed(seeds: Sequence[Embeddings], manifest: Manifest, pairs: Sequence[Pair], p: Protocol) -> list[Cell]:
    """The share of quads right, and how far off moments are placed: means over seeds."""
    asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
    right = [share_of(quad_distances(one, asked, pairs).right(), asked.pair) for one in seeds]
    off = []
    for one in seeds:
        found = [(number, some) for number, some in enumerate(place_all(one, pairs, p.moment, p.moment_share)) if some]
        video = np.concatenate([np.full(len(some.error), number) for number, some in found])
        off.append(median_of(np.concatenate([some.error for _, some in found]), video))

    return [over_seeds(right, len(pairs)), over_seeds(off, len(pairs))]


def over(seeds: Sequence[Interval]) -> Interval:
    """The mean over seeds, of the value and of both ends."""
    first = seeds[0]
    value, low, high = (float(np.mean([getattr(one, end) for one in seeds])) for end in ("value", "low", "high"))
    return replace(first, value=value, low=low, high=high)


def robots_row(sets: Sets, start: Path, run: Path) -> list[Cell]:
    """Heads for the robots on this backbone, each fold judged by those of the others."""
    torch.set_num_threads(1)
    manifest = read_manifest(ROBOTS)
    folds = groups(manifest, list(manifest.pairs), 5, seed=0)
    recipe = recipe_named("quick-short")
    look = Look(recipe.look_rate, recipe.size, recipe.crop)
    backbone, device = load(start).backbone, best_device(sets.device)
    phi, _ = FeatureCache(sets.cache).features(BACKBONE, backbone, list(manifest.takes.values()), look, device)
    seeds: list[Embeddings] = []
    for seed in range(sets.seeds):
        found: dict[str, TakeEmbedding] = {}
        for number, part in enumerate(folds):
            rest = [pair for other, some in enumerate(folds) if other != number for pair in some]
            settings = [f"init={start}", f"seed={seed}"]
            folder = run / f"{number} {seed}"
            fit(Job(with_settings(recipe, settings), only(manifest, rest), folder, sets.cache, sets.device))
            ids = [id for pair in part for id in (pair.third, pair.first)]
            found |= dict(embed_features(load(folder), {id: phi[id] for id in ids}))
        seeds.append(Embeddings(found))
    pairs = [pair for part in folds for pair in part]
    return placed(seeds, manifest, pairs, SHORT_PROTOCOL)[:1]
