"""Which backbone holds up in a world it never saw? Frozen, fine-tuned, averaged, held back: judged on other styles.

    python bench/restyle.py FRESH OUT/styled-validation --split validation --seed 1
    python bench/restyle.py JUDGED OUT/styled-test --split test --seed 2
    python bench/styles.py FRESH JUDGED OUT/styled-validation OUT/styled-test --out DIR [--epochs 25] [--only NAME …]

FRESH and JUDGED are made by `bench/learning_sets.py`. The rows are ImageNet's backbone, the box's, averages of the two
(WiSE-FT, batch norm's statistics taken anew), and the box's fine-tuned on FRESH: as it was trained, with random styles
(filters, blur, noise, strong colours), and with styles while held near its start (L2-SP). On each, the heads of
`quick` are trained on JUDGED's training pairs. All are judged on the test pairs as rendered and in a style never seen,
and on the robots (heads of `quick-short`, 5 folds by script, one seed). The choice between them is made on
styled validation pairs alone.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
import tyro
from torch import nn
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation.correspondence import accuracy, quad_distances
from actor_observer.evaluation.exact_truth import find_truth
from actor_observer.evaluation.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import median_of
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.features.device import best_device
from actor_observer.frames.at import frames_at
from actor_observer.model import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Manifest, read_manifest
from actor_observer.sampling import quads
from actor_observer.training import recipe_named, train, with_settings
from names import named
from objectives import fit
from real import groups, only
from real_figures import PROTOCOL as SHORT_PROTOCOL

BACKBONE = "mobilenet_v2"
STYLES = (*("crops.style=0.5", "crops.brightness=0.6", "crops.contrast=0.6", "crops.saturation=1.0"),)
TUNED: dict[str, tuple[str, ...]] = {
    "box, fine-tuned as before": (),
    "box, fine-tuned with styles": STYLES,
    "box, fine-tuned with styles, L2-SP": (*STYLES, "optimiser.anchor=20"),
}
AVERAGES = (0.25, 0.5, 0.75)  # the box's share


def main(
    fresh: Positional[Path],
    judged: Positional[Path],
    styled_validation: Positional[Path],
    styled_test: Positional[Path],
    out: Path,
    epochs: int = 25,
    only: tuple[str, ...] = (),  # rows by name (WiSE-FT: all averages); none: all
    cache: Path | None = None,
    device: str = "auto",
    workers: int = 4,
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(4)
    rows: dict[str, tuple[Cell, ...]] = {}
    names = ["ImageNet", *(f"WiSE-FT, {100 * share:.0f} % box" for share in AVERAGES), "box", *TUNED]
    sets = {
        "styled validation": (styled_validation, "validation"),
        "as rendered": (judged, "test"),
        "other style": (styled_test, "test"),
    }
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for name in names:
            if only and name not in only and name.split(",")[0] not in {one for one in only if one not in names}:
                continue
            start = time.perf_counter()
            made = make_backbone(name, out / "backbones" / name, fresh, judged, epochs, cache, device)
            rows[name] = (
                *on_rendered(made, out / "heads" / name, judged, sets, cache, device),
                on_robots(made, out / "robots" / name, cache, device, pool),
            )
            print(f"{name} ({time.perf_counter() - start:.0f} s): {[str(cell) for cell in rows[name]]}", flush=True)
            table = Figures("styles", "Backbones in worlds they never saw", COLUMNS, rows, PERCENT)
            (out / "styles.json").write_text(json.dumps(table.as_json()))
            (out / "styles.md").write_text(as_markdown(table) + "\n")


SEEN = ("styled validation", "as rendered", "other style")
COLUMNS = (
    *(f"{SEEN[0]}: {name}" for name in ("quads", "mAP, first", "mAP, third")),
    *(f"{place}: {name}" for place in SEEN[1:] for name in ("quads", "every moment (s)", "mAP, first", "mAP, third")),
    "robots: quads",
)
PERCENT = tuple(name for name in COLUMNS if "(s)" not in name)


def make_backbone(
    name: str, folder: Path, fresh: Path, judged: Path, epochs: int, cache: Path | None, device: str
) -> Path:
    """A folder that `init` takes: the backbone of this name."""
    if name in TUNED:
        settings = [
            *(f"init={BOX}", f"epochs={epochs}", f"validate_every={epochs}", "labelled_share=0.2", "look_rate=3"),
            *("optimiser.lr=2e-4", "optimiser.warmup=20", "save_minutes=60", *TUNED[name]),
        ]
        recipe = with_settings(recipe_named("end-to-end"), settings)
        return train(recipe, fresh, folder, (), cache, device, quiet=True, checked=True)
    start, end = create_backbone(BACKBONE).state_dict(), load().backbone.state_dict()
    share = {"ImageNet": 0.0, "box": 1.0}.get(name)
    network = ActorObserverNet(NetworkConfig(backbone=BACKBONE), pretrained=False)
    if share is None:
        share = float(name.split(",")[1].split("%")[0]) / 100
        mixed = {key: torch.lerp(start[key].float(), value.float(), share).to(value) for key, value in end.items()}
        network.backbone.load_state_dict(mixed)
        renew_statistics(network.backbone, read_manifest(judged), best_device(device))
    else:
        network.backbone.load_state_dict(end if share else start)
    network.save_pretrained(folder)
    return folder


@torch.no_grad()
def renew_statistics(backbone: nn.Module, manifest: Manifest, device: str) -> None:
    """Batch norm's means and spreads, over frames of training takes: averaged weights have none of their own."""
    takes = list(manifest.of("train").takes.values())[::2][:160]
    frames = torch.cat([frames_at(take, np.linspace(1, take.length - 1, 8), size=160) for take in takes])
    for module in backbone.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None  # a plain mean over all batches
    backbone.to(device).train()
    order = torch.randperm(len(frames), generator=torch.Generator().manual_seed(0))
    for part in order.split(128):
        backbone(frames[part].to(device))
    backbone.cpu().eval()


