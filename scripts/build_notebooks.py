"""Make the example notebooks: run the plain scripts in examples/notebooks cell by cell, and keep what they show.

    python scripts/build_notebooks.py [NAME …]

A cell begins with `# %%`; `# %% [markdown]` is text, each line a comment. No Jupyter is needed to make them.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from actor_observer.disk import write_whole

__all__ = ["Cell", "cells_of", "notebook_of"]

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"


@dataclass(frozen=True)
class Cell:
    """A piece of a script."""

    text: str
    markdown: bool


def cells_of(script: str) -> list[Cell]:
    r"""The cells of a script; what stands before the first is left out.

    >>> cells_of("# %% [markdown]\n# Hello\n# %%\n1 + 1\n")
    [Cell(text='Hello', markdown=True), Cell(text='1 + 1', markdown=False)]
    """
    found = []
    for piece in f"\n{script}".split("\n# %%")[1:]:
        kind, _, text = piece.partition("\n")
        markdown = "[markdown]" in kind
        lines = [line.removeprefix("#").removeprefix(" ") if markdown else line for line in text.strip().splitlines()]
        found.append(Cell("\n".join(lines), markdown))
    return found


def notebook_of(cells: list[Cell]) -> dict[str, Any]:
    """Run the cells one after the other; what each prints and shows stands below it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    made = []
    for number, cell in enumerate(cells, start=1):
        known: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}, "source": cell.text.splitlines(keepends=True)}
        if cell.markdown:
            made.append({"cell_type": "markdown", **known})
        else:
            outputs = run(cell.text, names, number)
            made.append({"cell_type": "code", "execution_count": number, "outputs": outputs, **known})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def run(text: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """What a cell prints, and what its last line is, as a notebook keeps them."""
    tree, said, shown = ast.parse(text), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if said.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": said.getvalue()})
    if shown is not None:
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": _data(shown)}
        outputs.append(result)
    return outputs


def _data(shown: Any) -> dict[str, str]:
    data = {"text/plain": repr(shown)}
    if hasattr(shown, "_repr_html_"):
        data["text/html"] = shown._repr_html_()
    elif hasattr(shown, "savefig"):
        picture = io.BytesIO()
        shown.savefig(picture, format="png", dpi=90)
        data["image/png"] = base64.b64encode(picture.getvalue()).decode()
    return data


def main(names: tyro.conf.Positional[tuple[str, ...]] = ()) -> None:
    """Make the notebooks of these names, or all."""
    for script in sorted(FOLDER.glob("*.py")):
        if not names or script.stem in names:
            made = notebook_of(cells_of(script.read_text()))
            write_whole(script.with_suffix(".ipynb"), (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode())
            print(f"written     {script.with_suffix('.ipynb')}", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
