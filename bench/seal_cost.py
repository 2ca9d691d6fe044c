"""What it costs to look at the seals of files that are in memory already: the worst case, for a disk is slower.

    python bench/seal_cost.py [--rounds 15]

Each file is read in turn as we read it, with its sums left out, and (where it is a .safetensors file that anybody may
write) as a file of the same arrays without a seal, which the library reads. Processor time; the median of the rounds,
and of the ratios within a round, with their quartiles.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import safetensors.numpy
import torch
import tyro

from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.kinds.learned_motion import load_heads
from actor_observer.disk import read_sealed as reading
from actor_observer.disk.read_sealed import read_arrays
from actor_observer.disk.sealed_arrays import PLACE
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, load_embeddings, save_embeddings
from actor_observer.features.known import Known
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import open_take
from actor_observer.model import box
from actor_observer.model.loading import load
from actor_observer.model.pretrained import BOX
from tiny import write_video


@dataclass(frozen=True)
class Reading:
    """One way to read, and the same from a file without a seal."""

    name: str
    files: tuple[Path, ...]
    read: Callable[[], object]
    plain: Callable[[], object] | None = None

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.files)


def unlooked() -> ExitStack:
    """Where sums are not formed, and every seal counts as whole."""
    nothing = SimpleNamespace(add=lambda piece: None, digits=str)
    whole = {
        (reading, "Adding"): lambda size: nothing,
        (reading, "as_written"): lambda header, digits: header[PLACE].tobytes(),
        (box, "sum_of"): lambda content: mock.ANY,
    }
    stack = ExitStack()
    for (module, name), instead in whole.items():
        stack.enter_context(mock.patch.object(module, name, instead))
    return stack


def taken(read: Callable[[], object]) -> float:
    start = time.process_time()
    read()
    return time.process_time() - start


def show_costs(root: Path, rounds: int = 15) -> None:
    print(
        "| read | MB | ms | of it sums | without a seal, by the library (ms) | ours : its |\n|---|---|---|---|---|---|"
    )
    for one in readings(root):
        ours, bare, plain = [], [], []
        for _ in range(rounds + 1):  # the first warms up
            ours.append(taken(one.read))
            with unlooked():
                bare.append(taken(one.read))
            plain.append(taken(one.plain) if one.plain else np.nan)
        a, b, c = (np.array(times[1:]) for times in (ours, bare, plain))
        figures = f"{1e3 * np.median(a):.2f} | {shares(100 * (a - b) / a)} %"
        rest = f"{1e3 * np.median(c):.2f} | {shares(a / c, 2)}" if one.plain else "– | –"
        print(f"| {one.name} | {one.size / 1e6:.1f} | {figures} | {rest} |", flush=True)


def shares(ratios: np.ndarray, digits: int = 1) -> str:
    low, mid, high = np.percentile(ratios, [25, 50, 75])
    return f"{mid:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def without_seal(path: Path) -> Path:
    arrays, told = read_arrays(path)
    out = path.with_name(f"plain-{path.name}")
    out.write_bytes(safetensors.numpy.save(arrays, {name: text for name, text in told.items() if name != "sealed"}))
    return out


def readings(root: Path) -> Iterator[Reading]:
    video = write_video(root / "usual.mp4", frames=240, fps=12)
    with video.open("ab") as file:
        file.write(bytes(5_000_000))  # of the usual size; what follows the last frame is not looked at
    take, network = open_take(video, "third"), load()
    cache, look = FeatureCache(root / "usual"), Look.of_network(network.config, 6.0)
    phi = lambda: cache.features("box", network.backbone, [take], look)  # noqa: E731
    phi()
    yield Reading("φ of a take, kept", tuple((root / "usual").iterdir()), phi)
    motion = lambda: kept_motion(take, root / "moved")  # noqa: E731
    motion()
    yield Reading("motion of a take, kept", tuple((root / "moved").iterdir()), motion)
    many = root / "many.safetensors"
    rng = np.random.default_rng(0)
    some = {
        f"t{n}": TakeEmbedding("third", np.arange(180.0), rng.normal(size=(180, 128)).astype("f4")) for n in range(1000)
    }
    save_embeddings(Embeddings(some), many)
    bare = without_seal(many)
    yield Reading("embeddings of 1000 takes", (many,), lambda: load_embeddings(many), lambda: load_embeddings(bare))
    large = root / "large"
    network.save_pretrained(large)
    plain = without_seal(large / "model.safetensors")
    yield Reading("a network", (large / "model.safetensors",), lambda: load(large), lambda: load(plain))
    names = ("alignment.json", "motion.safetensors", "known.safetensors")

    def calibrations() -> None:
        load_calibration.__wrapped__(BOX)
        load_heads.__wrapped__(BOX)
        Known.read(BOX)

    yield Reading("files of the box", tuple(BOX / name for name in names), calibrations)


if __name__ == "__main__":

    def main(rounds: int = 15) -> None:
        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory() as name:
            show_costs(Path(name), rounds)

    tyro.cli(main)
