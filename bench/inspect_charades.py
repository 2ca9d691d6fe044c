"""How long `inspect` takes on Charades-Ego v0: a look-alike with as many videos.

    python bench/inspect_charades.py
    python bench/inspect_charades.py --before ../before        # beside other code, as `git worktree add` makes it

The look-alike has 6716 pairs. A few tiny videos are encoded, as long and with as many frames as Charades' own, and
every take is another name for one of them: nothing here or in the library remembers a file by its content. Figures are
processor time, so that a busy machine does not change them much. (Not called inspect.py: Python has a module of that
name, which a script beside it would replace.)
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import av
import numpy as np
import tyro

from page import write_section

DOCS = Path(__file__).parent.parent / "docs"
VIDEOS = 13_432  # of Charades-Ego v0
COLUMNS = (
    *("id", "subject", "scene", "quality", "relevance", "verified", "script", "objects"),
    *("descriptions", "actions", "length"),
)
FPS, SIZE = 30, (64, 48)
STEPS = {
    "imports": "importing",
    "read_manifest": "reading the CSV files, opening videos without a stated length",
    "check_manifest": "checking every file",
    "take_census": "counting pairs, triplets and quads",
}
# Runs the command itself, and says how much processor time each of its steps took.
CHILD = """
import json, sys, time
import actor_observer.frames as frames, actor_observer.pairs as pairs, actor_observer.sampling as sampling
from actor_observer.cli import main
spent = {"imports": time.process_time()}
def timed(module, name):
    work = getattr(module, name)
    def wrapped(*given, **named):
        start = time.process_time()
        try:
            return work(*given, **named)
        finally:
            spent[name] = time.process_time() - start
    setattr(module, name, wrapped)
for module, name in ((pairs, "read_manifest"), (frames, "check_manifest"), (sampling, "take_census")):
    timed(module, name)
sys.argv = ["actor-observer", "inspect", sys.argv[1], "--json"]
try:
    main()
except SystemExit as ending:
    spent["status"] = ending.code or 0
spent["total"] = time.process_time()
print(json.dumps(spent), file=sys.stderr)
"""


def make_look_alike(folder: Path, videos: int) -> None:
    """CSV files as v0 has them, half of the rows blank, and `videos` mp4 files."""
    (folder / "videos").mkdir()
    encoded = []
    for number in range(8):
        encoded.append(write_video(folder / f"{number}.mp4", seconds=28 + number))
    rows: list[dict[str, str]] = []
    for number in range(videos // 2):
        id = f"V{number:05d}"
        for name in (id, f"{id}EGO"):
            os.link(encoded[number % len(encoded)], folder / "videos" / f"{name}.mp4")
        row = {"id": id}
        if number % 2:
            label, length = f"c{number % 157:03d}", f"{28 + number % len(encoded)}.00"
            row |= {"subject": f"S{number % 112}", "script": f"script {number // 3}", "length": length}
            row |= {"actions": f"{label} 1.00 9.00;c{number * 3 % 157:03d} 4.00 12.00"}
        rows.append(row)
    for split, part in (("train", rows[: videos * 2 // 5]), ("test", rows[videos * 2 // 5 :])):
        with (folder / f"CharadesEgo_v0_{split}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(part)


def write_video(path: Path, seconds: int) -> Path:
    """A tiny video of noise that drifts, at the encoder's own settings."""
    rng = np.random.default_rng(seconds)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        picture = rng.integers(0, 256, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
        for number in range(seconds * FPS):
            moved = np.roll(picture, number // 3, axis=1)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(moved, format="rgb24")))
        container.mux(stream.encode())
    return path


def timed_inspect(code: Path, data: Path) -> tuple[dict[str, float], dict[str, Any]]:
    """Seconds of processor time of each step, and what `inspect` answered."""
    environment = os.environ | {"PYTHONPATH": str(code.resolve() / "src"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", CHILD, str(data)], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{code}: inspect ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stderr.splitlines()[-1]), json.loads(done.stdout)


def main(before: Path | None = None, videos: int = VIDEOS, write: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_look_alike(Path(folder), videos)
        old = timed_inspect(before, Path(folder)) if before else None
        new, answer = timed_inspect(Path(__file__).parent.parent, Path(folder))
    lines = [
        f"`inspect` on a look-alike of Charades-Ego v0, {answer['takes']:,} tiny videos of about 31 s "
        f"at {FPS} frames a second, processor time:",
        "",
        "| | seconds | per video |",
        "|---|---|---|",
    ]
    steps = {**STEPS, "total": "**in all**"}
    lines += [f"| {said} | {new[name]:.1f} | {1e3 * new[name] / videos:.2f} ms |" for name, said in steps.items()]
    print("\n".join(lines))
    if old:
        print(f"before: {old[0]['total']:.1f} s; found the same: {old[1] == answer}")
    if write:
        write_section("inspect", "\n".join(lines), "python bench/inspect_charades.py", DOCS)


if __name__ == "__main__":
    tyro.cli(main)
