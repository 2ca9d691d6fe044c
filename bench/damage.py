"""Is damage noticed? Every kind of file that we write, harmed in many ways; and what looking costs.

    python bench/damage.py [--times 60] [--seed 0]

Each file is harmed at random places: bits flipped, a page set to zero, two pages exchanged, the end cut off. Then the
answer that hangs on it is asked for. It must be the one of the whole file (a cache was made again, or the place did not
matter), or one line; another answer is a fault. The second table is how long files as large as usual take to read, from
the page cache (time of the processor) and from disk (time that passes), and how much of that is looking at their sums.
`--times 0` is the second table alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import torch
import tyro

from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.kinds.learned_motion import load_heads
from actor_observer.disk.sealed_arrays import is_whole
from actor_observer.disk.sums import sum_of, sum_of_file
from actor_observer.errors import TakeError, UserError
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, load_embeddings, save_embeddings
from actor_observer.features.known import Known
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import open_take
from actor_observer.model.network import load
from actor_observer.model.pretrained import BOX
from damaged_files import Kind, all_kinds
from tiny import write_video

PAGE = 4096


def harmed(content: bytes, rng: np.random.Generator) -> bytes:
    """The content of a file with one thing wrong with it; never the same content."""
    way = rng.integers(5)
    out = bytearray(content)
    page = min(PAGE, max(1, len(out) // 4))
    pages = max(1, len(out) // page)
    start = int(rng.integers(pages)) * page
    if way == 0:
        out[int(rng.integers(len(out)))] ^= 1 << int(rng.integers(8))
    elif way == 1:
        for place in rng.integers(len(out), size=8):
            out[place] ^= 1 << int(rng.integers(8))
    elif way == 2:
        out[start : start + page] = bytes(len(out[start : start + page]))
    elif way == 3:
        other = int(rng.integers(pages)) * page
        one, two = out[start : start + page], out[other : other + page]
        if len(one) == len(two):
            out[start : start + page], out[other : other + page] = two, one
    else:
        del out[start:]
    return bytes(out) if out != content else harmed(content, rng)


def outcome(kind: Kind, path: Path, content: bytes, wanted: str) -> str:
    """What becomes of an answer when a file has this content instead: `same`, `one line` or `another answer`."""
    whole, said = path.read_bytes(), StringIO()
    path.write_bytes(content)
    try:
        with redirect_stderr(said):
            found = kind.answer()
    except (UserError, TakeError) as error:
        return "one line" if len(str(error).splitlines()) == 1 and not kind.mended else f"more than that: {error}"
    finally:
        path.write_bytes(whole)
    if found == wanted:
        return "same"
    return "one line" if str(path.parent) in said.getvalue() else "another answer"  # fewer videos, and said so


def main(times: int = 60, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    torch.set_num_threads(1)
    print("| kind of file | harmed | one line | made again, or the same | another answer |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for kind in all_kinds(Path(name)) if times else ():
            wanted, found = kind.answer(), Counter[str]()
            for number in range(times):
                path = kind.files[number % len(kind.files)]
                found[outcome(kind, path, harmed(path.read_bytes(), rng), wanted)] += 1
            wrong = times - found["one line"] - found["same"]
            print(f"| {kind.name} | {times} | {found['one line']} | {found['same']} | {wrong} |", flush=True)
        print("\n| read | MB | from memory (ms) | of it sums | from disk (ms) | of it sums |")
        print("|---|---|---|---|---|---|")
        for one in readings(Path(name)):
            warm, cold = one.seconds(warm=True), one.seconds(warm=False)
            looking = quickest(one.look)
            figures = (f"{1e3 * taken:.2f} | {100 * looking / taken:.1f} %" for taken in (warm, cold))
            print(f"| {one.name} | {one.size / 1e6:.1f} | {' | '.join(figures)} |", flush=True)


@dataclass(frozen=True)
class Reading:
    """One way to read, and the part of it that looks at sums."""

    name: str
    files: tuple[Path, ...]
    read: Callable[[], object]
    look: Callable[[], object]

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.files)

    def seconds(self, warm: bool) -> float:
        def once() -> None:
            for path in [] if warm else self.files:
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

        return quickest(self.read, once, time.process_time if warm else time.perf_counter)


def quickest(
    work: Callable[[], object],
    before: Callable[[], object] = lambda: None,
    clock: Callable[[], float] = time.process_time,
    rounds: int = 9,
) -> float:
    """The shortest time of several, in seconds."""
    taken = []
    for _ in range(rounds):
        before()
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def readings(root: Path) -> Iterator[Reading]:
    video = write_video(root / "usual.mp4", frames=240, fps=12)
    with video.open("ab") as file:
        file.write(bytes(5_000_000))  # of the usual size; what follows the last frame is not looked at
    take, network = open_take(video, "third"), load()
    cache, look = FeatureCache(root / "usual"), Look.of_network(network.config, 6.0)
    phi = lambda: cache.features("box", network.backbone, [take], look)  # noqa: E731
    phi()
    (kept,) = (root / "usual").iterdir()
    yield Reading("φ of a take, kept", (kept,), phi, lambda: is_whole(kept, needed=True))
    kept_motion(take, root / "moved")
    (moved,) = (root / "moved").iterdir()
    motion = lambda: kept_motion(take, root / "moved")  # noqa: E731
    yield Reading("motion of a take, kept", (moved,), motion, lambda: is_whole(moved, needed=True))
    many = root / "many.safetensors"
    rng = np.random.default_rng(0)
    some = {
        f"t{n}": TakeEmbedding("third", np.arange(180.0), rng.normal(size=(180, 128)).astype("f4")) for n in range(1000)
    }
    save_embeddings(Embeddings(some), many)
    yield Reading("embeddings of 1000 takes", (many,), lambda: load_embeddings(many), lambda: is_whole(many))
    large = root / "large"
    load().save_pretrained(large)
    weights = large / "model.safetensors"
    yield Reading("a network", (weights,), lambda: load(large), lambda: is_whole(weights))
    box = tuple(BOX / name for name in ("alignment.json", "motion.safetensors", "known.safetensors"))

    def calibrations() -> None:
        load_calibration.__wrapped__(BOX)
        load_heads.__wrapped__(BOX)
        Known.read(BOX)

    yield Reading("files of the box", box, calibrations, lambda: [sum_of(path.read_bytes()) for path in box])
    yield Reading("any file, only read", (many,), many.read_bytes, lambda: sum_of_file(many))


if __name__ == "__main__":
    tyro.cli(main)
