"""The same takes in a style that nothing was trained on: other light, lens and sensor.

    python bench/restyle.py DATA OUT [--split test] [--seed 2]

Every take of the split is filmed again, so to speak: one tone curve, one mix of colours, one lens (barrel or
pincushion, darker corners) and one sensor (grain that follows the light, coarse blocks) for each take, drawn from the
seed. OUT is a data set of that split alone, with the same ids, clocks, labels and truth.
"""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import av
import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.pairs import read_manifest

Image = NDArray[np.floating]  # (H, W, 3) in [0, 1]


class Style:
    """One camera that was never in the training data."""

    def __init__(self, seed: int, height: int, width: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.gamma = float(np.exp(rng.uniform(-0.7, 0.7)))
        mix = np.eye(3) + rng.normal(0, 0.18, (3, 3))
        self.mix = (mix / mix.sum(axis=1, keepdims=True) * rng.uniform(0.75, 1.2, (3, 1))).astype(np.float32)
        self.grain, self.block = float(rng.uniform(0.01, 0.06)), int(rng.integers(1, 4))
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        v, u = (y - height / 2) / (height / 2), (x - width / 2) / (width / 2)
        radius = u**2 + v**2
        bend = 1 + rng.uniform(-0.18, 0.18) * radius
        self.rows = np.clip(np.round(v * bend * height / 2 + height / 2), 0, height - 1).astype(np.intp)
        self.columns = np.clip(np.round(u * bend * width / 2 + width / 2), 0, width - 1).astype(np.intp)
        self.corners = (1 - rng.uniform(0, 0.35) * radius)[..., None].astype(np.float32)

    def of(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        seen: Image = (image.astype(np.float32) / 255)[self.rows, self.columns] * self.corners
        seen = np.clip(seen, 0, 1) ** self.gamma @ self.mix.T
        if self.block > 1:
            small = seen[:: self.block, :: self.block]
            seen = small.repeat(self.block, axis=0).repeat(self.block, axis=1)[: image.shape[0], : image.shape[1]]
        light = np.sqrt(np.clip(seen, 0.02, 1))
        seen = seen + self.grain * light * self.rng.standard_normal(seen.shape, dtype=np.float32)
        return (np.clip(seen, 0, 1) * 255).astype(np.uint8)


def film_again(source: Path, target: Path, seed: int) -> None:
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        video = old.streams.video[0]
        stream = new.add_stream("libx264", rate=video.average_rate)
        stream.width, stream.height, stream.pix_fmt = video.width, video.height, "yuv420p"
        stream.options = {"crf": "24", "preset": "veryfast"}
        style = Style(seed, video.height, video.width)
        for frame in old.decode(video):
            shown = av.VideoFrame.from_ndarray(
                style.of(np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)), format="rgb24"
            )
            new.mux(stream.encode(shown))
        new.mux(stream.encode())


def main(
    data: Positional[Path],
    out: Positional[Path],
    split: Literal["train", "validation", "test"] = "test",
    seed: int = 2,
    workers: int = 0,
) -> None:
    part = read_manifest(data).of(split)
    (out / "videos").mkdir(parents=True, exist_ok=True)
    for item in data.iterdir():
        if item.is_file():
            shutil.copy(item, out / item.name)
    shutil.copytree(data / "truth", out / "truth", dirs_exist_ok=True)
    takes = list(part.takes.values())
    with ProcessPoolExecutor(workers or os.cpu_count() or 1, mp_context=get_context("spawn")) as pool:
        jobs = [
            pool.submit(film_again, take.path, out / "videos" / take.path.name, 1000 * seed + number)
            for number, take in enumerate(takes)
        ]
        for job in jobs:
            job.result()
    print(f"{out}: {len(takes)} takes in styles of seed {seed}")


if __name__ == "__main__":
    tyro.cli(main)
