"""A small network with every head, and a user who may not write everywhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from actor_observer.model import ActorObserverNet, NetworkConfig

NAMES = ("take a cup", "put a cup", "open a door")


def small_network(seed: int = 0, **settings: Any) -> ActorObserverNet:
    """Random, but every frame means something to it."""
    torch.manual_seed(seed)
    config = NetworkConfig(
        **{
            "backbone": "resnet18",
            "size": 32,
            "crop": "whole",
            "centred": True,
            "heads": "shared",
            "selector_scale": 2.0,
            "projection": "per_view",
            "projection_size": 16,
            "projection_hidden": 0,
            "unit_length": True,
            "labels": ("c000", "c001", "c002"),
            "label_names": NAMES,
            **settings,
        }
    )
    return ActorObserverNet(config, pretrained=False).eval()


@contextmanager
def as_nobody(*needed: Path) -> Iterator[None]:
    """Root may write anywhere: be somebody who may not, but may read what is needed."""
    if os.geteuid() != 0:
        yield
        return
    for folder in {parent for path in needed for parent in (path, *path.parents)}:
        folder.chmod(folder.stat().st_mode | 0o555)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
