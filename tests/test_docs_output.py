"""Every block of output in the docs is made by the command above it, has the form it prints today, and is not stale."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from actor_observer import align
from actor_observer.cli import main
from actor_observer.pairs import ROBOTS
from actor_observer.searching.search import Answers, Hit
from asked import small_network
from fill_docs import KEPT, MARKED, OUTPUTS, ROOT, box_sum, commands_above, filled
from tiny import write_csv, write_video

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NOT_OUTPUT = (  # how other blocks without a language begin
    *("actor-observer ", "torchrun ", "id,third,first"),  # to type, or to write into a file
    *(" pairs.csv · Charades-Ego", " sampling/stream.py"),  # drawings
)


def block(name: str) -> list[str]:
    text = (ROOT / OUTPUTS[name].page).read_text()
    return next(found["text"] for found in MARKED.finditer(text) if found["name"] == name).split("\n")


def shape(line: str) -> str:
    """A line without its figures and names.

    >>> shape("observer    P14-4KPD6.mp4, 21.1 s"), shape("note: believe nothing")
    ('observer NAME, 0 s', 'note')
    """
    if line.startswith("note:"):
        return "note"
    line = re.sub(r"\S+\.mp4", "NAME", line)
    return re.sub(r"\s+", " ", re.sub(r"-?\d[\d.,]*(?<![.,])%?", "0", line)).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_output_is_marked(page: Path) -> None:
    text = page.read_text()
    marked = {found["text"].strip() for found in MARKED.finditer(text)}
    for language, inside in FENCE.findall(text):
        known = language or inside.startswith(NOT_OUTPUT) or inside.strip() in marked
        assert known, f"what made this? mark it, and name it in scripts/fill_docs.py:\n{inside}"
    here = [name for name, output in OUTPUTS.items() if ROOT / output.page == page]
    assert sorted(found["name"] for found in MARKED.finditer(text)) == sorted(here)


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_command_stands_above_its_block(name: str) -> None:
    made_by = {"elastic": "elastic.py", "kills": "kills.py"}.get(name, name.split("-")[-1])
    _, commands = commands_above((ROOT / OUTPUTS[name].page).read_text(), name)
    assert made_by in (commands[-1][3:4] or [Path(commands[-1][1]).name])


@pytest.mark.parametrize("name", [name for name, output in OUTPUTS.items() if output.by_box])
def test_a_block_was_made_with_this_box(name: str) -> None:
    assert json.loads(KEPT.read_text())[name]["box"] == box_sum(), f"run: python scripts/fill_docs.py {name}"


def test_align_prints_what_the_pages_show() -> None:
    room, head = (ROBOTS / f"videos/1_L_S_6_horizontal_n_4_regrasp.{view}.mp4" for view in ("third", "first"))
    found = align(room, head, model=small_network())
    forms = set()
    for verdict, kind in itertools.product(("in step", "cannot tell", "unrelated"), ("one event", "two performances")):
        error = 0.1 if verdict == "in step" else None
        answer = replace(found, verdict=verdict, hypothesis=kind, confidence=0.5, offset_error=error)
        for some in (answer, replace(answer, candidates=answer.candidates[:1] * 2)):
            forms |= {shape(line) for line in str(some).split("\n")}
    for name in ("align", "tutorial-align"):
        assert {shape(line) for line in block(name)} <= forms | {"note"}, f"run: python scripts/fill_docs.py {name}"


def test_inspect_prints_what_the_tutorial_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_video(tmp_path / "room.mp4", frames=8)
    rows = [{"id": "p", "third": "room.mp4", "first": "", "subject": "ann"}]
    write_csv(tmp_path / "pairs.csv", rows, list(rows[0]))
    main(["inspect", str(tmp_path / "pairs.csv")])
    printed = capsys.readouterr().out.rstrip().split("\n")

    def forms(lines: list[str]) -> list[str]:
        """The first column of the table, and the lines around it."""
        return [
            shape(re.split("[│┃]", line)[1] if line[0] in "│┃" else line) for line in lines if line[0] not in "┏┡└n"
        ]

    assert forms(block("tutorial-inspect")) == forms(printed), "run: python scripts/fill_docs.py tutorial-inspect"


def test_search_prints_what_the_page_shows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Answers("room.mp4@1", "third", (Hit("a.mp4", 1.5, 0.5, "first"),), torch.zeros(3, 8, 8), (None,))
    monkeypatch.setattr("actor_observer.searching.search.search", lambda *asked: answers)
    main(["search", "moments", "room.mp4@1"])
    head, row = capsys.readouterr().out.split("\n")[:2]
    shown = block("search")
    assert shown[0].split() == head.split()
    assert {shape(line) for line in shown[1:-1]} == {shape(row)} and shown[-1] == " …"


@pytest.mark.parametrize("name", ["elastic", "kills"])
def test_benches_print_what_the_page_shows(name: str) -> None:
    source = (ROOT / "bench" / f"{name}.py").read_text()
    for line in block(name):
        pieces = [piece.strip() for piece in re.split(r"[\d.,:;()]+", line)]
        assert any(len(piece.split()) > 1 and piece in source for piece in pieces), line


def test_a_block_is_filled_and_nothing_else() -> None:
    text = "a\n\n<!--output:one-->\n\n```\nold\n```\n\n<!--output:two-->\n\n```\nkept\n```\n"
    assert filled(text, "one", "new\nlines") == text.replace("old", "new\nlines")