def on_rendered(
    start: Path, run: Path, judged: Path, sets: dict[str, tuple[Path, str]], cache: Path | None, device: str
) -> list[Cell]:
    """Heads on this backbone, judged on every set: quads, placing, names."""
    settings = ["size=160", "epochs=20", "validate_every=4", "network.context_size=96", "network.projection_hidden=192"]
    train(
        with_settings(recipe_named("quick"), [*settings, f"init={start}"]), judged, run, (), cache, device, quiet=True
    )
    network = load(run)
    cells: list[Cell] = []
    for name, (data, split) in sets.items():
        part = read_manifest(data).of(split)  # type: ignore[arg-type]
        look = Look.of_network(network.config, 3.0)
        phi, faults = FeatureCache(cache).features(
            BACKBONE, network.backbone, list(part.takes.values()), look, best_device(device)
        )
        assert not faults, next(iter(faults.values()))
        truth = find_truth(data)
        pairs = list(truth.exact(part.pairs)) if truth else list(part.pairs)
        own = embed_features(network, phi)
        asked, _ = quads(part, pairs, 10.0, 1.0, 60, 0)
        cells.append(accuracy(quad_distances(own, asked, pairs).right(), asked.pair))
        if name != "styled validation":
            placed = [(number, one) for number, one in enumerate(place_all(own, pairs)) if one]
            error = np.concatenate([one.error for _, one in placed])
            video = np.concatenate([np.full(len(one.error), number) for number, one in placed])
            cells.append(bootstrap(median_of(error, video), len(pairs), 300))
        cells += [one.mean for view, one in sorted(named(network, dict(phi), part).items())]
    return cells


def on_robots(start: Path, run: Path, cache: Path | None, device: str, pool: ProcessPoolExecutor) -> Cell:
    """Heads for the robots on this backbone, each fold judged by those of the others."""
    manifest = read_manifest(ROBOTS)
    folds = groups(manifest, list(manifest.pairs), 5, seed=0)
    recipe = with_settings(recipe_named("quick-short"), [f"init={start}"])
    look = Look(recipe.look_rate, recipe.size, recipe.crop)
    backbone = load(start).backbone
    phi, _ = FeatureCache(cache).features(BACKBONE, backbone, list(manifest.takes.values()), look, best_device(device))
    jobs = []
    for fold in range(len(folds)):
        rest = [pair for number, part in enumerate(folds) if number != fold for pair in part]
        jobs.append((recipe, only(manifest, rest), run / str(fold), cache, device))
    list(pool.map(fit, jobs))
    found: dict[str, TakeEmbedding] = {}
    for fold, part in enumerate(folds):
        ids = [id for pair in part for id in (pair.third, pair.first)]
        found |= dict(embed_features(load(run / str(fold)), {id: phi[id] for id in ids}))
    p, pairs = SHORT_PROTOCOL, [pair for part in folds for pair in part]
    asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
    return accuracy(quad_distances(Embeddings(found), asked, pairs).right(), asked.pair)


if __name__ == "__main__":
    tyro.cli(main)
