"""Charades-Ego and Charades as published: v1, v0, the one-view files, and what people have on disk."""

from dataclasses import replace
from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.pairs import Manifest, read_manifest
from tiny import CHARADES, EGO_V1, charades_rows, write_charades_ego, write_csv, write_frames, write_video


def tree(folder: Path, rows: list[dict[str, object]], columns: list[str] = EGO_V1, name: str = "v1_train") -> Path:
    write_csv(folder / f"CharadesEgo_{name}.csv", rows, columns)
    for row in rows:
        write_video(folder / "videos" / f"{row['id']}.mp4", frames=6)
    return folder


def facts(manifest: Manifest) -> object:
    """Everything but where the recordings lie."""
    takes = {id: replace(take, path=Path(), frame_rate=None) for id, take in manifest.takes.items()}
    return takes, manifest.pairs, manifest.classes


def test_a_v1_tree_of_videos_and_a_v0_tree_of_frames_give_the_same_manifest(tmp_path: Path) -> None:
    v1 = write_charades_ego(tmp_path / "v1", train=4, test=2, seconds=2, fps=12)
    v0 = tmp_path / "v0"
    for split, prefix, pairs in (("train", "T", 4), ("test", "U", 2)):
        rows = charades_rows(pairs, 2, prefix)
        others = [row | {"id": row["charades_video"], "subject": f"X{row['subject']}"} for row in rows[::2]]
        # In v0 there is no charades_video: Charades' actor is found because the script is the same.
        write_csv(v0 / f"CharadesEgo_v0_{split}.csv", rows, CHARADES)
        write_csv(v0 / f"Charades_v1_{split}.csv", others, CHARADES)
        for row in (*rows, *others):
            write_frames(v0 / "frames" / str(row["id"]), frames=48)
    (v0 / "classes.txt").write_text((v1 / "classes.txt").read_text())
    ours, theirs = read_manifest(v1), read_manifest(v0)
    assert facts(ours) == facts(theirs)
    assert sum(pair.same_person for pair in ours.pairs) == 6
    assert sum(not pair.same_person for pair in ours.pairs) == 6
    assert ours.classes["c003"] == "read a book"
    assert {take.frame_rate for take in theirs.takes.values()} == {24.0}


def test_v0_first_person_takes_known_only_from_disk(tmp_path: Path) -> None:
    rows = [{"id": "AAAAA", "subject": "ann", "script": "Sit.", "actions": "c001 0 0.4", "length": "0.5"}]
    rows += [{"id": "BBBBB"}, {"id": "CCCCC"}, {"id": "BBBBBEGO"}]
    write_csv(tmp_path / "CharadesEgo_v0_train.csv", rows, CHARADES)
    for id in ("AAAAA", "AAAAAEGO", "BBBBB", "BBBBBEGO"):
        write_video(tmp_path / "videos" / f"{id}.mp4", frames=6)
    manifest = read_manifest(tmp_path)
    assert {(pair.third, pair.first) for pair in manifest.pairs} == {("AAAAA", "AAAAAEGO"), ("BBBBB", "BBBBBEGO")}
    ego = manifest.takes["AAAAAEGO"]
    assert (ego.view, ego.subject, ego.script, ego.actions, ego.length) == ("first", "ann", "Sit.", (), 0.5)
    assert not manifest.faults  # a blank row nobody recorded is nothing wrong


def test_v0_labels_of_first_person_test_videos_are_read(tmp_path: Path) -> None:
    """They stand in a file of their own; the same ids stand in the test file too, blank but for the id."""
    facts = {"subject": "ann", "script": "Sit.", "length": "0.5"}
    rows = [{"id": "AAAAA", "actions": "c001 0 0.4", **facts}, {"id": "AAAAAEGO"}, {"id": "BBBBB"}]
    write_csv(tmp_path / "CharadesEgo_v0_test.csv", rows, CHARADES)
    ego = [{"id": "AAAAAEGO", "actions": "c002 0.1 0.3", **facts}, {"id": "BBBBB", "actions": "c003 0 0.2"}]
    write_csv(tmp_path / "CharadesEgo_v0_egocentric_test.csv", ego, CHARADES)
    for id in ("AAAAA", "AAAAAEGO", "BBBBB", "BBBBBEGO"):
        write_video(tmp_path / "videos" / f"{id}.mp4", frames=6)
    manifest = read_manifest(tmp_path)
    labels = {id: [action.label for action in take.actions] for id, take in manifest.takes.items()}
    assert labels == {"AAAAA": ["c001"], "AAAAAEGO": ["c002"], "BBBBB": [], "BBBBBEGO": ["c003"]}
    assert {take.split for take in manifest.takes.values()} == {"test"}
    assert manifest.takes["AAAAAEGO"].view == "first" and len(manifest.pairs) == 2
    assert not manifest.faults


def test_takes_without_a_subject_are_not_said_to_be_held_out_by_person(tmp_path: Path) -> None:
    """Most rows of v0 are blank: whose takes they are nobody knows."""
    write_csv(tmp_path / "CharadesEgo_v0_train.csv", [{"id": f"A{n:03d}"} for n in range(12)], CHARADES)
    write_csv(tmp_path / "CharadesEgo_v0_test.csv", [{"id": "B000"}], CHARADES)
    for id in [f"A{n:03d}" for n in range(12)] + ["B000"]:
        for name in (id, id + "EGO"):
            write_video(tmp_path / "videos" / f"{name}.mp4", frames=2)
    notes = "\n".join(read_manifest(tmp_path).notes)
    assert "training scripts held out" in notes and "subjects held out" not in notes
    assert "24 takes without a subject" in notes


