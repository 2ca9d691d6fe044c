"""The example notebooks are what their scripts say, were run whole, and are read by Jupyter's own reader."""

import json
from pathlib import Path
from typing import Any

import pytest

from build_notebooks import FOLDER, cells_of, notebook_of

SCRIPTS = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_is_what_its_script_says_and_was_run(script: Path) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    made = nbformat.read(script.with_suffix(".ipynb"), as_version=4)
    nbformat.validate(made)
    cells = cells_of(script.read_text())
    kept = [(cell.source, cell.cell_type == "markdown") for cell in made.cells]
    assert kept == [(cell.text, cell.markdown) for cell in cells], "python scripts/build_notebooks.py makes it again"
    assert any(cell.outputs for cell in made.cells if cell.cell_type == "code")
    assert script.with_suffix(".ipynb").stat().st_size < 1_000_000


def test_two_notebooks_are_there() -> None:
    assert {script.stem for script in SCRIPTS} == {"two_cameras", "own_data_set"}


def test_cells_share_their_names_and_show_their_last_line() -> None:
    made = notebook_of(cells_of("# %%\nfor a in (1, 2):\n    print(a)\n# %%\na * 21\n"))
    first, second = (cell["outputs"] for cell in made["cells"])
    assert first[0]["text"] == "1\n2\n" and second[0]["data"] == {"text/plain": "42"}
    json.dumps(made)
