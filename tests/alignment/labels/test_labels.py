"""Labels go to ELAN and to CSV and come back; programs that are not ours read them; tiers we do not know stay."""

from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from actor_observer.alignment.cameras.clocked import Clocked
from actor_observer.alignment.labels.files import check_labels, labels_of, read_marks, write_labels
from actor_observer.alignment.labels.label import Label
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.pairs import Clock
from tiny import write_video

ODD = "küche #1 100% 猫.mp4"
MARKS = [
    Label(3.0, None, "grasp & lift", "surely <so>", "Ana"),
    Label(4.0, 4.5, "pour", "", "Ana"),
    Label(4.25, None, "=1+1", tier="Bo"),
]


@pytest.fixture
def recordings(tmp_path: Path) -> list[Clocked]:
    """The head camera started a second after the room camera."""
    room = write_video(tmp_path / "room.mp4", 12, Fraction(2), size=(48, 48))
    head = write_video(tmp_path / ODD, 13, Fraction(2), size=(48, 48))
    return [Clocked(room, "third", 6.0, Clock(((0.0, 0.0),))), Clocked(head, "first", 6.5, Clock(((1.0, 0.0),)))]


def there_and_back(path: Path, recordings: list[Clocked]) -> list[Label]:
    write_labels(path, [*labels_of(recordings, [(2.5, "best moment")]), *MARKS], recordings, ["a note"])
    return read_marks(path, recordings)


def test_elan_has_them_in_step_and_gives_them_back(tmp_path: Path, recordings: list[Clocked]) -> None:
    path = tmp_path / "labels.eaf"
    found = there_and_back(path, recordings)
    assert [one for one in found if one.tier == "Bo"] == MARKS[2:]
    assert {one.text: (one.start, one.end, one.comment) for one in found}["pour"] == (4.0, 4.5, "")
    assert {one.text: (one.start, one.end, one.comment) for one in found}["grasp & lift"] == (3.0, None, "surely <so>")
    root = ElementTree.parse(path).getroot()
    media = {
        unquote(one.get("RELATIVE_MEDIA_URL") or ""): one.get("TIME_ORIGIN") for one in root.iter("MEDIA_DESCRIPTOR")
    }
    assert media == {"./room.mp4": "1000", f"./{ODD}": "0"} and all((tmp_path / name).is_file() for name in media)


def test_pympi_reads_them(tmp_path: Path, recordings: list[Clocked]) -> None:
    elan: Any = pytest.importorskip("pympi.Elan")
    path = tmp_path / "labels.eaf"
    there_and_back(path, recordings)
    opened = elan.Eaf(str(path))
    assert opened.get_annotation_data_for_tier("actor-observer: shared") == [(0, 5000, "in all recordings")]
    assert opened.get_annotation_data_for_tier("actor-observer: moments") == [(1500, 1600, "best moment")]
    assert opened.get_annotation_data_for_tier("actor-observer: Ana") == [(3000, 3500, "pour")]


def test_tiers_that_we_do_not_know_stay(tmp_path: Path, recordings: list[Clocked]) -> None:
    path = tmp_path / "labels.eaf"
    there_and_back(path, recordings)
    text = path.read_text().replace("actor-observer: Bo", "gaze")
    path.write_text(text.replace("</TIER>", "</TIER><TIER LINGUISTIC_TYPE_REF='x' TIER_ID='empty'/>", 1))
    write_labels(path, labels_of(recordings), recordings)
    again = [(one.tier, one.text) for one in read_marks(path, recordings)]
    assert again == [("gaze", "=1+1")] and 'TIER_ID="empty"' in path.read_text()  # ours are no marks
    strangers = [Clocked(tmp_path / "other.mp4", "third", 6.0, Clock(((0.0, 0.0),)))]
    (tmp_path / "room.mp4").rename(tmp_path / "other.mp4")
    with pytest.raises(UserError, match=r"labels.eaf: it is about room.mp4, .*, and not about other.mp4"):
        write_labels(path, labels_of(strangers), strangers)


def test_csv_has_the_time_of_every_recording_and_comes_back(tmp_path: Path, recordings: list[Clocked]) -> None:
    path = tmp_path / "labels.csv"
    found = there_and_back(path, recordings)
    assert path.read_text().splitlines()[:3] == [
        f"start,end,label,comment,tier,room.mp4,{ODD}",
        "1.000,6.000,in all recordings,,shared,1.000,0.000",
        "2.500,,best moment,,moments,2.500,1.500",
    ]
    assert found[:2] == MARKS[:2] and "'=1+1" in path.read_text()


def test_the_studios_marks_are_read_of_the_pair_that_is_meant(tmp_path: Path, recordings: list[Clocked]) -> None:
    path = tmp_path / "marks.csv"
    row = "{},2.5,1.5,3.0,2.0,pour,,Ana,guest,2026-01-01T00:00:00Z,agreed\n"
    head = "pair,third,first,third_end,first_end,label,comment,by,kind,changed,state\n"
    path.write_text(head + row.format("room") + row.format("hall"))
    assert read_marks(path, recordings) == [Label(2.5, 3.0, "pour", tier="Ana")]
    path.write_text(head + row.format("a") + row.format("b"))
    with pytest.raises(UserError, match="marks of 2 pairs"):
        read_marks(path, recordings)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.eaf", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "declares entities"),
        ("a.eaf", "<a>", "not XML"),
        ("a.eaf", "<a/>", "not an ELAN file"),
        ("a.csv", "when\n1\n", "needs a column third"),
        ("a.csv", "third\nsoon\n", "row 2: no time in seconds"),
        ("a.csv", "third\nnan\n", "it ends before it begins, or has no time"),
        ("a.csv", "third\n\xff\n", "not CSV in UTF-8"),
    ],
)
def test_what_is_no_file_of_marks_is_one_line(
    tmp_path: Path, recordings: list[Clocked], name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError, match=f"--marks .*{name}: .*{said}"):
        read_marks(tmp_path / name, recordings)


def test_align_writes_labels_and_carries_marks_to_a_timeline(
    tmp_path: Path, recordings: list[Clocked], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("opentimelineio")
    marks = tmp_path / "marks.csv"
    marks.write_text("third,first,label\n2.0,1.0,pour\n")
    names, edit, out = [str(one.path) for one in recordings], tmp_path / "edit.otio", tmp_path / "labels.eaf"
    asked = ["align", *names, "--offset", "1", "--marks", str(marks), "--timeline", str(edit), "--labels", str(out)]
    main(asked)
    assert '"pour"' in edit.read_text() and ">pour<" in out.read_text()
    edit.unlink()
    with pytest.raises(SystemExit):
        main(asked)
    assert "--force writes our labels into it; its other tiers stay" in capsys.readouterr().err
    with pytest.raises(UserError, match=r"written as \.eaf"):
        check_labels(tmp_path / "labels.txt")
