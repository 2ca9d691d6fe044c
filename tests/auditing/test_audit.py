"""A data set is audited from its files: measured once, resumed, in parts, and corrected without being touched."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import actor_observer as ao
from actor_observer.auditing.audit import LINES, audit_part
from actor_observer.auditing.fix import write_fixed
from actor_observer.auditing.written import write_files
from actor_observer.cli.audit import audit as audit_command
from actor_observer.cluster.merge import merge
from actor_observer.errors import UserError
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.pairs import read_manifest
from actor_observer.pictures.audit.page import write_page
from actor_observer.shards import Shard
from lookalikes import write_lerobot

FPS, SECONDS = 10, 8


def film(path: Path, shift: int = 0, gain: int = 1, held: tuple[int, int] = (0, 0), seed: int = 3) -> None:
    """A square that jumps about over texture, the same way for a seed; `held`: frames that show the first of them."""
    rng = np.random.default_rng(seed)
    ground = rng.integers(60, 120, (48, 64, 3), dtype=np.uint8)
    steps = np.repeat(rng.integers(-5, 6, (40, 2)), 3, axis=0)
    places = np.cumsum(steps[: FPS * SECONDS + 10], axis=0) * gain % (36, 52)
    with VideoWriter(path, FPS, crf=12, threads=1) as writer:
        for number in range(FPS * SECONDS):
            at = number + shift
            at = held[0] if held[0] <= at < held[1] else at
            picture = ground.copy()
            down, right = places[at]
            picture[down : down + 12, right : right + 12] = 250
            writer.add(picture)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three takes; in the last a camera stands still for two seconds, and one file is missing."""
    folder = tmp_path_factory.mktemp("data")
    rows = []
    for number in range(3):
        held = (30, 50) if number == 2 else (0, 0)
        film(folder / f"{number}.third.mp4", seed=number)
        film(folder / f"{number}.first.mp4", seed=number, held=held)
        rows.append(f"take-{number},{number}.third.mp4,{number}.first.mp4,0:0")
    rows.append("lost,0.third.mp4,gone.mp4,0:0")
    (folder / "pairs.csv").write_text("id,third,first,clock\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def audited(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "audit"
    found = ao.audit(data, out)
    write_files(found, out)
    return out


def test_what_is_wrong_is_found(data: Path, audited: Path) -> None:
    told = json.loads((audited / "audit.json").read_text())
    found = {(one["take"], one["kind"]): one for one in told["findings"]}
    frozen = found["take-2", "frozen"]
    assert frozen["recordings"] == ["first"] and 2.5 < frozen["start"] < 3.6 and 4.4 < frozen["end"] < 5.5
    assert any("gone.mp4" in take for take, kind in found if kind == "unreadable")
    assert not told["clean"]
    with (audited / "audit.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["take"] for row in rows if row["kind"] == "offset"} == {"take-0", "take-1", "take-2"}


def test_the_page_shows_it_without_asking_anybody(data: Path, audited: Path) -> None:
    page = write_page(ao.audit(data, audited), audited / "audit.html").read_text()
    assert page.count('class="strip"') >= 2 and page.count("data:image/webp") >= 14
    assert "frozen" in page and "gone.mp4" in page and "prefers-color-scheme: dark" in page
    assert "http" not in page.replace("http-equiv", "")


def test_what_was_measured_is_not_measured_again(data: Path, audited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actor_observer.auditing.measuring.measure.measure", None)  # it would fail
    again = ao.audit(data, audited)
    assert again.resumed == 3 and len(again.lines) == 3


def test_a_half_line_of_a_kill_is_measured_again(data: Path, audited: Path, tmp_path: Path) -> None:
    whole = (audited / LINES).read_bytes().splitlines(keepends=True)
    (tmp_path / LINES).write_bytes(whole[0] + whole[1] + whole[2][:200])
    assert ao.audit(data, tmp_path).resumed == 2


def test_parts_are_put_together(data: Path, audited: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        audit_part(data, tmp_path / f"{number}.jsonl", Shard(number, 2))
    merged = merge([tmp_path / "2.jsonl", tmp_path / "1.jsonl"], tmp_path / "all" / LINES)
    assert (merged.job, merged.items) == ("audit", 3)
    found = ao.audit(data, tmp_path / "all")
    assert found.resumed == 3
    assert found.to_dict() == ao.audit(data, audited).to_dict()


def test_the_fix_is_a_data_set_and_the_input_is_as_it_was(data: Path, audited: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in data.iterdir()}
    found = ao.audit(data, audited)
    write_fixed(found, data, tmp_path / "fixed")
    assert {path: path.stat().st_mtime_ns for path in data.iterdir()} == before
    fixed = read_manifest(tmp_path / "fixed")
    assert [pair.id for pair in fixed.pairs] == ["take-0", "take-1", "take-2"]
    assert all(pair.clock.to_first(2.0) == pytest.approx(2.0, abs=1e-3) for pair in fixed.pairs)
    with pytest.raises(UserError, match="--force"):
        write_fixed(found, data, tmp_path / "fixed")
    write_fixed(found, data, tmp_path / "fixed", force=True)
    with pytest.raises(UserError, match="never written"):
        write_fixed(found, data, data, force=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(UserError, match="not what --fix wrote"):
        write_fixed(found, data, tmp_path / "other", force=True)
    with pytest.raises(UserError, match="not what --fix wrote"):  # before anything is measured
        audit_command(data, tmp_path / "measured", fix=tmp_path / "other")
    assert not (tmp_path / "measured").exists()


@pytest.mark.parametrize("version", ["v2.1", "v3.0"])
def test_a_lerobot_set_with_a_copy_of_a_signal_and_a_file_that_is_gone(version: str, tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "set", episodes=3, version=version, a_file=2)
    gone = sorted(folder.glob("videos/**/*wrist*/**/*.mp4"))[-1]
    gone.unlink()
    found = ao.audit(folder)
    kinds = {(one.take, one.kind): one for one in found.findings}
    assert kinds["", "equal"].recordings == ("observation.state", "action")
    assert any(kind == "unreadable" for _, kind in kinds)
    assert (
        len(found.lines) == 3 and found.lines[0]["signals"]["rows"] == found.lines[0]["cameras"]["cam_wrist"]["frames"]
    )
    assert {two["other"] for two in found.lines[0]["offsets"]} == {"cam_wrist", "observation.state"}
