"""Export: a file that every command reads wherever it is put, with clocks only where somebody stands behind them."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.disk.sealed_json import sealed_json
from actor_observer.pairs import Clock, read_manifest
from served import Served, serving
from tiny import write_csv


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, pairs: Path) -> Iterator[Served]:
    """A studio on the three pairs, with a name for one class, and a fourth pair without a clock."""
    folder = tmp_path_factory.mktemp("named")
    rows = list(csv.DictReader((pairs / "pairs.csv").open()))
    rows.append({**rows[2], "id": "plain", "third": "cup-head.mp4", "first": "cup-room.mp4", "clock": ""})
    for row in rows:
        row |= {view: str(pairs / row[view]) for view in ("third", "first")} | {"actions": "c001 1.0 4.0"}
    write_csv(folder / "pairs.csv", rows, list(rows[0]))
    (folder / "classes.txt").write_text("c001 Taking a cup\n")
    with serving(tmp_path_factory.mktemp("exporting"), folder) as running:
        yield running


def rows_of(text: bytes) -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text.decode()))}


def mark(shop: Served, who: str, pair: str, id: str, third: float, first: float, **said: str) -> None:
    body = {"pair": pair, "id": id, "third": third, "first": first, **said}
    shop.client("mark", who).good("POST", "/api/marks", body)


def test_an_export_is_read_where_it_lies_and_says_who_stands_behind_each_clock(
    shop: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client, studio = shop.client(), shop.studio
    assert rows_of(client.raw("GET", "/api/export/pairs.csv")[1])["book"]["clock"] == "", "scaled lengths are no clock"
    mark(shop, "=ann", "book", "first-mark", 1.0, 2.0)
    mark(shop, "bob", "book", "second-mark", 6.0, 8.5, label="=HYPERLINK(1)", comment='two, "three"')
    mark(shop, "bob", "door", "good-mark", 6.0, 8.5)
    mark(shop, "=ann", "door", "other-mark", 6.0, 3.0)
    seen = studio._seen.path(*studio._keys(studio.pair("plain")), None)
    seen.parent.mkdir(parents=True, exist_ok=True)
    curve = {"times": [0.0], "weight": [1.0]}
    drawn = {"third": curve, "first": curve, "map": {"rows": 1, "columns": 1, "levels": "00"}}
    for verdict in ("cannot tell", "in step"):
        seen.write_bytes(sealed_json({**drawn, "align": {"verdict": verdict, "clock": "0:1;7:8"}}))
        rows = rows_of(client.raw("GET", "/api/export/pairs.csv")[1])
        assert rows["plain"]["clock"] == ("0.0:1.0;7.0:8.0" if verdict == "in step" else "")
    assert {id: row["clock_by"] for id, row in rows.items()} == {
        "cup": "data",
        "door": "disputed",
        "book": "marks",
        "plain": "align",
    }
    assert rows["door"]["clock"] == "0.0:0.5;4.0:3.0;8.0:9.0", "marks that contradict each other change nothing"
    assert (rows["book"]["marks"], rows["book"]["people"], rows["book"]["marked_by"]) == ("2", "2", "'=ann; bob")
    assert rows["book"]["marked"].startswith("20") and rows["cup"]["marked"] == ""

    for who, clock in (("bob", "0:2;7:9"), ("=ann", "0:2.1;7:9.1"), ("eve", "0:5")):
        shop.client("mark", who).good("PUT", "/api/clock", {"pair": "cup", "clock": clock})
        rows = rows_of(client.raw("GET", "/api/export/pairs.csv")[1])
        by = ("disputed", "0.0:1.5;8.0:9.5") if who == "eve" else ("hand", str(Clock.parse(clock)))
        assert (rows["cup"]["clock_by"], rows["cup"]["clock"]) == by, "people who set nearly the same agree"
    assert shop.client("mark", "eve").call("PUT", "/api/clock", {"pair": "cup", "clock": "9:1;1:9"})[0] == 409
    with zipfile.ZipFile(io.BytesIO(client.raw("GET", "/api/export/pairs.zip")[1])) as bundle:
        bundle.extractall(tmp_path / "elsewhere")
    main(["inspect", str(tmp_path / "elsewhere")])
    assert "0 faults" in capsys.readouterr().out
    for place in (tmp_path / "elsewhere", studio.keep / "pairs.csv"):
        manifest = read_manifest(place)
        assert not manifest.faults and manifest.classes == {"c001": "Taking a cup"}
        assert {pair.id: pair.clock for pair in manifest.pairs}["book"] == Clock(((1.0, 2.0), (6.0, 8.5)))
    marks = list(csv.DictReader((tmp_path / "elsewhere" / "marks.csv").open()))
    assert [(row["pair"], row["state"]) for row in marks] == [("door", "disputed")] * 2 + [("book", "agreed")] * 2
    assert (marks[3]["label"], marks[3]["comment"], marks[3]["by"]) == ("'=HYPERLINK(1)", 'two, "three"', "bob")


def test_a_mark_after_the_end_and_words_without_end_are_refused(shop: Served) -> None:
    client = shop.client("mark", "late")
    late = {"pair": "cup", "id": "too-late-mark", "third": 8.9, "first": 1.0}
    status, said = client.call("POST", "/api/marks", late)
    assert status == 409 and said["error"] == "The observer's video has ended there: it is 8.00 s long."
    client.good("POST", "/api/marks", {**late, "third": 8.0, "first": 10.0})
    for change, why in (
        ({"label": "x" * 10_000}, "at most 200"),
        ({"third_end": 8.1}, "in both videos"),
        ({"third_end": 1.0, "first_end": 10.1}, "after it begins"),
        ({"first": 99.0}, "actor's video has ended"),
    ):
        status, said = client.call("PUT", "/api/marks", {"pair": "cup", "id": "too-late-mark", **change})
        assert status == 409 and why in said["error"]
    assert shop.studio.marks.of("cup")[-1].label == ""


def test_marks_go_to_elan_and_come_back_once(shop: Served) -> None:
    mark(shop, "eva", "plain", "elan-mark-1", 2.0, 3.0, label="grasp", comment="with the left")
    mark(shop, "eva", "plain", "elan-mark-2", 4.0, 5.0)
    eva, fay = shop.client("mark", "eva"), shop.client("mark", "fay")
    with zipfile.ZipFile(io.BytesIO(eva.raw("GET", "/api/export/marks-elan.zip")[1])) as bundle:
        text = bundle.read("plain.eaf").decode()
    assert "actor-observer: eva" in text and ">grasp<" in text and ">with the left<" in text
    again = {"name": "plain.eaf", "text": text}
    assert eva.good("POST", "/api/marks/file", again) == {"added": 0, "known": 2, "pairs": ["plain"], "outside": 0}
    assert fay.good("POST", "/api/marks/file", again)["added"] == 2
    late = text.replace(">grasp<", ">in all recordings<").replace("actor-observer: eva", "actor-observer: shared")
    beyond = text.replace('TIME_VALUE="2000"', 'TIME_VALUE="90000"').replace('TIME_VALUE="2100"', 'TIME_VALUE="90100"')
    hal = shop.client("mark", "hal")
    assert hal.good("POST", "/api/marks/file", {"name": "plain.eaf", "text": late})["added"] == 1  # ours is no mark
    assert hal.good("POST", "/api/marks/file", {"name": "plain.eaf", "text": beyond})["outside"] == 1
    marks = [one for one in shop.studio.marks.of("plain") if one.label == "grasp"]
    assert [(one.third, one.first, one.comment) for one in marks] == [(2.0, 3.0, "with the left")] * 2
    row = "pair,third,first,label\nplain,6.0,7.25,'=pour\n"
    assert fay.good("POST", "/api/marks/file", {"name": "marks.csv", "text": row})["added"] == 1
    assert [(one.first, one.label) for one in shop.studio.marks.of("plain")][-1] == (7.25, "=pour")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("odd.eaf", "<ANNOTATION_DOCUMENT/>", "no pair has the videos"),
        ("plain.eaf", "<!DOCTYPE a []><a/>", "declares entities"),
        ("a.csv", "pair,third\nnobody,1\n", "row 2: no pair 'nobody'"),
        ("a.csv", "pair,third\nplain,later\n", "row 2: no time"),
        ("a.csv", "pair,third,label\nplain,99,late\n", "'late' at 99.00 s: not in both videos"),
    ],
)
def test_a_file_without_marks_for_these_pairs_is_refused_whole(shop: Served, name: str, text: str, said: str) -> None:
    before = len(shop.studio.marks.of("plain"))
    status, answer = shop.client("mark", "odd").call("POST", "/api/marks/file", {"name": name, "text": text})
    assert status == 409 and said in answer["error"] and len(shop.studio.marks.of("plain")) == before


def test_the_datas_own_folder_cannot_be_the_studios(pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["studio", str(pairs), "--keep", str(pairs), "--no-open"])
    assert "choose another --keep" in capsys.readouterr().err
    assert not (pairs / "studio.db").exists()
