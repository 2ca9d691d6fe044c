"""Our own form, `pairs.csv`."""

from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.pairs import Action, Clock, read_manifest
from actor_observer.pairs.read import is_data
from tiny import write_csv, write_frames, write_video

COLUMNS = ["id", "third", "first", "subject", "script", "actions"]


def table(folder: Path, rows: list[dict[str, object]], *extra: str) -> Path:
    """Write pairs.csv and every video it names (24 frames, 2 s) that is not there yet."""
    for row in rows:
        for view in ("third", "first"):
            if row.get(view) and not (folder / str(row[view])).exists():
                write_video(folder / str(row[view]), frames=24)
    return write_csv(folder / "pairs.csv", rows, [*COLUMNS, *extra])


def row(number: int, **more: object) -> dict[str, object]:
    return {"id": number, "third": f"v/{number}t.mp4", "first": f"v/{number}f.mp4", "subject": "ann"} | more


def test_actions_reach_the_first_person_through_the_clock(tmp_path: Path) -> None:
    write_video(tmp_path / "v" / "1f.mp4", frames=48)
    table(tmp_path, [row(1, actions="pour tea 0.5 1.5;sit 0 2")])
    manifest = read_manifest(tmp_path / "pairs.csv")
    (pair,) = manifest.pairs
    assert (pair.third, pair.first) == ("1.third", "1.first")
    assert pair.clock == Clock.scaled(2.0, 4.0)
    assert manifest.takes["1.third"].actions == (Action("pour tea", 0.5, 1.5), Action("sit", 0.0, 2.0))
    assert manifest.takes["1.first"].actions == (Action("pour tea", 1.0, 3.0), Action("sit", 0.0, 4.0))
    assert list(manifest.classes) == ["pour tea", "sit"]


def test_clock_split_and_phases_columns(tmp_path: Path) -> None:
    rows = [row(1, clock="0:0.5;1:1.5", split="train", phases="reach 0 1;grasp 1 2"), row(2, split="val")]
    manifest = read_manifest(table(tmp_path, rows, "clock", "split", "phases"))
    assert manifest.pairs[0].clock.to_first(0.25) == 0.75
    assert [pair.split for pair in manifest.pairs] == ["train", "validation"]
    assert manifest.takes["1.first"].phases == (Action("reach", 0.5, 1.5), Action("grasp", 1.5, 2.0))


def test_takes_without_a_partner_and_takes_in_several_pairs(tmp_path: Path) -> None:
    rows = [row(1), row(2, third="v/1t.mp4", actions="sit 0 1"), row(3, first=""), row(4, third="")]
    manifest = read_manifest(table(tmp_path, rows))
    assert [(pair.third, pair.first) for pair in manifest.pairs] == [("1.third", "1.first"), ("1.third", "2.first")]
    assert sorted(manifest.takes) == ["1.first", "1.third", "2.first", "3.third", "4.first"]
    assert manifest.takes["1.third"].actions == (Action("sit", 0.0, 1.0),)


def test_folders_of_frames_at_their_own_rate(tmp_path: Path) -> None:
    write_frames(tmp_path / "v" / "frames", frames=10)
    manifest = read_manifest(table(tmp_path, [row(1, first="v/frames", frame_rate="5")], "frame_rate"))
    assert manifest.takes["1.first"].length == 2.0


def test_people_who_share_a_script_make_different_person_pairs(tmp_path: Path) -> None:
    people = ("ann", "bob", "cy")
    rows = [row(n, subject=who, script="Pour tea.", split="test") for n, who in enumerate(people)]
    manifest = read_manifest(table(tmp_path, rows, "split"))
    different = [pair for pair in manifest.pairs if not pair.same_person]
    assert len(different) == 6
    assert all(manifest.takes[p.third].subject != manifest.takes[p.first].subject for p in different)


def test_what_is_wrong_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    rows = [row(n) for n in range(6)]
    rows[1]["third"] = "v/gone.mp4"
    rows[2]["actions"] = "sit 0.5 7;oops"
    rows[3]["clock"] = "0:100"
    rows[4]["id"] = "0"
    rows[5] |= {"third": "", "first": ""}
    table(tmp_path, rows, "clock")
    (tmp_path / "v" / "gone.mp4").unlink()
    manifest = read_manifest(tmp_path)
    told = "\n".join(map(str, manifest.faults))
    for line in (
        "gone.mp4: no such file (left out)",
        "2t.mp4: 1 action reaches past the end at 2.00 s; clipped",
        "pairs.csv: 2: action 'oops' is not `label start end`",
        "pairs.csv: 3: by its clock '0:100' the two takes do not overlap (left out)",
        "pairs.csv line 6: id 0 appears twice (left out)",
        "pairs.csv line 7: id 5 names neither a third nor a first video (left out)",
    ):
        assert line in told, told
    assert [pair.id for pair in manifest.pairs] == ["0", "2"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "missing column.*the file is empty"),
        ("id,third,subject\n", r"missing column\(s\) first"),
        ("id,third,first\n", "no rows"),
        ("id,third,first,split\n1,a,b,dev\n", "split is 'dev'; use train, validation or test"),
        (b"id,third,first\n1,caf\xe9,b\n", "not UTF-8"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_clear_line(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    (tmp_path / "pairs.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=complaint):
        read_manifest(tmp_path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"neither a pairs\.csv nor Charades-Ego .*, nor a folder with them"):
        read_manifest(write_video(tmp_path / "a.mp4"))


def test_a_data_set_is_what_a_reader_knows(tmp_path: Path) -> None:
    frames = write_frames(tmp_path / "frames", 3)
    (frames / "gaze.csv").write_text("time,x,y\n0,1,2\n")  # beside a recording, and no data set
    assert not is_data(frames)
    (tmp_path / "pairs.csv").write_text("id,third,first\n")
    assert is_data(tmp_path) and is_data(tmp_path / "pairs.csv")
