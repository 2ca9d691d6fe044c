"""Real processes that are stopped in the middle: the index stays whole, and the same command goes on."""

import json
import shutil
import signal
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.searching.engines.flat_index import open_index
from forked import Forked, command
from tiny import write_video

MANY = 99  # videos: far more than are done before a signal arrives


def arguments(videos: Path, model: Path, out: Path) -> list[str]:
    return ["index", str(videos), "--view", "first", "--out", str(out), "--model", str(model), "--json"]


def stop_after(lines: int, process: Forked, out: Path, how: signal.Signals) -> str:
    """Send a signal when so many videos are in the index; what the process says to it."""
    path = out / "videos.jsonl"
    process.wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= lines)
    return process.stop(how)


def test_a_stopped_index_is_whole_and_the_same_command_goes_on(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = write_video(tmp_path / "videos" / "00.mp4", frames=160, fps=2, size=(96, 48), gop=80)
    for number in range(1, MANY):
        shutil.copy(video, video.with_name(f"{number:02d}.mp4"))
    out = tmp_path / "i"

    killed = command(*arguments(video.parent, model, out))
    stop_after(1, killed, out, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL
    after_kill = len(open_index(out).entries)
    assert 1 <= after_kill < MANY - 1

    interrupted = command(*arguments(video.parent, model, out))
    complaint = stop_after(after_kill + 1, interrupted, out, signal.SIGINT)
    assert interrupted.returncode == 130
    (line,) = complaint.strip().splitlines()
    assert line.endswith(f"interrupted; {out} holds every video that was done, and the same command resumes")
    found = open_index(out)
    assert after_kill < len(found.entries) < MANY - 2
    assert all(entry.rows == 80 for entry in found.entries)
    assert len(found.vectors) == 80 * len(found.entries)

    for left in sorted(video.parent.iterdir())[len(found.entries) + 2 :]:
        left.unlink()  # two are enough to see that it goes on
    main(arguments(video.parent, model, out))
    done = json.loads(capsys.readouterr().out)
    assert (len(done["skipped"]), len(done["added"])) == (len(found.entries), 2)
    assert len(open_index(out)) == done["total"] == (len(found.entries) + 2) * 80
