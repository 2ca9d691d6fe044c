"""Is damage noticed? Every kind of file that we write, harmed in many ways; and what looking costs.

    python bench/damage.py [--times 60] [--seed 0]

Each file is harmed at random places: bits flipped, a page set to zero, two pages exchanged, the end cut off. Then the
answer that hangs on it is asked for. It must be the one of the whole file (a cache was made again, or the place did not
matter), or one line; another answer is a fault. The second table is what looking costs (`bench/seal_cost.py`), which
`--times 0` shows alone.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import torch
import tyro

from actor_observer.errors import TakeError, UserError
from damaged_files import Kind, all_kinds
from seal_cost import show_costs

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
        print()
        show_costs(Path(name))


if __name__ == "__main__":
    tyro.cli(main)
