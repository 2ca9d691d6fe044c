"""φ of data sets as bench/calibrate_known.py needs it, and pictures that show nothing at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.features import Embeddings, FeatureCache, Look
from actor_observer.features.known import to_units
from actor_observer.features.see import see_phi
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs import Manifest, Take, read_manifest
from actor_observer.pairs.manifest import View

LOOK_RATE = 3.0  # frames a second
PART = 60  # frames: a take twice as long is cut into parts of about this length
SHAPE, FRAMES = (168, 224), 12

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Part:
    """A take, or a part of a long one."""

    person: str  # or script: what must not be in two folds
    units: Array  # (T, D) every φ scaled to length 1


def look_at(
    network: ActorObserverNet, data: Path, cache: FeatureCache, device: str = "cpu", splits: Iterable[str] = ()
) -> tuple[Manifest, Embeddings]:
    """φ of the takes of a data set; with `splits` only of theirs."""
    manifest, look, wanted = read_manifest(data), Look.of_network(network.config, LOOK_RATE), set(splits)
    takes = [take for take in manifest.takes.values() if not wanted or take.split in wanted]
    with progress(f"looking at {data.name}", len(takes)) as step:
        phi, faults = cache.features(network.config.backbone, network.backbone, takes, look, device, step)
    for fault in faults.values():
        raise UserError(f"{fault}: mend or remove it first")
    return manifest, phi


def parts_of(takes: Iterable[Take], phi: Embeddings, view: View) -> list[Part]:
    """The takes of one view, long ones in parts."""
    found = []
    for take in takes:
        if take.view == view and take.id in phi:
            units = to_units(np.asarray(phi[take.id].features))
            pieces = np.array_split(units, max(1, round(len(units) / PART)))
            found += [Part(take.subject or take.script or take.id, piece) for piece in pieces]
    return found


def nothing_to_see() -> dict[str, NDArray[np.uint8]]:
    """Videos (T, H, W, 3) of plain colours, noise and test patterns, by name."""
    rng, (height, width) = np.random.default_rng(0), SHAPE
    y, x = np.mgrid[:height, :width]

    def still(frame: NDArray[np.generic]) -> NDArray[np.uint8]:
        whole = np.broadcast_to(np.asarray(frame, float).reshape(*frame.shape[:2], -1), (height, width, 3))
        return np.repeat(np.clip(whole, 0, 255).astype(np.uint8)[None], FRAMES, axis=0)

    def plain(*colour: int) -> NDArray[np.uint8]:
        return still(np.broadcast_to(np.array(colour), (height, width, len(colour))))

    def moving(level: NDArray[np.generic]) -> NDArray[np.uint8]:
        return np.stack([still(np.roll(level, 5 * t, axis=1))[0] for t in range(FRAMES)])

    def noise(level: float, spread: float, channels: int = 3) -> NDArray[np.uint8]:
        drawn = level + spread * rng.normal(size=(FRAMES, height, width, channels))
        return np.repeat(np.clip(drawn, 0, 255).astype(np.uint8), 3 // channels, axis=3)

    soft = torch.nn.functional.interpolate(torch.from_numpy(rng.normal(size=(FRAMES, 3, 6, 8))), SHAPE, mode="bicubic")
    bars = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1]]) * 191
    checks, ramp = ((x // 16 + y // 16) % 2) * 255, x * 255 // width
    found = {f"grey {level}": plain(level) for level in (0, 40, 90, 128, 170, 220, 255)}
    found |= {"red": plain(200, 30, 30), "blue": plain(20, 40, 190), "green": plain(0, 177, 64)}
    found |= {"beige": plain(200, 180, 150), "bars": still(bars[x * 7 // width]), "ramp": still(ramp)}
    found |= {"noise": noise(128, 90), "grey noise": noise(128, 90, 1), "dark noise": noise(16, 6)}
    found |= {"faint noise": noise(128, 6), "frozen noise": still(noise(128, 90)[0]), "checks": still(checks)}
    found |= {"upright ramp": still(y * 255 // height), "moving ramp": moving(ramp), "moving checks": moving(checks)}
    found |= {
        "stripes": still((x // 8) % 2 * 255),
        "blobs": np.stack([still(128 + 60 * s.numpy().transpose(1, 2, 0))[0] for s in soft]),
    }
    found |= {"rings": still(127 + 127 * np.sin(np.hypot(x - width / 2, y - height / 2) / 6))}
    found |= {"fade": np.stack([plain(255 * t // (FRAMES - 1))[0] for t in range(FRAMES)])}
    found |= {"flashes": np.stack([plain(255 * (t % 2))[0] for t in range(FRAMES)])}
    return found


def parts_of_nothing(network: ActorObserverNet) -> tuple[list[Part], list[Part]]:
    """φ of videos that show nothing: every second kind to fit on, the others to judge by."""
    parts = [
        Part(name, to_units(np.asarray(see_phi(network, pixels, "first", LOOK_RATE, LOOK_RATE, "cpu").features)))
        for name, pixels in nothing_to_see().items()
    ]
    return parts[::2], parts[1::2]
