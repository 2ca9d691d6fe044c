"""Real processes that are stopped in the middle: the index stays whole, and the same command goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from actor_observer.moments.index_files import open_index
from tiny import write_video

COMMAND = [sys.executable, "-c", "from actor_observer.cli import main; main()", "index"]


def start(videos: Path, model: Path, out: Path) -> subprocess.Popen[str]:
    command = [*COMMAND, str(videos), "--view", "first", "--out", str(out), "--model", str(model), "--json"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


def stop_after(lines: int, process: subprocess.Popen[str], out: Path, how: signal.Signals) -> str:
    """Send a signal when so many videos are in the index; what the process says to it."""
    path = out / "videos.jsonl"
    for _ in range(20000):
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            break
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.002)
    process.send_signal(how)
    return process.communicate(timeout=60)[1]


def test_a_stopped_index_is_whole_and_the_same_command_goes_on(model: Path, tmp_path: Path) -> None:
    video = write_video(tmp_path / "videos" / "00.mp4", frames=160, fps=2, size=(96, 48), gop=80)
    for number in range(1, 16):
        shutil.copy(video, video.with_name(f"{number:02d}.mp4"))
    out = tmp_path / "i"

    killed = start(video.parent, model, out)
    stop_after(1, killed, out, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL
    after_kill = len(open_index(out).entries)
    assert 1 <= after_kill < 15

    interrupted = start(video.parent, model, out)
    complaint = stop_after(after_kill + 1, interrupted, out, signal.SIGINT)
    assert interrupted.returncode == 130
    (line,) = complaint.strip().splitlines()
    assert line.endswith(f"interrupted; {out} holds every video that was done, and the same command goes on")
    found = open_index(out)
    assert after_kill < len(found.entries) < 16
    assert all(entry.rows == 80 for entry in found.entries)
    assert len(found.vectors) == 80 * len(found.entries)

    answer, _ = start(video.parent, model, out).communicate(timeout=100)
    done = json.loads(answer)
    assert (len(done["skipped"]), len(done["added"])) == (len(found.entries), 16 - len(found.entries))
    assert len(open_index(out)) == done["total"] == 16 * 80
