"""Small runs for the tests: a tiny data set, recipes that finish in seconds, and runs as processes of their own."""

import json
from pathlib import Path
from typing import Any

from actor_observer.training import Recipe, recipe_named, with_settings
from forked import Forked, command
from tiny import write_charades_ego

NETWORK = ["network.backbone=mobilenet_v2", "init=random", "size=32", "quads_per_pair=20"]
# features of a random backbone, heads learned with InfoNCE and a classifier
QUICK = [*NETWORK, "batch=4", "moments=6", "epochs=4", "look_rate=1", "network.projection_hidden=32"]
QUICK += [
    "network.projection_size=16",
    "network.context=1,3",
    "optimiser.warmup=2",
    "validate_every=1",
    "labelled_apart=",
    "labelled_share=0.25",
]
QUICK += ["network.context=1,3", "network.projection_dropout=0", "validate_every=1"]
# the paper's triplets from frames, end to end
PAPER = [
    *NETWORK,
    "batch=8",
    "labelled_share=0.5",
    "decode=36",
    "epochs=2",
    "look_rate=1",
    "anchor_rate=0.5",
    "workers=0",
]
PAPER += ["labelled_apart=", "optimiser.lr=0.001", "network.selector_scale=0.5"]


def quick(*settings: str) -> Recipe:
    return with_settings(recipe_named("quick"), [*QUICK, *settings])


def paper(*settings: str) -> Recipe:
    return with_settings(recipe_named("paper-transfer"), [*PAPER, *settings])


def data_set(folder: Path) -> Path:
    return write_charades_ego(folder, train=8, test=1, seconds=13, fps=4)


def log_of(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]


def command_for(name: str, settings: list[str], data: Path, out: Path) -> list[str]:
    """The arguments of `actor-observer train`; of settings given twice, the later one."""
    settings = list({setting.partition("=")[0]: setting for setting in settings}.values())
    places = ["--data", str(data), "--out", str(out), "--cache", str(data / "cache")]
    return ["train", name, *places, "--device", "cpu", "--set", *settings]


def start(name: str, settings: list[str], data: Path, out: Path) -> Forked:
    """`actor-observer train` as a process."""
    return command(*command_for(name, settings, data, out))
