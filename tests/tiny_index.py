"""A small index of made-up videos, for the tests of all engines."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.identity import Identity
from actor_observer.searching.convert import convert
from actor_observer.searching.engines import lance_append
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.flat_index import FlatIndex, open_index
from actor_observer.searching.engines.index_writer import write_index

HEAD = IndexHead(Identity("mine", "93ab12cd"), 32, 1.0)
ROWS = 300


def walk(number: int, rows: int = ROWS) -> NDArray[np.float32]:
    """Vectors as a video has them: neighbours in time are alike, and homes are shared between videos."""
    rng = np.random.default_rng(number)
    home = np.random.default_rng(1000 + number % 12).normal(size=32)
    steps = home + rng.normal(size=(rows, 32)).cumsum(axis=0) * 0.1
    return (steps / np.linalg.norm(steps, axis=1, keepdims=True)).astype(np.float32)


def write_flat(folder: Path, numbers: range) -> FlatIndex:
    with write_index(folder, HEAD) as writer:
        for number in numbers:
            view, subject = ("third", "first")[number % 2], ("ann", "o'neil", "")[number % 3]
            entry = Entry(f"/home/v{number}.mp4", view, ROWS, subject)  # type: ignore[arg-type]
            writer.add(entry, np.arange(0.5, ROWS), walk(number))
    return open_index(folder)


def convert_in_small_batches(flat: Path, out: Path | str) -> None:
    """To LanceDB, for a process that is to be killed in the middle."""
    lance_append.BATCH = 300
    convert(flat, out, "lance")
