"""A folder for each take is a data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.pairs import read_manifest
from actor_observer.pairs.read import is_data
from lookalikes import write_takes


def test_each_folder_is_a_take_with_one_head_camera_and_any_others(tmp_path: Path) -> None:
    manifest = read_manifest(write_takes(tmp_path, takes=3))
    assert [pair.id for pair in manifest.pairs] == ["take 0", "take 1.third", "take 1.third-2", "take 2"]
    assert manifest.pairs[2].first == "take 1.first" and manifest.takes["take 1.third-2"].event == "take 1"
    assert not manifest.faults


def test_a_take_without_a_partner_is_kept_and_said_and_other_folders_are_not_takes(tmp_path: Path) -> None:
    folder = write_takes(tmp_path, takes=3)
    (folder / "take 0" / "third.mp4").unlink()
    (folder / "take 2" / "first.mp4").write_bytes(b"")
    (folder / "notes").mkdir()
    manifest = read_manifest(folder)
    assert [pair.id for pair in manifest.pairs] == ["take 1.third", "take 1.third-2"]
    said = [str(fault).rpartition("/")[2] for fault in manifest.faults]
    assert said[0].startswith("take 0: no third*.mp4 beside first.mp4")
    assert said[1] == "first.mp4: the file is empty (left out)"


def test_a_folder_of_other_things_is_no_data_set(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "first.txt").write_text("")
    assert not is_data(tmp_path) and not is_data(tmp_path / "nowhere")
    with pytest.raises(UserError, match="nor folders of takes"):
        read_manifest(tmp_path)
