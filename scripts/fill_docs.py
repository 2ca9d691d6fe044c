"""Fill the blocks of output in the docs: each is what the command above it printed.

    python scripts/fill_docs.py [NAME …]      # those named, or all but the slow ones
    python scripts/fill_docs.py --list

A block of output stands below a mark, `<!--output:NAME-->`, and below the command that makes it. What the command
needs is made in an empty folder: recordings of the small set or rendered ones, and what the page's own Python blocks
above do. docs/outputs.json keeps which box made each block: tests/test_docs_output.py fails where the box is another
now, where a command prints another form, and where a block has no mark.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.disk.sums import sum_of
from actor_observer.errors import UserError
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import read_manifest
from actor_observer.playhouse import MINI, make

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "outputs.json"
MARKED = re.compile(r"<!--output:(?P<name>[\w-]+)-->\n+```\n(?P<text>.*?)\n?```", re.DOTALL)
COMMAND = re.compile(r"^    actor-observer (.*)$|`python (bench/[^`]*)`|`(bench/\w+\.py)`", re.MULTILINE)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
WIDTH = 100  # columns


@dataclass(frozen=True)
class Output:
    """A block of output: on which page, and what the command above it needs."""

    page: str
    prepare: Callable[[Path, str], None]  # a folder, and the page above the block
    before: int = 0  # how many commands just above are run first
    lines: int | None = None  # only the first of them; None: all
    by_box: bool = True  # whether the model in the box decides what is printed
    slow: bool = False
    ends: int = 0  # the command's exit code


def blocks_above(folder: Path, above: str) -> None:
    """Run the page's Python blocks, in order."""
    for block in PYTHON.findall(above):
        subprocess.run([sys.executable, "-c", block], cwd=folder, check=True)


def rendered_event(folder: Path, above: str) -> None:
    """room.mp4 and head.mp4: a rendered person of the validation part, filmed by two cameras at once."""
    make(
        folder / "set",
        pairs=1,
        seed=3,
        fps=24.0,
        together=True,
        rates=(1.0, 1.0),
        seconds=(30.0, 36.0),
        shares=(0, 1, 0),
    )
    manifest = read_manifest(folder / "set")
    for name, id in (("room.mp4", manifest.pairs[0].third), ("head.mp4", manifest.pairs[0].first)):
        shutil.copy(manifest.takes[id].path, folder / name)


def week_of_recordings(folder: Path, above: str) -> None:
    """A folder of head recordings, and the room's recording of one of them, from the small set."""
    manifest = read_manifest(MINI)
    pairs = [pair for pair in manifest.pairs if pair.same_person and manifest.takes[pair.third].split == "test"]
    (folder / "head-camera").mkdir()
    for day, pair in zip(("monday", "tuesday", "wednesday", "thursday", "friday"), pairs, strict=False):
        shutil.copy(manifest.takes[pair.first].path, folder / "head-camera" / f"{day}.mp4")
    shutil.copy(manifest.takes[pairs[1].third].path, folder / "room.mp4")


def robot_set(folder: Path, above: str) -> None:
    """my-robot: a LeRobot data set of the package's robot clips, one of whose cameras is late in one episode."""
    code = f"import pathlib; from audit_lerobot import make; make(pathlib.Path({str(folder / 'my-robot')!r}))"
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "examples", check=False)
    if made.returncode:
        raise UserError("examples/audit_lerobot.py cannot make its data set")


def nothing(folder: Path, above: str) -> None:
    """What makes everything it needs."""


OUTPUTS = {
    "align": Output("docs/use.md", rendered_event),
    "audit": Output("docs/audit.md", robot_set, ends=3),
    "search": Output("docs/search.md", week_of_recordings, before=1, lines=4),
    "tutorial-align": Output("docs/tutorial.md", blocks_above),
    "tutorial-inspect": Output("docs/tutorial.md", blocks_above, by_box=False),
    "elastic": Output("docs/results/scale.md", nothing, by_box=False, slow=True),
    "kills": Output("docs/results/scale.md", nothing, by_box=False, slow=True),
}


def commands_above(text: str, name: str) -> tuple[str, list[list[str]]]:
    """The page above a block, and the commands on it, the block's own last."""
    at = next((found.start() for found in MARKED.finditer(text) if found["name"] == name), None)
    if at is None:
        raise UserError(f"no block is marked <!--output:{name}-->")
    above = text[:at]
    found = []
    for command, bench, script in COMMAND.findall(above):
        if command:
            found.append([sys.executable, "-m", "actor_observer", *shlex.split(command, comments=True)])
        else:
            path, *rest = shlex.split(bench or script)
            found.append([sys.executable, str(ROOT / path), *rest])
    return above, found


def box_sum() -> str:
    """A fingerprint of everything in the box but its card."""
    files = sorted(path for path in BOX.iterdir() if path.is_file() and path.suffix != ".md")
    return sum_of("".join(f"{path.name} {sum_of(path.read_bytes())}\n" for path in files).encode())


def printed(output: Output, text: str, name: str) -> str:
    """What the command above a block prints, in a folder of its own."""
    above, commands = commands_above(text, name)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        output.prepare(folder, above)
        for command in commands[len(commands) - 1 - output.before :]:
            env = os.environ | {"COLUMNS": str(WIDTH), "TERM": "dumb"}
            found = subprocess.run(command, cwd=folder, env=env, check=False, stdout=subprocess.PIPE, text=True)
            if found.returncode not in (0, output.ends):
                raise UserError(f"{shlex.join(command)}: ended with {found.returncode}")
    lines = [line.rstrip() for line in found.stdout.rstrip().split("\n") if not line.startswith("written ")]
    return "\n".join(lines if output.lines is None else [*lines[: output.lines], " …"])


def filled(text: str, name: str, made: str) -> str:
    """A page with a block's output in its place."""
    block = f"<!--output:{name}-->\n\n```\n{made}\n```"
    return MARKED.sub(lambda found: block if found["name"] == name else found[0], text)


def main(names: Positional[tuple[str, ...]] = (), list: bool = False) -> None:
    """Fill these blocks."""
    if list:
        for name, output in OUTPUTS.items():
            print(f"{name:18}{output.page}{', slow' if output.slow else ''}")
        return
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    for name in names or [name for name, output in OUTPUTS.items() if not output.slow]:
        if name not in OUTPUTS:
            raise UserError(f"{name}: not among {', '.join(OUTPUTS)}")
        output = OUTPUTS[name]
        page = ROOT / output.page
        made = printed(output, page.read_text(), name)
        page.write_text(filled(page.read_text(), name, made))
        kept[name] = {"box": box_sum()}
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        print(f"{output.page}: {name}\n{made}\n")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"fill_docs: {error}")
