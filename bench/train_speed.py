"""How many triplets a second does training process, and how many when frames come from disk?

    python bench/train_speed.py [--out speed.json]

On a GPU: ResNet-152 at 224 pixels with the real loss and tables, random weights. On a CPU the same with a small
network, for the ratios. "The published way" is re-created from its description: single precision, three passes
through the backbone, dictionaries updated one sample at a time, an optimiser that is not fused. (PyTorch's own
defaults allow TF32 in convolutions; they are left as they are, in its favour, and its gradients are not rescaled.) All
ways get the same frames, and batch norm keeps its stored statistics in all of them. Speeds are compared within one run.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

if find_spec("safetensors") is None:  # nothing is saved here, so a bare machine can do without it
    for missing in ("safetensors", "safetensors.torch", "safetensors.numpy"):
        sys.modules.setdefault(missing, types.ModuleType(missing))

import av
import numpy as np
import torch
import tyro
from rich.console import Console
from rich.table import Table
from torch import Tensor

from actor_observer.frames.ahead import spare_cores
from actor_observer.model import ActorObserverNet, NetworkConfig, TripletStep, distance
from actor_observer.pairs import Clock, Manifest, Pair, Take
from actor_observer.training.batches.readers import FrameReader
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.ranks import Ranks
from actor_observer.training.planning.recipes import Optimiser, Recipe

LEARNING_RATE = 3e-5
VIDEOS = 4000  # in the tables, as many as Charades-Ego trains on

Step = Callable[[], object]


@dataclass(frozen=True)
class Scale:
    """What is measured on a kind of machine."""

    backbone: str
    size: int
    decode: int  # short side of frames on disk
    published: tuple[int, ...]  # batches of the published way
    batch: int  # ours
    steps: int
    pairs: int  # on disk
    seconds: int  # of each take on disk


GPU = Scale("resnet152", 224, 256, published=(15, 60), batch=128, steps=30, pairs=48, seconds=20)
CPU = Scale("resnet18", 64, 72, published=(15,), batch=24, steps=4, pairs=6, seconds=14)


@dataclass
class Result:
    way: str
    batch: int
    triplets_per_second: float


def published_way(scale: Scale, batch: int, device: torch.device) -> Step:
    """The published way: three passes, Python dictionaries, one sample at a time."""
    network = make_network(scale, device)
    optimiser = torch.optim.SGD(network.parameters(), lr=LEARNING_RATE, momentum=0.95)
    frames, videos = random_batch(scale, batch, device)
    sums: dict[tuple[int, int], float] = {}
    running = {"weight": 0.0, "loss": 0.0}

    def weight_of(logit: Tensor, video: Tensor, head: int) -> Tensor:
        weights = []
        for value, number in zip(logit, video, strict=True):
            key = (int(number.item()), head)
            new = float(value.exp().item())
            sums[key] = 0.1 * new + 0.9 * sums[key] if key in sums else new
            weights.append(value.exp() / sums[key])
        return torch.stack(weights)

    def step() -> None:
        optimiser.zero_grad()
        x, z, z_neg = network(frames[0], "third"), network(frames[1], "first"), network(frames[2], "first", "negative")
        loss = torch.sigmoid(distance(x.features, z.features) - distance(x.features, z_neg.features))
        weight = weight_of(x.logit, videos[:, 0], 0)
        weight = weight * weight_of(z.logit, videos[:, 1], 1) * weight_of(z_neg.logit, videos[:, 2], 2)
        for w, one in zip(weight, loss, strict=True):
            before, new = 0.9 * running["weight"], 0.1 * float(w.item())
            running["loss"] = (new * float(one.item()) + before * running["loss"]) / (new + before)
            running["weight"] = new + before
        (weight.detach() * loss + weight * (loss.detach() - running["loss"])).mean().backward()
        optimiser.step()

    return step


class Ours:
    """The step as training runs it: one pass, channels last, bfloat16, a fused optimiser, a compiled backbone."""

    def __init__(self, scale: Scale, device: torch.device, compiled: bool) -> None:
        self.device, self.cuda = device, device.type == "cuda"
        self.module = TripletStep(make_network(scale, device)).train()
        self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # in place
        self.optimiser = torch.optim.SGD(self.module.parameters(), lr=LEARNING_RATE, momentum=0.95, fused=self.cuda)
        if compiled and self.cuda:
            self.module.network.backbone.compile()

    def take(self, objectives: Callable[[], Any]) -> None:
        """One step on what `objectives` computes."""
        self.optimiser.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.cuda):
            found = objectives()
        found.loss.backward()
        self.optimiser.step()

    def in_memory(self, scale: Scale) -> Step:
        frames, videos = random_batch(scale, scale.batch, self.device)
        x, z, z_neg = (part.contiguous(memory_format=torch.channels_last) for part in frames)
        return lambda: self.take(lambda: self.module(x, z, z_neg, videos))

    def from_disk(self, scale: Scale, manifest: Manifest, steps: int) -> Iterator[None]:
        """Steps of real training: planned, decoded by worker processes, cropped and recoloured on the device."""
        recipe = Recipe(
            network=NetworkConfig(backbone=scale.backbone),
            optimiser=Optimiser(lr=LEARNING_RATE),
            batch=scale.batch,
            near=0.5,
            far=5.0,
            anchor_rate=scale.batch * 2 / scale.pairs,  # epochs of a step or more
            epochs=10_000,
            size=scale.size,
            decode=scale.decode,
            workers=spare_cores(1),
        )
        material = choose_material(recipe, manifest)
        planner = Planner(recipe, material, Ranks(device=self.device), np.full(len(material.takes), 4 / 3))
        losses = planner.objective.losses
        for _, (part,) in FrameReader(planner).steps(0, steps):
            self.take(lambda part=part: losses(self.module, part, planner.pairs))  # type: ignore[misc]
            yield


def make_network(scale: Scale, device: torch.device) -> ActorObserverNet:
    torch.manual_seed(0)
    config = NetworkConfig(backbone=scale.backbone, selector_scale=0.5, videos=VIDEOS)
    return ActorObserverNet(config, pretrained=False).to(device).train()


def random_batch(scale: Scale, batch: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Frames (3, B, 3, H, W) between 0 and 1, and the takes of each triplet (B, 3)."""
    pair = torch.randint(VIDEOS // 2, (batch,), device=device)
    frames = torch.rand((3, batch, 3, scale.size, scale.size), device=device)
    return frames, torch.stack([2 * pair, 2 * pair + 1, 2 * pair + 1], dim=1)


def speed(step: Step, batch: int, steps: int, device: torch.device, warm: int = 3) -> float:
    """Triplets a second, after some warm-up steps."""
    for _ in range(warm):
        step()
    start = clock(device)
    for _ in range(steps):
        step()
    return batch * steps / (clock(device) - start)


def clock(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def write_takes(folder: Path, scale: Scale, kind: str) -> Manifest:
    """Pairs on disk: folders of JPEG frames, or mp4 files with a keyframe every half second, at 24 frames a second."""
    takes, pairs = {}, []
    jobs: list[tuple[Path, str, int, int, int]] = []
    for number in range(scale.pairs):
        ids = f"{number:03d}", f"{number:03d}EGO"
        for id, view in zip(ids, ("third", "first"), strict=True):
            path = folder / (id if kind == "jpeg" else f"{id}.mp4")
            jobs.append((path, kind, scale.decode, scale.seconds * 24, len(jobs)))
            rate = 24.0 if kind == "jpeg" else None
            takes[id] = Take(id, view, path, float(scale.seconds), frame_rate=rate, split="train")  # type: ignore[arg-type]
        pairs.append(Pair(ids[0], *ids, Clock.scaled(scale.seconds, scale.seconds), split="train"))
    with ProcessPoolExecutor(os.cpu_count() or 2) as pool:
        list(pool.map(write_take, jobs))
    return Manifest(takes, tuple(pairs))


def write_take(job: tuple[Path, str, int, int, int]) -> None:
    path, kind, height, count, seed = job
    width = round(height * 4 / 3) // 2 * 2
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 200, (height // 8 + 1, width // 8 + 1, 3), dtype=np.uint8)
    texture = coarse.repeat(8, axis=0).repeat(8, axis=1)[:height, :width]
    noise = rng.integers(0, 24, (height, width, 3), dtype=np.uint8)
    frames = (
        av.VideoFrame.from_ndarray(np.roll(texture, 3 * n, axis=1) + np.roll(noise, 7 * n, axis=0), format="rgb24")
        for n in range(count)
    )
    if kind == "mp4":
        with av.open(str(path), "w") as container:
            stream = container.add_stream("libx264", rate=24)
            stream.width, stream.height, stream.pix_fmt, stream.gop_size = width, height, "yuv420p", 12
            stream.options = {"preset": "veryfast", "bf": "0"}
            for frame in frames:
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return
    path.mkdir()
    encoder: Any = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = width, height, "yuvj420p", Fraction(1, 24)
    encoder.options = {"qmin": "4", "qmax": "4"}
    for n, frame in enumerate(frames):
        picture = frame.reformat(format="yuvj420p")
        picture.pts = n
        (packet,) = encoder.encode(picture)
        (path / f"{path.name}-{n + 1:06d}.jpg").write_bytes(bytes(packet))


def disk_speed(ours: Ours, scale: Scale, manifest: Manifest, device: torch.device) -> float:
    """Triplets a second from disk, once the workers are running."""
    warm = 2 * spare_cores(1) + 2 if device.type == "cuda" else 2  # what was decoded ahead does not count
    steps = ours.from_disk(scale, manifest, warm + 2 * scale.steps)
    for _ in range(warm):
        next(steps)
    start = clock(device)
    count = sum(1 for _ in steps)
    return scale.batch * count / (clock(device) - start)


def report(results: list[Result], scale: Scale, device: str) -> None:
    base, memory = results[0], next(result for result in reversed(results) if "in memory" in result.way)
    title = f"{scale.backbone}, {scale.size} pixels, on {device}"
    table = Table("", "batch", "triplets/s", f"x published at {base.batch}", "share of in-memory", title=title)
    for result in results:
        share = f"{100 * result.triplets_per_second / memory.triplets_per_second:.0f} %" if "ours" in result.way else ""
        ratio = f"{result.triplets_per_second / base.triplets_per_second:.1f}"
        table.add_row(result.way, str(result.batch), f"{result.triplets_per_second:.1f}", ratio, share)
    Console(width=110).print(table)


def main(out: Path | None = None, batch: int | None = None, compile: bool = True, disk: bool = True) -> None:
    """Measure; `batch` is ours, `out` a JSON file for the figures."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    scale = GPU if device.type == "cuda" else CPU
    if batch is not None:
        scale = Scale(**{**asdict(scale), "batch": batch})
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} CPU threads"
    results: list[Result] = []

    def add(way: str, size: int, found: float) -> None:
        results.append(Result(way, size, found))
        print(f"{way}, batch {size}: {found:.1f} triplets/s", flush=True)

    for size in scale.published:
        add("published way, in memory", size, speed(published_way(scale, size, device), size, scale.steps, device))
        torch.cuda.empty_cache()  # does nothing without a GPU
    if device.type == "cuda" and compile:
        ours = Ours(scale, device, compiled=False)
        add(
            "ours, not compiled, in memory", scale.batch, speed(ours.in_memory(scale), scale.batch, scale.steps, device)
        )
        del ours
        torch.cuda.empty_cache()  # does nothing without a GPU
    ours = Ours(scale, device, compile)
    add("ours, in memory", scale.batch, speed(ours.in_memory(scale), scale.batch, scale.steps, device))
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("jpeg", "mp4") if disk else ():
            place = Path(folder) / kind
            place.mkdir()
            manifest = write_takes(place, scale, kind)
            add(f"ours, {kind} on disk, augmented", scale.batch, disk_speed(ours, scale, manifest, device))
    report(results, scale, name)
    if out is not None:
        figures = {"device": name, "torch": torch.__version__, "scale": asdict(scale), "cores": os.cpu_count()}
        out.write_text(json.dumps({**figures, "results": [asdict(result) for result in results]}, indent=1) + "\n")


if __name__ == "__main__":
    tyro.cli(main)
