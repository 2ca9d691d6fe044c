"""Recordings are cut to what they share: by the clock that was found, by a guess, or by a clock that somebody knows."""

from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.alignment.cameras.clocked import Clocked, shared_stretch
from actor_observer.alignment.cameras.trim import trim
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.frames import frames_at
from actor_observer.frames.audio.sound import SOUND_RATE, read_sound
from actor_observer.pairs import Clock
from actor_observer.pairs.probe import only_sound
from tiny import number_of, write_csv, write_video
from tiny_sound import clicks, write_recorder, write_sounding


def test_cuts_keep_their_sound_in_step(tmp_path: Path) -> None:
    """One clap, heard by a camera that started 1.5 s later and whose clock runs 1 % fast, and by a recorder."""
    room = write_sounding(tmp_path / "room.mp4", clicks(9.0, [5.0]))
    head = write_sounding(tmp_path / "head.mp4", clicks(8.0, [3.5 * 1.01]))
    recorder = write_recorder(tmp_path / "head.wav", clicks(9.0, [5.5]))
    recordings = [
        Clocked(room, "third", 8.0, Clock(((0.0, 0.0),))),
        Clocked(head, "first", 8.0, Clock(((1.5, 0.0), (1.5 + 100.0, 101.0)))),
        Clocked(recorder, "third", 9.0, Clock(((0.0, 0.5),)), recorder=True),
    ]
    cuts = trim(recordings, tmp_path / "cut")
    assert [cut.name for cut in cuts] == ["room.mp4", "head.mp4", "head.wav"]
    assert only_sound(cuts[2])
    for cut in cuts:
        heard = read_sound(cut)
        assert heard is not None
        loudest = heard.start + int(np.abs(heard.samples.astype(int)).argmax()) / SOUND_RATE
        assert loudest == pytest.approx(3.5, abs=0.02)
        assert heard.end == pytest.approx(6.4, abs=0.03)  # 32 frames at 5 a second


def test_recordings_that_never_meet_are_not_cut() -> None:
    recordings = [Clocked(Path(f"{n}.mp4"), "third", 5.0, Clock(((9.0 * n, 0.0),))) for n in range(2)]
    with pytest.raises(UserError, match="no stretch that all of them show"):
        trim(recordings, "cut")


def test_nobody_gets_more_frames_a_second_than_can_be_played_unless_they_ask() -> None:
    def shown(fps: float, rate: float | None = None) -> float:
        both = [Clocked(np.zeros((9, 4, 4, 3), np.uint8), "third", 5.0, Clock(((0.0, 0.0),)), fps=fps)] * 2
        return float(shared_stretch(both, rate).fps)

    assert (shown(50.0), shown(240.0), shown(240.0, rate=120.0)) == (50.0, 60.0, 120.0)


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three cameras; the second is too short to tell when."""
    folder = tmp_path_factory.mktemp("numbered")
    return [
        write_video(folder / f"{name}.mp4", frames=frames, fps=fps)
        for name, frames, fps in (("room", 40, 10), ("room2", 36, 12), ("head", 50, 10))
    ]


def counts(*paths: Path) -> set[int]:
    found = set()
    for path in paths:
        with av.open(str(path)) as file:
            found.add(file.streams.video[0].frames)
    return found


def test_not_in_step_means_nothing_is_cut_unless_anyway(
    numbered: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["align", str(numbered[0]), str(numbered[1]), "--first", "none", "--trim", str(tmp_path / "cut")]
    with pytest.raises(SystemExit) as stop:
        main(asked)
    said = capsys.readouterr()
    assert stop.value.code == 3 and not (tmp_path / "cut").exists()
    assert "cannot tell" in said.out and "head  " not in said.out and "written" not in said.out
    (line,) = said.err.splitlines()
    assert "nothing was written" in line and "--anyway" in line and "--offset" in line
    main([*asked, "--anyway", "--rate", "6"])
    assert capsys.readouterr().out.count("written") == 2
    assert len(counts(tmp_path / "cut" / "room.mp4", tmp_path / "cut" / "room2.mp4")) == 1


@pytest.mark.parametrize("order", [(0, 2), (2, 0)])
def test_a_clock_that_is_known_needs_no_search(
    numbered: list[Path], tmp_path: Path, order: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Observer time = offset + actor time, whichever is named first."""
    both, cut = [str(numbered[n]) for n in order], tmp_path / "cut"
    show = ["--side-by-side", str(tmp_path / "both.mp4"), "--first", str(numbered[2])]
    main(["align", *both, "--offset", "1.5", "--trim", str(cut), *show])
    assert capsys.readouterr().out.splitlines() == [
        f"written     {path}" for path in (tmp_path / "both.mp4", *(cut / Path(name).name for name in both))
    ]
    assert counts(cut / "room.mp4", cut / "head.mp4", tmp_path / "both.mp4") == {25}
    assert number_of(frames_at(cut / "room.mp4", [0.05])[0]) == 15
    assert number_of(frames_at(cut / "head.mp4", [0.05])[0]) == 0
    with pytest.raises(SystemExit):
        main(["align", *both, "--offset", "1", "--trim", str(cut)])
    assert "there is a cut already; --force" in capsys.readouterr().err


def test_three_by_a_known_clock_have_as_many_frames(numbered: list[Path], tmp_path: Path) -> None:
    offsets = ["--offset", "-1", "--offset", "0.5"]
    main(["align", *offsets, *map(str, numbered), "--trim", str(tmp_path), "--rate", "29.97"])
    cuts = [tmp_path / path.name for path in numbered]
    assert counts(*cuts) == {int((2.0 - 0.5) * 29.97)}
    first = [number_of(frames_at(cut, [0.01])[0]) for cut in cuts]
    assert first == [5, 18, 0]  # at 0.5 s of the room camera's clock
    with av.open(str(cuts[0])) as file:
        assert file.streams.video[0].average_rate == pytest.approx(30000 / 1001, abs=1e-9)


def test_what_cannot_be_cut_is_one_line(
    numbered: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_csv(
        tmp_path / "pairs.csv", [{"id": "a", "third": "a.mp4", "first": "b.mp4"}], ("id", "third", "first")
    )
    both, three = [str(numbered[0]), str(numbered[2])], [str(path) for path in numbered]
    cases = [
        ([str(data), "--trim", "cut"], "recordings, not a data set"),
        ([*both, "--offset", "1"], "--offset is about what is written"),
        ([*both, "--anyway"], "--anyway is about what is written"),
        ([*both, "--rate", "30"], "--rate is about what is written"),
        ([*both, "--offset", "1", "--trim", "cut", "--rate", "0"], "above zero"),
        ([*both, "--offset", "nan", "--trim", "cut"], "give seconds"),
        ([*both, "--offset", "50", "--trim", "cut"], "never meet"),
        ([*both, "--offset", "1", "--trim", "cut", "--out", "aligned"], "nothing is looked for"),
        ([*three, "--offset", "1", "--trim", "cut"], "3 recordings need 2, one for each but room.mp4"),
    ]
    for arguments, line in cases:
        with pytest.raises(SystemExit) as stop:
            main(["align", *arguments])
        said = capsys.readouterr()
        assert stop.value.code == 2 and said.out == ""
        assert line in said.err and len(said.err.strip().splitlines()) == 1
