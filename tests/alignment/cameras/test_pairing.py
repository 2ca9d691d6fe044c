"""Partners are found among strangers, and a folder of recordings becomes a data set."""

import csv
import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from actor_observer.alignment.cameras.pairing import check_pairs_csv
from actor_observer.alignment.cameras.partners import PARTNERED, assign, partner_shares, stranger_odds
from actor_observer.cli import main
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.pairs import read_manifest
from made_motion import BEFORE, FINE, activity
from same_scene import plain_network, write_scene

STARTS = {"kitchen": 2.0, "hall": 0.5}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Two events before both cameras, one stranger on each side; and a model."""
    folder = tmp_path_factory.mktemp("recordings")
    for seed, (name, start) in enumerate(STARTS.items(), start=2):
        write_scene(folder / "room" / f"{name}.mp4", 36, fps=15, seed=seed)
        write_scene(folder / "head" / f"GOPR{seed}.mp4", 32, fps=12, seed=seed, start=start)
    write_scene(folder / "room" / "strange.mp4", 14, fps=10, seed=7)
    write_scene(folder / "head" / "GOPR0009.mp4", 14, fps=10, seed=8)
    (folder / "head" / "broken.mp4").write_bytes(b"")
    plain_network().save_pretrained(folder / "model")
    return folder / "room", folder / "head", folder / "model"


def test_a_folder_of_recordings_becomes_a_data_set(
    folders: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room, head, model = folders
    out = tmp_path / "new" / "pairs.csv"
    with pytest.raises(SystemExit) as stop:
        main(["pair", str(room), str(head), "--out", str(out), "--model", str(model), "--json"])
    said = capsys.readouterr()
    assert stop.value.code == 3 and "broken.mp4: the file is empty (left out)" in said.err
    answer = json.loads(said.out)
    found = {Path(one["third"]).stem: one for one in answer["pairs"]}
    assert {name: Path(one["first"]).stem for name, one in found.items()} == {"kitchen": "GOPR2", "hall": "GOPR3"}
    assert all(abs(found[name]["offset"] - start) < 0.1 for name, start in STARTS.items())
    left = [*answer["unmatched"]["third"], *answer["unmatched"]["first"]]
    left += [one[view] for one in answer["doubtful"] for view in ("third", "first")]
    assert sorted(Path(path).stem for path in left) == ["GOPR0009", "strange"]
    manifest = read_manifest(out)
    assert not manifest.faults and len(manifest.takes) == 6
    assert {pair.id for pair in manifest.pairs} == set(STARTS)
    assert all(abs(pair.clock.to_third(1.0) - STARTS[pair.id] - 1) < 0.1 for pair in manifest.pairs)
    rows = list(csv.DictReader(out.open(newline="")))
    assert [row["verdict"] for row in rows if row["clock"]] == ["in step"] * 2


def write_frames(path: Path, frames: Sequence[NDArray[np.uint8]]) -> None:
    with VideoWriter(path, Fraction(15), crf=23, threads=1) as writer:
        for frame in frames:
            writer.add(np.ascontiguousarray(frame))


def arm(seed: int, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where an arm is at these times: it moves in bursts, to and fro."""
    fine = activity(60, seed) * np.sign(np.sin(seed + np.arange(180 * FINE) / 200))
    return np.interp(BEFORE + at, np.arange(len(fine)) / FINE, np.cumsum(fine) / FINE)


