"""The command as people use it: what it prints, exit codes, one line for a mistake."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from actor_observer.cli import VERBS, main
from tiny import write_charades_ego, write_csv, write_video


@dataclass
class Answer:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Answer]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, which has imported what it needs already."""

    def command(*arguments: object) -> Answer:
        try:
            main([str(argument) for argument in arguments])
            code: object = 0
        except SystemExit as stop:
            code = stop.code
        assert isinstance(code, int)
        return Answer(code, *capsys.readouterr())

    return command


def test_a_real_process_ends_the_same_way(run: Run) -> None:
    for arguments in (["--version"], ["inspect", "no-such-folder"]):
        there = subprocess.run(
            [sys.executable, "-m", "actor_observer", *arguments], capture_output=True, text=True, timeout=300
        )
        assert Answer(there.returncode, there.stdout, there.stderr) == run(*arguments)


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches_with_an_example(run: Run, verb: str) -> None:
    answer = run(verb, "--help")
    assert answer.returncode == 0
    assert not re.search(r"\(default: (None|False|)\)|\{None\}", answer.stdout), "it says nothing"
    assert f"Try it:  actor-observer {verb} " in " ".join(answer.stdout.replace("\n", "  ").split(" "))


def test_without_a_verb_it_says_what_there_is(run: Run) -> None:
    answer = run()
    assert answer.returncode == 0
    assert all(verb in answer.stdout for verb in VERBS)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["inspct", "x"], "no command 'inspct': did you mean inspect?"),
        (["recognize", "x"], "did you mean recognise?"),
        (["tea"], "no command 'tea': there are inspect, align,"),
        (["inspect"], "inspect needs DATA (see: actor-observer inspect --help)"),
        (["pair", "rooms"], "pair needs FIRST_DIR and --out FILE.csv (see"),
        (["align", "a", "b", "--bogus", "5"], "actor-observer: no option --bogus (see"),
        (["align", "a", "b", "--max-offset", "x"], "actor-observer: --max-offset x: give a number (see"),
        (["index", "a", "--view", "up", "--out", "x"], "actor-observer: --view up: give third or first (see"),
        (
            ["train", "quick", "--print-recipe", "--set", "sed=3"],
            "--set sed: there is no such setting; did you mean seed?",
        ),
        (
            ["train", "quick", "--print-recipe", "--set", "seed=x"],
            "--set seed x: give a whole number (see --print-recipe)",
        ),
        (["inspect", "no-such-folder"], "no-such-folder: no such file or folder"),
        (["inspect", "x", "--far", "soon"], "--far"),
        (["inspect", "x", "--near", "3", "--far", "1"], "need 0 < near < far"),
        (["inspect", ".", "--videos"], "--videos"),
        (["playhouse", "out", "--size", "wide"], "--size wide: give width and height"),
        (["playhouse", "out", "--pairs", "0"], "at least one pair"),
        (["train", "slow"], "no recipe 'slow'"),
        (["train", "quick"], "train needs --data DATA and --out RUN"),
        (["evaluate", "--data", "x"], "at least one run"),
        (["score", "no-such.txt", "no-such.csv"], "no-such.txt: no such file"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run: Run, arguments: list[str], line: str) -> None:
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert len(answer.stderr.strip().splitlines()) == 1
    assert answer.stderr.startswith("actor-observer: ")
    assert line in answer.stderr
    assert "Traceback" not in answer.stderr


def test_inspect_prints_tables_for_people_and_json_for_programs(run: Run, tmp_path: Path) -> None:
    folder = write_charades_ego(tmp_path, train=3, test=1, seconds=13, fps=2)
    (folder / "videos" / "T0001EGO.mp4").write_bytes(b"")
    answer = run("inspect", folder)
    assert answer.returncode == 3
    assert "T0001EGO.mp4: the file is empty (left out)" in answer.stdout
    assert "1 fault: 1 left out" in answer.stdout
    assert "take a cup" in answer.stdout
    counted = json.loads(run("inspect", folder, "--json").stdout)
    assert counted["pairs"] == 6
    assert counted["action_classes"] == 5
    assert counted["left_out"] == 1


def test_it_says_its_version(run: Run) -> None:
    answer = run("--version")
    assert (answer.returncode, answer.stdout.split()[0]) == (0, "actor-observer")


def test_names_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    place = write_charades_ego(tmp_path / "a\x1b]0;owned\x07b", train=2, test=1, seconds=13, fps=2)
    (place / "videos" / "T0001EGO.mp4").write_bytes(b"")
    for arguments in (["inspect", place], ["inspect", f"{tmp_path}/\x1b[2Jnone"], ["inspect", place, "--json"]):
        answer = run(*arguments)
        assert answer.returncode in (2, 3)
        assert "\x1b" not in answer.stdout + answer.stderr
        assert "\x07" not in answer.stdout + answer.stderr


def test_score_prints_the_map_of_a_submission(run: Run, tmp_path: Path) -> None:
    rows = [{"id": "A", "actions": "c000 0 1"}, {"id": "B", "actions": "c001 0 1"}]
    truth = write_csv(tmp_path / "truth.csv", rows, ["id", "actions"])
    (tmp_path / "s.txt").write_text("A 0.9 0.1 0.3\nB 0.2 0.8 0.3\n")
    answer = run("score", tmp_path / "s.txt", truth)
    assert answer.stdout.startswith("mAP 100.0 [")
    assert "classes without a positive video: 1;" in answer.stdout
    scored = json.loads(run("score", tmp_path / "s.txt", truth, "--json").stdout)
    assert (scored["mAP"], scored["AP"], scored["official_mean_defined"]) == (1.0, [1.0, 1.0, None], False)


def test_videos_may_be_given_several_times(run: Run, tmp_path: Path) -> None:
    rows = [{"id": "AAAAA", "length": "1"}, {"id": "BBBBB", "length": "1"}]
    write_csv(tmp_path / "data" / "Charades_v1_train.csv", rows, ["id", "length"])
    for root, id in (("one", "AAAAA"), ("two", "BBBBB")):
        write_video(tmp_path / root / f"{id}.mp4", frames=12)
    answer = run("inspect", tmp_path / "data", "--videos", tmp_path / "one", "--videos", tmp_path / "two", "--json")
    assert json.loads(answer.stdout)["takes"] == 2


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    folder = write_charades_ego(tmp_path, train=3, test=1, seconds=13, fps=2)
    command = f"{sys.executable} -m actor_observer inspect {folder} --json | head -n 1"
    answer = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300)
    assert answer.stdout.strip() == "{"
    assert "Traceback" not in answer.stderr


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        (tmp_path / "gone" / "file").write_text("")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as stop:
        patch.setattr("actor_observer.cli._parse", lambda arguments: fail)
        main([])
    assert stop.value.code == 2
    assert capsys.readouterr().err == f"actor-observer: {tmp_path / 'gone' / 'file'}: No such file or directory\n"


def test_windows_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("actor_observer.cli.os", SimpleNamespace(name="nt"))
    with pytest.raises(SystemExit) as ended:
        main(["align", "room.mp4", "head.mp4"])
    assert ended.value.code == 2
    assert "WSL 2" in capsys.readouterr().err
