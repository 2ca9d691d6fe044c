"""Ego-Exo4D is read as it is downloaded; several cameras see one wearer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.frames import check_manifest
from actor_observer.pairs import read_manifest
from lookalikes import write_ego_exo


@pytest.mark.parametrize("small", [True, False])
def test_a_head_camera_makes_a_pair_with_every_other_camera(tmp_path: Path, small: bool) -> None:
    manifest = check_manifest(read_manifest(write_ego_exo(tmp_path, takes=2, small=small)))
    assert not manifest.faults
    names = [f"sfu_cooking_{n:03d}" for n in range(2)]
    same = [pair for pair in manifest.pairs if pair.same_person]
    assert [pair.id for pair in same] == [f"{name}.{camera}" for name in names for camera in ("cam01", "gp02")]
    assert {pair.first for pair in same} == {f"{name}.aria01_214-1" for name in names}, "the wearer's RGB camera alone"
    assert all(pair.clock.to_first(2.0) == 2.0 for pair in same), "frame by frame"
    take = manifest.takes["sfu_cooking_001.gp02"]
    assert (take.view, take.subject, take.scene, take.script) == ("third", "101", "sfu_kitchen", "Making tea")
    assert take.event == "sfu_cooking_001" and ("448" in take.path.parts) is small


def test_takes_that_were_not_downloaded_and_names_that_leave_are_said(tmp_path: Path) -> None:
    folder = write_ego_exo(tmp_path, takes=2)
    rows = json.loads((folder / "takes.json").read_text())
    rows += [{"take_name": f"unc_{n}", "root_dir": f"takes/unc_{n}"} for n in range(3)]
    rows += [{"take_name": "../up"}, {"take_name": "out", "root_dir": "../../out"}, {"take_name": 7}]
    (folder / "takes.json").write_text(json.dumps(rows))
    aligned = folder / "takes/sfu_cooking_000/frame_aligned_videos/downscaled/448"
    (aligned / "aria01_214-1.mp4").unlink()
    manifest = read_manifest(folder / "takes.json")
    assert "3 of the 8 takes of takes.json have no videos here" in manifest.notes
    said = "\n".join(map(str, manifest.faults))
    assert (
        "no head camera's video (ariaNN_214-1.mp4) in it" in said and "'../../out' leaves the data set's folder" in said
    )
    assert said.count("cannot be a take's name") == 2
    assert {pair.id.split(".")[0] for pair in manifest.pairs} == {"sfu_cooking_001"}


def test_published_splits_count_where_they_are(tmp_path: Path) -> None:
    folder = write_ego_exo(tmp_path, takes=2)
    rows = json.loads((folder / "takes.json").read_text())
    uids = {row["take_uid"]: split for row, split in zip(rows, ("train", "test"), strict=True)}
    (folder / "annotations").mkdir()
    (folder / "annotations/splits.json").write_text(json.dumps({"take_uid_to_split": uids}))
    assert {take.event: take.split for take in read_manifest(folder).takes.values()} == {
        "sfu_cooking_000": "train",
        "sfu_cooking_001": "test",
    }


@pytest.mark.parametrize("content", ["{}", "[", "[1]", "[]", "[[[["])
def test_what_is_no_list_of_takes_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "takes.json").write_text(content)
    with pytest.raises(UserError, match="not a list of takes"):
        read_manifest(tmp_path)
