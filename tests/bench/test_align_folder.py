"""Anybody's synchronous recordings are cut and judged: takes by folder, views by name."""

from pathlib import Path

import pytest

from actor_observer.errors import UserError
from align_folder import judge_folders, read_folder, view_of
from two_cameras import event_times, first_frames, random_event, third_frames, write_frames


def film(folder: Path, seed: int) -> None:
    folder.mkdir(parents=True)
    event, times = random_event(20, seed), event_times(20, 10)
    write_frames(folder / "kitchen.mp4", third_frames(event, times), 10)
    write_frames(folder / "Head.mp4", first_frames(event, times), 10)


def test_a_folder_of_takes_gives_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACTOR_OBSERVER_CACHE", str(tmp_path / "cache"))
    for number, name in enumerate(("monday", "tuesday")):
        film(tmp_path / "takes" / name, number)
    (tmp_path / "takes" / "monday" / "empty.mp4").write_bytes(b"")
    judge_folders([tmp_path / "takes"], 1, ["head*"], strangers=1, wide=False)
    shown = capsys.readouterr()
    assert "2 takes, 2 room and 2 head recordings" in shown.err and "left out" in shown.err and "empty" in shown.err
    (line,) = [line for line in shown.out.splitlines() if "takes: " in line]  # of no other two views
    name, cuts, within, blind, median, *_, false = [cell.strip() for cell in line.strip("|").split("|")]
    assert name == "takes: room and head" and cuts == "10" and float(median) < 0.3
    assert float(within.split()[0]) >= 80 > float(blind.split()[0]) and false == "0 of 10"


def test_names_tell_the_views() -> None:
    assert [view_of(Path(name)) for name in ("ego-1.mp4", "WRIST.mov", "room1.mp4")] == ["first", "first", "third"]
    assert view_of(Path("gopro3.mp4"), ["gopro*"]) == "first"


def test_what_holds_no_takes_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        read_folder(tmp_path / "gone")
    (tmp_path / "one.mp4").write_bytes(b"x")
    with pytest.raises(UserError, match="no take with two or more videos"):
        read_folder(tmp_path)
