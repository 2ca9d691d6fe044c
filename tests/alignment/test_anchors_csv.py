"""anchors.csv may be opened in a spreadsheet: no cell of it is a formula, whatever the videos are called."""

import csv
from pathlib import Path

import actor_observer as ao
from actor_observer.pairs import read_manifest
from same_scene import plain_network, write_scene


def test_no_cell_of_the_table_is_a_formula(tmp_path: Path) -> None:
    third = write_scene(tmp_path / "=cmd.mp4", 8, fps=8)
    first = write_scene(tmp_path / "+1.mp4", 6, fps=8, start=1.0)
    ao.align(third, first, model=plain_network()).write_csv(tmp_path / "anchors.csv")
    with (tmp_path / "anchors.csv").open() as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert len(read_manifest(tmp_path / "anchors.csv").pairs) == 1
