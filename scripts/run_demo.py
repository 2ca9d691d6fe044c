"""The demo: put two cameras in step, learn from real footage, adapt the model in the box, and show what came of it.

    make demo
    python scripts/run_demo.py [--out runs/demo] [--times FILE]

1. In step: `align` on the longest episodes of a real robot, whose wrist camera starts late (scripts/demo_step.py).
2. One clock: `align` on two room cameras, a head camera and its gyroscope, rendered (scripts/demo_event.py).
3. Learning: `quick-short` learns from the robot's pairs, from scratch on ImageNet's features and from the model in the
   box, which has never seen a robot (`--init box`); judged on episodes that nobody saw (scripts/demo_learn.py).

Each part ends with what to look at and what was found. report.html grows with them. Offline, without a GPU and without
a renderer. Run it again and it continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tyro

from actor_observer.console import progress, screen
from actor_observer.features.on_disk.fingerprints import content_hash
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, read_manifest
from actor_observer.playhouse import EVENT
from demo_event import COLUMNS as EVENT_COLUMNS
from demo_event import FILES, put_on_one_clock
from demo_page import Page, section_in_step, section_one_clock, terminal_table
from demo_step import COLUMNS as STEP_COLUMNS
from demo_step import LATE, LONGEST, put_in_step

MARK = "demo.txt"  # says what a demo folder was made from


class Clock:
    """How long each stage took: seconds on the wall, and of CPU over all cores."""

    def __init__(self) -> None:
        self.stages: dict[str, tuple[float, float]] = {}
        self._start = time.perf_counter()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start, work = time.perf_counter(), sum(os.times()[:4])
        yield
        self.stages[name] = (round(time.perf_counter() - start, 1), round(sum(os.times()[:4]) - work, 1))

    def total(self) -> float:
        """Seconds on the wall, from the first to now."""
        return time.perf_counter() - self._start


def main(out: Path = Path("runs/demo"), times: Path | None = None) -> None:
    """Run all parts; `times` is a JSON file for the seconds of each stage, wall and CPU."""
    clock = Clock()
    prepare(out, made_from="".join(map(fingerprint, (ROBOTS, EVENT, BOX, Path(__file__).parent))))
    page = Page(out / "report.html")
    with clock.stage("open the model in the box"):
        model = load()
    _in_step(out, page, clock, model)
    _one_clock(out, page, clock, model)
    _learn(out, page, clock)
    print(f"{clock.total():.0f} s. All of it on one page: {page.path}")
    if times is not None:
        times.write_text(json.dumps(clock.stages))


def _in_step(out: Path, page: Page, clock: Clock, model: ActorObserverNet) -> None:
    print(
        f"\n1. In step. A robot's {LONGEST} longest episodes (real footage): when did the wrist camera start, seen "
        f"from the side camera?\n   Each starts {LATE:g} s late, and nobody tells.",
        flush=True,
    )
    with clock.stage("in step: align"), progress("episodes", LONGEST) as each:
        made = put_in_step(read_manifest(ROBOTS), out / "in-step", model, each)
    with clock.stage("in step: page"):
        page.add(*section_in_step(made))
    screen().print(terminal_table(STEP_COLUMNS, made.cells(), made.shown))
    print(f"Found: {made.sentence}\nLook at: {made.picture}; {made.video}; {page.path}, which grows", flush=True)


def _one_clock(out: Path, page: Page, clock: Clock, model: ActorObserverNet) -> None:
    print(
        "\n2. One clock. Two room cameras, a head camera and the gyroscope on that head; rendered: the truth is known."
        f"\n   actor-observer align {' '.join(FILES)}",
        flush=True,
    )
    with clock.stage("one clock: align"), progress("recordings", len(FILES)) as each:
        made = put_on_one_clock(out / "one-clock", model, each)
    with clock.stage("one clock: page"):
        page.add(*section_one_clock(made))
    screen().print(terminal_table(EVENT_COLUMNS, made.cells()))
    print(f"Found: {made.sentence}\nLook at: {made.picture}; {made.video}", flush=True)


def _learn(out: Path, page: Page, clock: Clock) -> None:
    from demo_learn import learn, section_learned  # after the first picture: training takes its time to import

    print("\n3. Learning. The same robot: which moment of one video is which moment of the other?", flush=True)
    learned = learn(out, clock.stage)
    with clock.stage("learning: draw, and write the page"):
        picture = learned.save_picture()
        page.add(*section_learned(learned), last=True)
    print()
    screen().print(learned.in_terminal())
    print("\n".join(f"Found: {sentence}" for sentence in learned.sentences))
    print(f"Look at: {picture} (a typical pair that it never saw)", flush=True)


def prepare(out: Path, made_from: str) -> None:
    """Prepare the demo's folder; start over if it was made from other data, another recipe or another box."""
    mark, print_of = out / MARK, hashlib.sha256(made_from.encode()).hexdigest()
    if mark.is_file() and mark.read_text() != print_of:
        shutil.rmtree(out)  # the mark says that it is ours
    out.mkdir(parents=True, exist_ok=True)
    mark.write_text(print_of)


def fingerprint(folder: Path) -> str:
    """The names and contents of a folder's files, as hashes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return "".join(f"{path.relative_to(folder)} {content_hash(path)}\n" for path in files)


if __name__ == "__main__":
    tyro.cli(main)
