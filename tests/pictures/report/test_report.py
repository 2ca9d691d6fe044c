"""The report: whole, escaped, and alone in the world."""

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.judge import Judgement, fingerprint
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.measures.markers import Markers, read_markers
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.alignment_tables import NEARER
from actor_observer.evaluation.tables.correspondence_tables import ABOVE
from actor_observer.evaluation.tables.layout import Figures
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import read_manifest
from actor_observer.pictures.figures.learning_curves import draw_learning_curves, read_log
from actor_observer.pictures.figures.parts.style import sheet
from actor_observer.pictures.gallery import Plate
from actor_observer.pictures.report.headline import COLUMNS, headline
from actor_observer.pictures.report.report import Report, build_page, read_tables, write_report

EVIL = '<script>alert("x")</script> & $x^2$ \'"'
TABLE = Figures("correspondence-fair-same", f"Fair {EVIL}", ("all",), {f"{EVIL}, by margin": (0.5,)}, ("all",), (EVIL,))
REPORT = Report(
    EVIL, EVIL, "test", EVIL, {TABLE.key: TABLE}, [Plate(EVIL, EVIL, lambda: sheet(0.2))], None, {EVIL: EVIL}, TABLE
)


class Checker(HTMLParser):
    """Fails on a tag that is not closed, or not opened; gathers what the page says and asks for."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.asks: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.asks += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action", "data")]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in ("meta", "img", "source", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def alone(page: str) -> Checker:
    found = Checker(page)
    assert all(ask.startswith(("data:image/webp;base64,", "#")) for ask in found.asks)
    assert not re.search(r"https?:|@import|url\(", page)
    assert not {"script", "link", "iframe", "object"} & set(found.tags)
    return found


def test_hostile_names_stay_text() -> None:
    found = alone(build_page(REPORT))
    assert found.text.count(EVIL) >= 7  # title, heading, caption, table, its note, row, recipe


def test_a_run_is_judged_drawn_and_written_on_one_page(
    folder: Path, data: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = JudgedData(data, cache=cache, device="cpu")
    monkeypatch.setattr("actor_observer.pictures.figures.parts.save.DPI", 60)  # a quarter of the pixels
    with monkeypatch.context() as patch:
        patch.setattr("actor_observer.pictures.report.report.plates", lambda run: [])  # drawn once is enough
        elsewhere = write_report(folder, judged, tmp_path / "deep" / "page.html")
    assert not (folder / "tables.json").exists()  # the run's folder was not touched
    page = write_report(folder, judged).read_text()
    found = alone(page)
    tables = read_tables(folder, "test", fingerprint(read_manifest(data).of("test")))
    assert tables and {"correspondence-fair-same", "alignment-fair-same", "recognition"} <= tables.keys()
    for table in tables.values():
        assert table.title in found.text
    assert [f"Figure {number}." in found.text for number in range(1, 9)] == [True] * 7 + [False]
    assert found.tags.count("img") == found.tags.count("source") == 7
    assert len(page) < 1.5e6
    assert "objective: contrast" in found.text
    before = (folder / "tables.json").stat().st_mtime_ns
    monkeypatch.setattr("actor_observer.pictures.report.report.plates", lambda run: [])
    again = write_report(folder, judged)
    assert again == folder / "report.html" and again.read_text() == elsewhere.read_text()
    assert (folder / "tables.json").stat().st_mtime_ns == before  # judged once
    figures = {name: {"value": 0.5, "low": 0.4, "high": 0.6} for name in ("median", "mean", "within")}
    told = {"names": ["ann"], "people": True, "against": "truth", "answers": 3, "pairs": 3}
    (data / "agreement.json").write_text(json.dumps(told | figures))
    marked = write_report(folder, judged).read_text()
    (data / "agreement.json").unlink()  # others use the data too
    assert "Human (ann)" not in page and "Human (ann)" in marked


def test_tables_come_back_as_they_were(tmp_path: Path) -> None:
    assert read_tables(tmp_path, "test", "x") is None
    cells = (Interval(0.5, 0.25, 0.75), 3, "41 (7)", None, 0.125)
    table = Figures("k", "Title", tuple("abcde"), {"row": cells}, ("a",), ("note",))
    assert Figures.from_dict("k", table.to_dict()) == table
    for text in ("{", "[]", '{"split": "test", "takes": "x", "tables": {"k": {"percent": []}}}'):
        (tmp_path / "tables.json").write_text(text)
        with pytest.raises(UserError, match="evaluate again"):
            read_tables(tmp_path, "test", "x")


def test_tables_of_other_takes_or_of_an_older_network_are_not_shown(tmp_path: Path) -> None:
    Judgement({TABLE.key: TABLE}, Protocol(), "test", False, "these takes").write(tmp_path)
    assert read_tables(tmp_path, "test", "these takes") == {TABLE.key: TABLE}
    assert read_tables(tmp_path, "validation", "these takes") is None
    assert read_tables(tmp_path, "test", "other takes") is None
    (tmp_path / "model.safetensors").write_bytes(b"")
    later = (tmp_path / "tables.json").stat().st_mtime + 60
    os.utime(tmp_path / "model.safetensors", (later, later))
    assert read_tables(tmp_path, "test", "these takes") is None


def test_tables_from_before_people_marked_the_data_are_not_shown(tmp_path: Path) -> None:
    half = Interval(0.5, 0.4, float("nan"))
    marked = Markers(("ann",), True, "truth", half, half, half, 12, 12)
    (tmp_path / "agreement.json").write_text(json.dumps(marked.to_dict()))
    now = read_markers(tmp_path)
    assert now and now.label == "Human (ann)"
    Judgement({TABLE.key: TABLE}, Protocol(), "test", False, "these takes").write(tmp_path)
    assert read_tables(tmp_path, "test", "these takes", None) and read_tables(tmp_path, "test", "these takes")
    assert read_tables(tmp_path, "test", "these takes", now) is None, "judged before anybody marked"
    Judgement({TABLE.key: TABLE}, Protocol(), "test", False, "these takes", now).write(tmp_path)
    assert read_tables(tmp_path, "test", "these takes", now)
    assert read_tables(tmp_path, "test", "these takes", replace(now, answers=13)) is None, "marked again since"
    assert read_tables(tmp_path, "test", "these takes", None) is None, "the marks were taken back"


def test_the_headline_takes_each_figure_from_its_table() -> None:
    aucs = (("third", 0.8), ("first", 0.9))

    def one(key: str, columns: tuple[str, ...], rows: dict[str, tuple[float, ...]]) -> Figures:
        return Figures(key, key, columns, rows)

    tables = [
        one("correspondence-fair-same", ("all", ABOVE), {"chance": (0.5, None), "ridge map, by margin": (0.6, 0.01)}),
        one("alignment-fair-same", ("every moment, median", NEARER), {"uniform guess": (5.0, None)}),
        one("recognition", ("mAP, all frames", "chance"), {"quick, first person (zero-shot)": (0.4, 0.1)}),
        one("selector", ("AUC, hands and object visible",), {f"quick, {v} person": (a,) for v, a in aucs}),
    ]
    chosen = ("by selector", "by selector, third person only", "by margin")
    rows = {f"quick, {how}": (0.7, 0.05 if how == chosen[0] else None) for how in chosen}
    rows |= {
        IN_PROPORTION: (0.65, None),
        "quick, takes exchanged": (0.55, None),
        "ridge map, takes exchanged": (0.5, None),
    }
    tables[0] = replace(tables[0], rows=tables[0].rows | rows)
    placed = {IN_PROPORTION: (3.0, None), "ridge map": (4.0, None), "quick": (2.0, 1.0)}
    tables[1] = replace(tables[1], rows=tables[1].rows | placed | {"quick, takes exchanged": (4.5, None)})
    short = headline({table.key: table for table in tables})
    assert short.columns == COLUMNS
    assert short.rows == {
        "chance": (0.5, None, 5.0, None, 0.1, 0.5, 0.5),
        IN_PROPORTION: (0.65, None, 3.0, *[None] * 4),
        "ridge map": (0.6, 0.01, 4.0, None, None, None, None),
        "quick, takes exchanged": (0.55, None, 4.5, *[None] * 4),
        "quick": (0.7, 0.05, 2.0, 1.0, 0.4, 0.8, 0.9),
    }


def test_learning_curves_stop_where_the_log_is_broken(tmp_path: Path) -> None:
    lines = ['{"step": 1, "epoch": 1, "loss": 4.0, "lr": 1}', '{"step": 2, "epoch": 1, "loss": NaN, "lr": 1}']
    lines += ['{"step": 2, "epoch": 1, "validation": 0.5}', '{"step": 3, "epoch": 2, "loss": 2.0}', '{"step": 4, "ep']
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    curves = read_log(tmp_path)
    assert curves.losses == {"loss": [(0.5, 4.0), (1.5, 2.0)]}  # two steps an epoch
    assert curves.validation == [(1.0, 0.5)]
    figure = draw_learning_curves(curves)
    assert figure.axes[1].collections[0].get_offsets().tolist() == [[1.0, 50.0]]


def test_what_was_not_measured_is_not_shown_and_not_called_chance() -> None:
    rows = {"chance": (0.5,), "mine, by margin": (Interval(float("nan")),)}
    fair = Figures("correspondence-fair-same", "Fair", ("all",), rows, ("all",))
    found = alone(build_page(replace(REPORT, name="mine", tables={fair.key: fair})))
    assert "nan" not in found.text
    assert "Not so" not in found.text


def test_a_file_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "theirs.npz").write_bytes(b"embeddings")
    with pytest.raises(UserError, match="the page is about a run's folder; embeddings are judged by evaluate"):
        write_report(tmp_path / "theirs.npz", JudgedData("no-such-data"))


def test_a_page_is_never_written_into_the_package() -> None:
    with pytest.raises(UserError, match="into the installed package"):
        write_report(BOX, JudgedData("no-such-data"))


def test_the_large_figures_are_the_runs_own_whoever_else_is_in_the_table() -> None:
    scores = {name: (Interval(value, value - 0.1, value + 0.1),) for name, value in (("mine", 0.6), ("other", 0.9))}
    rows = {"chance": (0.5,)} | {f"{name} (uses time), by margin": cells for name, cells in scores.items()}
    fair = Figures("correspondence-fair-same", "Fair", ("all",), rows, ("all",))
    found = alone(build_page(replace(REPORT, name="mine", tables={fair.key: fair})))
    tiles = found.text[: found.text.index("Table 1.")]
    assert "60.0 %" in tiles and "90.0 %" not in tiles
