"""Who wears a camera: whoever is named, as many as there are; else whose picture moves as only a head's does."""

from dataclasses import replace
from pathlib import Path

import pytest

from actor_observer.alignment.cameras.clocked import given_clock
from actor_observer.alignment.cameras.head import find_heads, head_cameras
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.frames.moving.flow import WHOLE
from made_motion import made_motion, recording_of
from tiny import write_video

ROOM, HAND, HEAD, WRIST = 0.001, 0.1, 0.3, 0.07  # picture widths a second
PATHS = [Path(f"{name}.mp4") for name in "abc"]


def moving(speed: float) -> Recording:
    motion = made_motion(10, 15)
    whole = motion.whole.copy()
    whole[:, WHOLE.index("camera")] = speed
    return recording_of(replace(motion, whole=whole), "third")


@pytest.mark.parametrize(
    ("speeds", "heads"),
    [
        ((ROOM, ROOM, HEAD), [2]),
        ((HEAD, ROOM, HEAD, ROOM), [0, 2]),  # two people wear one
        ((ROOM, HAND, HEAD), [2]),  # a phone in a hand is none
        ((WRIST, ROOM, ROOM), [0]),  # a robot's
        ((HAND, HAND, HAND), []),  # cannot be told
        ((ROOM, ROOM, ROOM), []),
    ],
)
def test_of_several_cameras_those_are_heads_that_move_like_one(speeds: tuple[float, ...], heads: list[int]) -> None:
    found = find_heads([moving(speed) for speed in speeds])
    assert [number for number, one in enumerate(found) if one.view == "first"] == heads


def test_as_many_as_there_are_can_be_named() -> None:
    assert head_cameras(PATHS, ["c.mp4", "a.mp4"]) == (0, 2)
    assert head_cameras(PATHS, Path("b.mp4")) == (1,)
    assert head_cameras(PATHS, None) == (2,) and head_cameras(PATHS, "none") == ()


@pytest.mark.parametrize(
    ("first", "message"),
    [(["a.mp4", "none"], "then nobody else is named"), (["a.mp4", "d.mp4"], "--first d.mp4: not among the videos")],
)
def test_names_that_contradict_each_other_are_refused(first: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        head_cameras(PATHS, first)


def test_the_command_takes_a_name_for_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("room", "head1", "head2")
    videos = [
        write_video(tmp_path / f"{name}.mp4", frames=40 + 2 * number, fps=10) for number, name in enumerate(names)
    ]
    named = [word for video in videos[1:] for word in ("--first", str(video))]
    main(["align", *map(str, videos), *named])
    said = capsys.readouterr()
    assert [line.split()[:2] for line in said.out.splitlines()[:3]] == [
        ["room.mp4", "room"],
        ["head1.mp4", "head"],
        ["head2.mp4", "head"],
    ]
    assert "move like" not in said.out
    with pytest.raises(SystemExit):
        main(["align", str(tmp_path), *named])


def test_a_known_clock_begins_with_a_room_camera() -> None:
    with pytest.raises(UserError, match=r"one for each but b\.mp4, whose clock it is"):
        given_clock(PATHS, (0, 2), [1.0])
