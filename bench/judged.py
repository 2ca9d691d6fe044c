"""Put the tables of `evaluate` into a page of docs/results/: the headline, then every table.

    python bench/judged.py TABLES.json NAME --title "…" --about "…" --command "actor-observer evaluate …"

NAME is the section's name. A second call replaces the section.
"""

from __future__ import annotations

import json
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.evaluation.tables.layout import Figures, as_markdown
from actor_observer.pictures.report.headline import headline
from page import write_section


def main(tables: Positional[Path], name: Positional[str], title: str, about: str, command: str) -> None:
    found = json.loads(tables.read_text(encoding="utf-8"))["tables"]
    figures = {key: Figures.from_dict(key, table) for key, table in found.items()}
    parts = [f"## {title}", about, as_markdown(headline(figures)), *map(as_markdown, figures.values())]
    write_section(name, "\n\n".join(part.strip() for part in parts), command)


if __name__ == "__main__":
    tyro.cli(main)
