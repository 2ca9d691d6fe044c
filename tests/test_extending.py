"""`docs/architecture.md` says where to add what: one of each is added there, in a copy of the package, and works.

To keep another row true: its file in `tests/added/`, its lines in `LINES`, what it should do in `tests/try_added.py`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from test_architecture import PACKAGE, PAGE

TESTS = Path(__file__).parent
ROWS = dict(re.findall(r"^\| (an? [^|]+|another [^|]+) \| ([^|]+) \|", PAGE.partition("## Where would I put")[2], re.M))

# The check in try_added.py -> how its row begins, the file that is changed, and what is put before which line of it.
LINES: dict[str, tuple[str, str, dict[str, str]]] = {
    "a_data_set": ("a data set", "pairs/read.py", {'    "pairs_csv",': '    "list_of_pairs",'}),
    "an_objective": (
        "another objective",
        "training/objectives/__init__.py",
        {
            "from actor_observer.training.objectives.triplet": "from actor_observer.training.objectives.tea import Tea",
            '    "triplet":': '    "tea": Tea,',
        },
    ),
    "evidence": (
        "another kind of evidence",
        "alignment/kinds/__init__.py",
        {
            "from actor_observer.alignment.kinds.learned": "from actor_observer.alignment.kinds.clap import Clap",
            "    MotionEvidence(),": "    Clap(),",
        },
    ),
    "a_backbone": (
        "another backbone",
        "model/backbones/registry.py",
        {
            "from actor_observer.model.backbones.mobilenet": (
                "from actor_observer.model.backbones.mean_colour import MeanColour"
            ),
            '    "vgg16": VGG16': '    "mean_colour": MeanColour,',
        },
    ),
    "a_search_engine": (
        "another search engine",
        "searching/engines/__init__.py",
        {'    "flat": Row(': '    "json": Row("json_index", "moments.json", "one JSON file", "json"),'},
    ),
    "a_table": (
        "another table",
        "evaluation/judge.py",
        {
            "from actor_observer.pairs.manifest": (
                "from actor_observer.evaluation.tables.take_tables import take_table"
            ),
            "    tables.append(recognition_table": "    tables.append(take_table(methods))",
        },
    ),
    "a_figure": (
        "another figure",
        "pictures/gallery.py",
        {
            "from actor_observer.pictures.figures.choose": (
                "from actor_observer.pictures.figures.blank import draw_blank"
            ),
            "    return [*made, _similarity": '    made.append(Plate("7-blank", "Nothing.", draw_blank))',
        },
    ),
    "a_room": (
        "another room of the studio's page",
        "web/rooms/__init__.py",
        {'    Room("people"': '    Room("hello", "Hello", "look"),'},
    ),
    "a_command": (
        "a new command",
        "cli/__init__.py",
        {
            "from actor_observer.cli.learn": "from actor_observer.cli.hello import hello",
            '    "inspect": inspect': '    "hello": hello,',
        },
    ),
}
NOT_TRIED: set[str] = set()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is wrong with each of them; all are tried in one process."""
    root = tmp_path_factory.mktemp("copy")
    copy = root / "actor_observer"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "videos", "truth", "box"))
    (copy / "box").symlink_to(PACKAGE / "box")
    shutil.copytree(TESTS / "added", copy, dirs_exist_ok=True)
    for _, name, lines in LINES.values():
        text = (copy / name).read_text()
        for before, line in lines.items():
            (place,) = re.finditer(rf"^{re.escape(before)}", text, re.MULTILINE)
            text = f"{text[: place.start()]}{line}\n{text[place.start() :]}"
        (copy / name).write_text(text)
    paths = os.pathsep.join(map(str, (root, TESTS)))
    command = [sys.executable, str(TESTS / "try_added.py"), str(root / "found.json")]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, str] = json.loads((root / "found.json").read_text())
    return told


@pytest.mark.parametrize("name", LINES)
def test_it_works_where_the_page_says(name: str, found: dict[str, str]) -> None:
    row, file, lines = LINES[name]
    (where,) = (where for what, where in ROWS.items() if what.startswith(row))
    assert f"`{file}`" in where or f"`{file.rpartition('/')[0]}/`" in where, f"the page sends people to {where}"
    entries = [line for line in lines.values() if not line.startswith("from ")]
    assert len(entries) == 1, "one line, and what it imports"
    assert not found[name], found[name]


def test_every_row_of_the_page_is_tried() -> None:
    tried = {what for what in ROWS for row, *_ in LINES.values() if what.startswith(row)}
    assert tried | NOT_TRIED == ROWS.keys() and len(tried) == len(LINES)
