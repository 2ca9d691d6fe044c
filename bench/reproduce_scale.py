"""How `reproduce` reads and plans data of Charades-Ego's form and size: the time per video must not grow.

    python bench/reproduce_scale.py [--videos 1000 2000 4000 8000] [--no-write]
    python bench/reproduce_scale.py --full [--videos 600]         # the plan at the paper's own size, for a GPU

Look-alikes: so many videos in pairs of Charades-Ego v1, half as many of Charades itself (the other actors, and the
labels). A few tiny videos are encoded; every take is another name for one of them. Read and planned (`--plan`, frozen
features), not trained. Figures are processor time, so that a busy machine does not change them much. `--full` runs the
command itself, with ResNet-152 and VGG-16 on plain videos of 640×480, to its end, and prints what it planned and how
long that took.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tyro

from inspect_charades import COLUMNS, DOCS, FPS, write_video
from page import write_section

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import tiny

EGO = (*COLUMNS, "egocentric", "charades_video")
STEPS = {
    "read": "reading the CSV files and finding the videos",
    "check": "choosing the trainings, counting their steps",
    "plan": "trying a few steps of each, and the plan",
}
CHILD = """
import json, resource, sys, time
from actor_observer.paper.plan import plan
from actor_observer.paper.reproduce import Reproduction
job = Reproduction(sys.argv[1], sys.argv[1] + "/out", quick=True, device="cpu", settings=["size=32"])
spent, last = {}, time.process_time()
works = {"read": lambda: job.manifest, "check": lambda: (job.check(), job.identity()), "plan": lambda: plan(job)}
for name, work in works.items():
    made = work()
    spent[name], last = time.process_time() - last, time.process_time()
spent["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
spent["pairs"], spent["steps"] = len(job.manifest.pairs), sum(stage.steps for stage in made.stages)
print(json.dumps(spent))
"""


def make_look_alike(folder: Path, videos: int, write: Callable[[Path, int], Path] = write_video) -> None:
    """CSV files as v1 has them, four fifths for training, and the mp4 files."""
    (folder / "videos").mkdir()
    encoded = [write(folder / f"{number}.mp4", 28 + number) for number in range(8)]
    pairs = videos // 2
    for split, numbers in (("train", range(pairs * 4 // 5)), ("test", range(pairs * 4 // 5, pairs))):
        ego, charades = [], []
        for number in numbers:
            id, video = f"V{number:05d}", encoded[number % len(encoded)]
            row = {
                "id": id,
                "subject": f"{split}{number % 112}",
                "script": f"script {number // 2}",
                "actions": f"c{number % 157:03d} 1.00 9.00;c{number * 3 % 157:03d} 4.00 12.00",
                "length": f"{28 + number % len(encoded)}.00",
            }
            other = row | {"id": f"C{number:05d}", "subject": f"charades{split}{number % 267}"}
            ego += [row | {"egocentric": "No", "charades_video": other["id"]}]
            ego += [row | {"id": f"{id}EGO", "egocentric": "Yes", "charades_video": other["id"]}]
            charades.append(other)
            for name in (id, f"{id}EGO", other["id"]):
                os.link(video, folder / "videos" / f"{name}.mp4")
        for name, columns, rows in (("CharadesEgo", EGO, ego), ("Charades", COLUMNS, charades)):
            with (folder / f"{name}_v1_{split}.csv").open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns, restval="")
                writer.writeheader()
                writer.writerows(rows)


def measure(videos: int) -> dict[str, float]:
    """Seconds of processor time of each step, and what was found."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        make_look_alike(Path(folder), videos)
        command = [sys.executable, "-c", CHILD, folder]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{videos} videos: ended with {done.returncode}:\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def plan_in_full(videos: int) -> None:
    """Run `reproduce --plan` as anybody would, and print its stages and how long it took."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        data.mkdir()
        make_look_alike(
            data, videos, lambda path, seconds: tiny.write_video(path, 30 * seconds, 30, size=(640, 480), gop=250)
        )
        command = ["-m", "actor_observer", "reproduce", str(data), "--plan", "--json", "--out", f"{place}/run"]
        begun = time.monotonic()
        done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, text=True)
        spent = time.monotonic() - begun
    if done.returncode:
        sys.exit(f"ended with {done.returncode} after {spent:.0f} s")
    told = json.loads(done.stdout)
    for stage in told["stages"]:
        print(f"{stage['name']:32} {stage['steps']:>10,} steps {stage['frames']:>10,} frames {stage['hours']:8.2f} h")
    print(f"{videos} videos of 640×480, {told['device']}: {told['hours_left']:.1f} h planned in {spent:.0f} s")


def main(
    videos: tuple[int, ...] | None = None,  # 1000, 2000, 4000 and 8000; 600 with --full
    write: bool = True,
    full: bool = False,  # the plan at the paper's own size
) -> None:
    if full:
        for count in videos or (600,):
            plan_in_full(count)
        return
    videos = videos or (1000, 2000, 4000, 8000)
    found = {count: measure(count) for count in videos}
    lines = [
        f"`reproduce --plan --quick` on look-alikes of Charades-Ego v1, tiny videos of about 31 s at {FPS} frames a "
        "second, with half as many of Charades; seconds of processor time:",
        "",
        f"| videos of Charades-Ego | {' | '.join(f'{count:,}' for count in videos)} |",
        "|---" * (len(videos) + 1) + "|",
    ]
    rows = {what: [f"{one[key]:.1f}" for one in found.values()] for key, what in STEPS.items()}
    rows["memory at most (MB)"] = [f"{one['memory']:.0f}" for one in found.values()]
    rows["steps planned"] = [f"{one['steps']:,.0f}" for one in found.values()]
    lines += [f"| {what} | {' | '.join(cells)} |" for what, cells in rows.items()]
    print("\n".join(lines))
    if write:
        write_section("reproduce-scale", "\n".join(lines), "python bench/reproduce_scale.py", DOCS)


if __name__ == "__main__":
    tyro.cli(main)
