"""Actions named in both views: which network on φ, how it learns, and what it gets on people it never saw.

    python bench/names.py FRESH JUDGED --out DIR [--model RUN] [--tries 99]

FRESH and JUDGED are made by `bench/learning_sets.py`. The networks learn from third-person labels alone (FRESH's and
JUDGED's labelled takes) and from unlabelled pairs (the training pairs of both). Each candidate is judged on FRESH's
validation pairs; the one with the best mean of first-person (zero-shot) and third-person mAP is then judged, once, on
JUDGED's test pairs, beside the model's own classifier. DIR gets names.json and the network with its new heads.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from tyro.conf import Positional

from actor_observer.evaluation.measures.recognition import Recognition, label_matrix, score_recognition, video_scores
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.features.models import open_model
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs import Manifest, Pair, Take, read_manifest
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.training.after.naming import NamingPlan, fit_namer
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.recipes import recipe_named

LOOK_RATE = 3.0
Changes = dict[str, Any]
USUAL: Changes = {"naming_context": (2.0,), "naming_hidden": 256, "naming_reduced": 128, "naming_dropout": 0.5}
CANDIDATES: dict[str, tuple[Changes, Changes]] = {  # what is changed of the network, and of the plan
    "2 s of context": ({}, {}),
    "no context": ({"naming_context": ()}, {}),
    "2 and 8 s of context": ({"naming_context": (2.0, 8.0)}, {}),
    "1 and 4 s of context": ({"naming_context": (1.0, 4.0)}, {}),
    "2 s of context, one round": ({}, {"rounds": 1}),
    "1 and 4 s, three rounds": ({"naming_context": (1.0, 4.0)}, {"rounds": 3}),
    "1 and 4 s, four rounds": ({"naming_context": (1.0, 4.0)}, {"rounds": 4}),
    "1 and 4 s, three rounds, 512 wide": ({"naming_context": (1.0, 4.0), "naming_hidden": 512}, {"rounds": 3}),
    "1 and 4 s, three rounds, 16 epochs": ({"naming_context": (1.0, 4.0)}, {"rounds": 3, "epochs": 16}),
    "2 and 8 s, three rounds": ({"naming_context": (2.0, 8.0)}, {"rounds": 3}),
}


def main(
    fresh: Positional[Path],
    judged: Positional[Path],
    out: Path,
    model: str | None = None,
    cache: Path | None = None,
    device: str = "auto",
    tries: int = 99,  # at most so many candidates
) -> None:
    where, network = best_device(device), open_model(model)
    sets = [read_manifest(data) for data in (fresh, judged)]
    look, store = Look.of_network(network.config, LOOK_RATE), FeatureCache(cache)
    recipe = recipe_named("quick")
    labelled, pairs, phi = list[Take](), list[Pair](), dict[str, Any]()
    for manifest in sets:
        material = choose_material(recipe, manifest)
        labelled += material.labelled
        pairs += material.pairs
        takes = list(manifest.takes.values())
        found, faults = store.features(network.config.backbone, network.backbone, takes, look, where)
        assert not faults, next(iter(faults.values()))
        phi |= dict(found)
    print(f"{len(labelled)} labelled takes, {len(pairs)} pairs", flush=True)
    told: dict[str, Any] = {"labelled": len(labelled), "pairs": len(pairs), "validation": {}}
    validation, test = sets[0].of("validation"), sets[1].of("test")
    out.mkdir(parents=True, exist_ok=True)
    told["validation"]["as it is"] = {view: one.to_dict() for view, one in named(network, phi, validation).items()}
    best, best_score = "", -1.0
    for name, (changes, steps) in list(CANDIDATES.items())[:tries]:
        start = time.perf_counter()
        made = with_namer(network, {**USUAL, **changes})
        fit_namer(made, Embeddings(phi), labelled, pairs, NamingPlan(**steps), where)
        found_maps = named(made, phi, validation)
        score = float(np.mean([one.mean.value for one in found_maps.values()]))
        told["validation"][name] = {view: one.to_dict() for view, one in found_maps.items()}
        seconds = time.perf_counter() - start
        print(f"{name}: {in_words(found_maps)} ({seconds:.0f} s)", flush=True)
        if score > best_score:
            best, best_score = name, score
            made.save_pretrained(out / "named")
        (out / "names.json").write_text(json.dumps(told))
    chosen = open_model(str(out / "named"))
    told["chosen"] = best
    told["settings"] = {**asdict(NamingPlan(**CANDIDATES[best][1])), **USUAL, **CANDIDATES[best][0]}
    told["test"] = {}
    for name, one in (("as it is", network), (best, chosen)):
        found_maps = named(one, phi, test)
        told["test"][name] = {view: some.to_dict() for view, some in found_maps.items()}
        print(f"test, {name}: {in_words(found_maps)}", flush=True)
    told["labels"] = list(test.classes)
    told["label_names"] = list(test.classes.values())
    (out / "names.json").write_text(json.dumps(told))


def with_namer(network: ActorObserverNet, changes: Changes) -> ActorObserverNet:
    """The same network with new, unfitted networks that name actions."""
    config = replace(network.config, naming="views", **changes)
    made = ActorObserverNet(config, pretrained=False)
    fresh = {key: value for key, value in made.state_dict().items() if key.startswith("namer.")}
    own = {key: value for key, value in network.state_dict().items() if not key.startswith("namer.")}
    made.load_state_dict({**own, **fresh})
    return made.eval()


def named(network: ActorObserverNet, phi: dict[str, Any], manifest: Manifest) -> dict[View, Recognition]:
    """MAP in both views of a split."""
    found = {}
    for view in VIEWS:
        takes = [take for take in manifest.takes.values() if take.view == view]
        embedded = embed_features(network, {take.id: phi[take.id] for take in takes})
        scores = np.stack([video_scores(embedded[take.id].scores) for take in takes])  # type: ignore[arg-type]
        order = {label: place for place, label in enumerate(network.config.labels)}
        scores = scores[:, [order[label] for label in manifest.classes]]
        truth = label_matrix([{action.label for action in take.actions} for take in takes], manifest.classes)
        found[view] = score_recognition(scores, truth)
    return found


def in_words(found: dict[View, Recognition]) -> str:
    return ", ".join(
        f"{view} person {one.mean.percent()} (chance {100 * one.chance:.1f})" for view, one in found.items()
    )


if __name__ == "__main__":
    torch.set_num_threads(4)
    tyro.cli(main)