def test_one_view_files_count_only_without_the_full_file(tmp_path: Path) -> None:
    rows = charades_rows(3, 0.5)
    tree(tmp_path / "full", rows)
    write_csv(tmp_path / "full" / "CharadesEgo_v1_train_only1st.csv", rows[1::2], EGO_V1)
    assert not read_manifest(tmp_path / "full").faults
    tree(tmp_path / "parts", rows[1::2], name="v1_train_only1st")
    tree(tmp_path / "parts", rows[::2], name="v1_train_only3rd")
    assert facts(read_manifest(tmp_path / "parts")) == facts(read_manifest(tmp_path / "full"))


def test_charades_videos_from_another_root_make_different_person_pairs(tmp_path: Path) -> None:
    folder = tree(tmp_path / "ego", charades_rows(2, 0.5))
    without = read_manifest(folder)
    assert all(pair.same_person for pair in without.pairs)
    assert any("2 Charades videos" in note and "--videos" in note for note in without.notes)
    for id in ("CT0000", "CT0001"):
        write_video(tmp_path / "charades" / f"{id}.mp4", frames=9)
    pairs = [pair for pair in read_manifest(folder, [tmp_path / "charades"]).pairs if not pair.same_person]
    assert [(pair.third, pair.first) for pair in pairs] == [("CT0000", "T0000EGO"), ("CT0001", "T0001EGO")]
    assert pairs[0].clock.to_first(0.75) == 0.5  # 9 frames against 0.5 s: lengths are scaled


def test_charades_alone_is_labelled_takes_without_pairs(tmp_path: Path) -> None:
    rows = charades_rows(4, 8)[::2]
    write_csv(tmp_path / "Charades_v1_train.csv", rows, CHARADES)
    for row in rows:
        write_video(tmp_path / "videos" / f"{row['id']}.mp4", frames=96)
    manifest = read_manifest(tmp_path)
    assert len(manifest.labelled()) == 4
    assert manifest.pairs == ()


def test_what_is_wrong_with_rows_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    rows = charades_rows(3, 0.5)
    rows += [rows[0], {"id": "../../etc/passwd"}, {"id": "GHOST", "actions": "c001 0 1"}]
    rows[2] = rows[2] | {"actions": "c001 0.1 9.0;nonsense;c002 0.4 0.1", "egocentric": "Yes"}
    folder = tmp_path
    write_csv(folder / "CharadesEgo_v1_train.csv", rows, EGO_V1)
    for row in rows[:6]:
        write_video(folder / "videos" / f"{row['id']}.mp4", frames=6)
    (folder / "videos" / "T0002.mp4").write_bytes(b"")
    manifest = read_manifest(folder)
    told = "\n".join(map(str, manifest.faults))
    for line in (
        "CharadesEgo_v1_train.csv line 8: id T0000 appears twice, first in CharadesEgo_v1_train.csv line 2 (left out)",
        "CharadesEgo_v1_train.csv line 9: '../../etc/passwd' cannot be an id (left out)",
        "GHOST: no video or folder of frames of this id (left out)",
        "T0001.mp4: action 'nonsense' is not `label start end`",
        "T0001.mp4: action 'c002 0.4 0.1' does not end after it starts",
        "T0001.mp4: 1 action reaches past the end at 0.50 s; clipped",
        "T0001.mp4: egocentric says yes, the id says third person; the id is used",
        "T0002.mp4: the file is empty (left out)",
    ):
        assert line in told, told
    assert {pair.id for pair in manifest.pairs if pair.same_person} == {"T0000", "T0001"}
    assert [action.end for action in manifest.takes["T0001"].actions] == [0.5]


def test_an_id_in_train_and_test_stays_out_of_training(tmp_path: Path) -> None:
    rows = charades_rows(3, 0.5)
    tree(tmp_path, rows)
    write_csv(tmp_path / "CharadesEgo_v1_test.csv", rows[:2], EGO_V1)
    manifest = read_manifest(tmp_path)
    assert manifest.takes["T0000"].split == "test"
    assert sum("appears twice" in str(fault) for fault in manifest.faults) == 2


def test_frame_rate_comes_from_fps_txt_or_from_the_stated_length(tmp_path: Path) -> None:
    for id in ("AAAAA", "BBBBB"):
        write_frames(tmp_path / "frames" / id, frames=12)
    (tmp_path / "frames" / "AAAAA" / "fps.txt").write_text("3")
    rows = [{"id": "AAAAA", "actions": "c001 0 1"}, {"id": "BBBBB", "length": "6.0"}]
    write_csv(tmp_path / "Charades_v1_test.csv", rows, CHARADES)
    takes = read_manifest(tmp_path).takes
    assert (takes["AAAAA"].frame_rate, takes["AAAAA"].length) == (3.0, 4.0)
    assert (takes["BBBBB"].frame_rate, takes["BBBBB"].length) == (2.0, 6.0)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda folder: None, "neither a pairs.csv nor Charades-Ego CSV files"),
        (lambda folder: write_csv(folder / "CharadesEgo_v1_train.csv", [{"id": "A"}], ["id"]), "no videos/ or frames/"),
        (lambda folder: tree(folder, charades_rows(1, 0.5), columns=["subject", "script"]), "missing column.s. id"),
    ],
)
def test_a_folder_that_is_no_data_set_is_one_clear_line(tmp_path: Path, make: object, complaint: str) -> None:
    make(tmp_path)  # type: ignore[operator]
    with pytest.raises(UserError, match=complaint):
        read_manifest(tmp_path)