def test_signals_find_their_cameras(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    room, logs, out = tmp_path / "room", tmp_path / "logs", tmp_path / "pairs.csv"
    room.mkdir(), logs.mkdir()
    texture = np.random.default_rng(0).integers(0, 255, (48, 128, 1), np.uint8).repeat(3, 2)
    for seed, name in enumerate(("kitchen", "hall", "strange")):
        place = 32 + 25 * arm(seed, np.arange(26 * 15) / 15)
        frames = [np.roll(texture, round(2 * x), axis=1)[:, :64] for x in place]
        write_frames(room / f"{name}.mp4", frames)
        rows = np.arange(0, 20, 0.02)
        moved = np.column_stack([rows, arm(seed, rows + 3), 0.5 * arm(seed, rows + 3)])
        if name != "strange":
            np.savetxt(logs / f"{name}-log.csv", moved, "%.5f", ",", header="time_s,joint_0,joint_1", comments="")
    (logs / "words.csv").write_text("time_s,joint\n0.0,up\n0.1,down\n0.2,up\n")
    with pytest.raises(SystemExit) as stop:
        main(["pair", str(room), str(logs), "--out", str(out), "--json"])
    said = capsys.readouterr()
    answer = json.loads(said.out)
    assert stop.value.code == 3 and "words.csv" in said.err and len(said.err.splitlines()) == 1
    found = {Path(one["third"]).stem: one for one in answer["pairs"]}
    assert {name: Path(one["signal"]).stem for name, one in found.items()} == {
        "kitchen": "kitchen-log",
        "hall": "hall-log",
    }
    assert all(abs(one["offset"] - 3.0) < 0.05 for one in found.values())
    assert answer["unmatched"] == {"third": [str(room / "strange.mp4")], "first": [], "signal": []}
    read = read_manifest(out)
    assert not read.faults and len(read.takes) == 3 and "signals_clock" in out.read_text()
    with pytest.raises(SystemExit):
        main(["pair", str(logs), str(room), "--out", str(out)])
    assert "signals are the second folder" in capsys.readouterr().err


def test_what_cannot_be_paired_is_one_line(
    folders: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room, head, model = folders
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "one.mp4").write_bytes(b"")
    out = str(tmp_path / "pairs.csv")
    cases = [
        ([tmp_path / "empty", head, "--out", out], "empty: neither videos nor frames in this folder"),
        ([room, room, "--out", out], "among both the room recordings and the head recordings"),
        ([room, tmp_path / "bad", "--out", out], "none of the first-person recordings can be read"),
        ([room, head, "--out", tmp_path / "pairs.txt"], "written as .csv"),
    ]
    for arguments, line in cases:
        with pytest.raises(SystemExit) as stop:
            main(["pair", *map(str, arguments), "--model", str(model)])
        said = capsys.readouterr()
        assert stop.value.code == 2 and line in said.err and len(said.err.strip().splitlines()) == 1


@pytest.mark.parametrize("theirs", ["id,third,first,subject,script,actions\n", "id,subject,length\na,b,3\n", "notes"])
def test_tables_of_others_are_not_written_over(theirs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "pairs.csv"
    out.write_text(theirs)
    with pytest.raises(SystemExit) as stop:
        main(["pair", str(tmp_path / "no-room.mp4"), str(tmp_path / "no-head.mp4"), "--out", str(out)])
    assert stop.value.code == 2 and "there already, and pair did not write it" in capsys.readouterr().err
    assert out.read_text() == theirs


def test_its_own_table_is_written_again(tmp_path: Path) -> None:
    for signals in ((), ("signals", "signals_clock")):
        own = tmp_path / "pairs.csv"
        own.write_text(",".join(["id", "third", "first", "clock", "verdict", "confidence", *signals]) + "\n")
        check_pairs_csv(own)
    check_pairs_csv(tmp_path / "new.csv")


def test_each_recording_gets_one_partner_or_none() -> None:
    odds = np.array([[9.0, 8.0, -9.0], [8.5, -9.0, -9.0], [-9.0, -9.0, -0.5]])
    assert assign(odds) == [(0, 1), (1, 0)]  # greedy would take (0, 0); -0.5 is less than one in three needs
    assert assign(np.full((2, 3), -5.0)) == []


def test_shares_are_nearly_those_of_all_assignments_counted_one_by_one() -> None:
    rng, apart = np.random.default_rng(0), []
    for _ in range(10):
        odds = rng.normal(0, 3, (3, 4))
        weight = np.exp(odds + math.log(PARTNERED / (1 - PARTNERED) / 4))
        total, share = 0.0, np.zeros_like(weight)
        for chosen in itertools.product([None, 0, 1, 2, 3], repeat=3):
            taken = [column for column in chosen if column is not None]
            if len(taken) == len(set(taken)):
                pairs = [(row, column) for row, column in enumerate(chosen) if column is not None]
                likely = math.prod(weight[pair] for pair in pairs)
                total += likely
                for pair in pairs:
                    share[pair] += likely
        apart.append(np.abs(partner_shares(odds) - share / total))
    assert np.mean(apart) < 0.03 and np.max(apart) < 0.2


def test_rivals_share_the_belief() -> None:
    alone = partner_shares(np.array([[6.0, -9.0], [-9.0, -9.0]]))
    rivals = partner_shares(np.array([[6.0, 6.0], [-9.0, -9.0]]))
    assert alone[0, 0] > 0.99 > 0.5 > rivals[0, 0] > 0.49
    assert np.isfinite(partner_shares(np.array([[900.0, 900.0]]))).all()


def test_a_recording_that_agrees_a_little_with_everything_is_nobodys_partner() -> None:
    rng = np.random.default_rng(1)
    table = rng.gumbel(2.0, 0.3, (12, 12))
    table[:, 4] += 3.0  # much motion: strong with all
    table[7, 2] += 5.0
    assert [(row, column) for row, column in assign(stranger_odds(table)) if column in (2, 4)] == [(7, 2)]
