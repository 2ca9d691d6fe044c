"""Put the headline of `evaluate` into a page of docs/results/; with `--every`, every table too.

    python bench/judged.py TABLES.json NAME --title "…" --about "…" --command "actor-observer evaluate …"

NAME is the section's name. A second call replaces the section. `--figures PREFIX` also keeps the figures of the
headline that README or docs show (docs/figures.json, as PREFIX.box.quads, PREFIX.proportion.moments, …); then
`python bench/figures.py` fills them in.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.layout import Figures, as_markdown
from actor_observer.pictures.report.headline import (
    MOMENTS,
    MOMENTS_NEARER,
    QUADS,
    QUADS_ABOVE,
    ZERO_SHOT,
    headline,
)
from figures import is_shown, keep
from page import write_section

NAMES = {
    "model in the box": "box",
    " (uses time)": "",
    "in proportion (no pixels)": "proportion",
    "takes exchanged": "exchanged",
    "frozen features": "frozen",
    "ridge map": "ridge",
}


KEPT = {  # what a column of the headline is called in docs/figures.json
    QUADS: "quads",
    QUADS_ABOVE: "quads-above",
    MOMENTS: "moments",
    MOMENTS_NEARER: "moments-nearer",
    ZERO_SHOT: "names",
}


def main(
    tables: Positional[Path],
    name: Positional[str],
    title: str,
    about: str,
    command: str,
    figures: str = "",
    every: bool = False,
) -> None:
    found = json.loads(tables.read_text(encoding="utf-8"))["tables"]
    judged = {key: Figures.from_dict(key, table) for key, table in found.items()}
    short = headline(judged)
    parts = [f"## {title}", about, as_markdown(short), *(map(as_markdown, judged.values()) if every else ())]
    write_section(name, "\n\n".join(part.strip() for part in parts), command)
    if figures:
        keep_headline(short, figures, command)


def keep_headline(short: Figures, prefix: str, command: str) -> None:
    """Keep every figure of the headline that a page shows; say the names of the others."""
    rest = []
    for row, cells in short.rows.items():
        for column, cell in zip(short.columns, cells, strict=True):
            if column not in KEPT or cell is None:
                continue
            what = f"{prefix}.{slug(row)}.{KEPT[column]}"
            percent = column in short.percent
            if is_shown(what):
                keep(
                    what,
                    cell if isinstance(cell, Interval | float) else str(cell),
                    command,
                    percent,
                    1 if percent else 2,
                )
            else:
                rest.append(what)
    print(f"on no page, and not kept: {', '.join(rest)}" if rest else "all kept")


def slug(row: str) -> str:
    """A row's name in a figure's name.

    >>> slug("model in the box (uses time), takes exchanged"), slug("in proportion (no pixels)"), slug("ridge map")
    ('box-exchanged', 'proportion', 'ridge')
    """
    for long, short in NAMES.items():
        row = row.replace(long, short)
    return re.sub(r"[^a-z0-9]+", "-", row.lower()).strip("-")


if __name__ == "__main__":
    tyro.cli(main)
