"""A figure on a page is the one that was measured: it stands in docs/figures.json, with where it is from."""

import re
from pathlib import Path

import pytest

import figures
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.layout import Figures
from actor_observer.pictures.report.headline import COLUMNS, QUADS, QUADS_ABOVE
from judged import keep_headline


def test_every_figure_of_marked_text_is_kept_and_every_page_is_filled() -> None:
    """`python bench/figures.py` mends the first; the second needs a measurement."""
    known = figures.read()
    for page in figures.pages():
        text = page.read_text(encoding="utf-8")
        assert not figures.wrong(text, known), page
        assert not figures.strays(text), page
        assert text.count("<!--=") == text.count("<!--/-->"), page
        assert not re.search(r"^ {0,3}<!--=", text, re.MULTILINE), f"{page}: a line that begins with a mark is raw HTML"
        assert text.count("<!--figures-->") == text.count("<!--/figures-->"), page


def test_every_kept_figure_says_where_it_is_from_and_is_on_a_page() -> None:
    for name, figure in figures.read().items():
        assert figure.get("command") or (figure.get("source") and figure.get("commit")), name
        assert figures.is_shown(name), f"{name} is on no page"


def test_the_pages_that_make_claims_are_marked() -> None:
    for name in ("README.md", "docs/results.md", "docs/limits.md", "src/actor_observer/box/README.md"):
        assert "<!--figures-->" in (figures.ROOT / name).read_text(encoding="utf-8"), name


def test_a_measured_figure_reaches_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "FIGURES", tmp_path / "figures.json")
    page = "<!--figures-->right: <!--=set.mine.quads 0%-->1 %<!--/-->, chance 50<!--/figures-->"
    figures.keep("set.mine.quads", Interval(0.9781, 0.968, 0.988), "python bench/mine.py", percent=True)
    figures.keep("set.mine.moments", 1.004, "python bench/mine.py", digits=2)
    known = figures.read()
    assert known["set.mine.quads"] == {"value": "97.8 [96.8, 98.8]", "command": "python bench/mine.py"}
    assert known["set.mine.moments"]["value"] == "1.00"
    assert figures.wrong(page, known) == ["set.mine.quads is 98 % [97, 99], not 1 %"]
    assert "98 % [97, 99]" in figures.filled(page, known)
    with pytest.raises(ValueError, match="name is like"):
        figures.keep("Set mine", 1.0, "make")


def test_the_headline_of_an_evaluation_is_kept_where_a_page_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(figures, "FIGURES", tmp_path / "figures.json")
    empty = (None,) * (len(COLUMNS) - 4)
    rows = {
        "in proportion (no pixels)": (Interval(0.6, 0.5, 0.7), None, Interval(4.0, 3.0, 5.0), None, *empty),
        "model in the box (uses time)": (Interval(0.9, 0.8, 0.95), Interval(0.3, 0.1, 0.4), 1.5, 2.5, *empty),
    }
    keep_headline(Figures("headline", "", COLUMNS, rows, (QUADS, QUADS_ABOVE)), "rendered", "evaluate")
    known = figures.read()
    assert known["rendered.proportion.moments"]["value"] == "4.00 [3.00, 5.00]"
    assert known["rendered.proportion.quads"]["value"] == "60.0 [50.0, 70.0]"
    assert known["rendered.box.moments-nearer"]["value"] == "2.50"
    keep_headline(Figures("headline", "", COLUMNS, rows, ()), "nobody", "evaluate")
    assert "nobody.box.quads" in capsys.readouterr().out and figures.read() == known


def test_no_page_claims_certainty() -> None:
    for page in figures.pages():
        assert not re.search(r"100\.0 \[100\.0, 100\.0\]|(?<![\d.])0\.0 \[0\.0, 0\.0\]", page.read_text()), page


def test_a_figure_from_elsewhere_needs_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "FIGURES", tmp_path / "figures.json")
    monkeypatch.setattr(figures, "pages", lambda: iter(()))
    with pytest.raises(SystemExit, match="where the figure is from"):
        figures.main(enter=("people.align", "25"))
    with pytest.raises(SystemExit) as ended:
        figures.main(enter=("people.align", "25"), source="measured elsewhere", commit="abc1234")
    assert ended.value.code == 0 and figures.read()["people.align"]["commit"] == "abc1234"
