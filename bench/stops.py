"""Does every command end in time, whatever it is doing? Real commands, real signals, at random moments.

    python bench/stops.py [--only reproduce --after 20 20 --times 1 --device auto --full]

Each command is started as a process that writes into a pipe, and sent SIGINT, SIGTERM or SIGHUP, alone or with its
group, as `kill`, a terminal and `timeout` do. Counted are the seconds until nobody holds the pipe any more, processes
and temporary files that are left, and tracebacks. `--full` is the paper's own network in `reproduce --plan`.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import tyro

from actor_observer.model import ActorObserverNet, NetworkConfig
from reproduce_scale import make_look_alike
from tiny import write_video

COMMAND = [sys.executable, "-m", "actor_observer"]
SMALL = ["--set", "size=32", "epochs=20"]
TINY = ["size=32", "decode=36", "batch=8", "network.backbone=mobilenet_v2"]


def commands(place: Path, device: str, full: bool) -> dict[str, list[str]]:
    """What is stopped, by name; the data it needs is made first."""
    data, model, videos = place / "data", place / "model", place / "videos"
    data.mkdir()
    make_look_alike(data, 40)
    config = NetworkConfig(backbone="mobilenet_v2", size=32, projection="per_view", projection_size=16)
    ActorObserverNet(config, pretrained=False).save_pretrained(model)
    video = write_video(videos / "00.mp4", frames=600, fps=12, size=(320, 240))
    for number in range(1, 12):
        shutil.copy(video, video.with_name(f"{number:02d}.mp4"))
    on, common = ["--device", device], ["--cache", f"{place}/cache", "--device", device]
    paper = [] if full else ["--set", *TINY]
    return {
        "plan": ["reproduce", f"{data}", "--out", f"{place}/paper", "--plan", *common, *paper],
        "reproduce": ["reproduce", f"{data}", "--quick", "--out", f"{place}/quick", *common, *SMALL],
        "train": ["train", "quick", "--data", f"{data}", "--out", f"{place}/run", *common, *SMALL],
        "playhouse": ["playhouse", f"{place}/house", "--pairs", "4"],
        "index": ["index", f"{videos}", "--view", "first", "--model", f"{model}", "--out", f"{place}/moments", *on],
        "embed": ["embed", f"{videos}", "--view", "first", "--model", f"{model}", "--out", f"{place}/e.npz", *on],
        "align": ["align", f"{videos}/00.mp4", f"{videos}/01.mp4", "--model", f"{model}", *on],
        "frames": ["frames", f"{data}", "--out", f"{place}/frames"],
    }


def stop(arguments: list[str], after: float, number: signal.Signals, group: bool, scratch: Path) -> str:
    """Start a command, send it the signal after so many seconds; what became of it, in one line."""
    mark = f"stop{time.monotonic_ns()}"
    environment = os.environ | {"WHOSE": mark, "TMPDIR": str(scratch)}
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    running = subprocess.Popen([*COMMAND, *arguments], text=True, start_new_session=True, env=environment, **quiet)  # type: ignore[call-overload]
    with suppress(subprocess.TimeoutExpired):
        running.wait(after)
        return "done before"
    started = time.monotonic()
    (os.killpg if group else os.kill)(running.pid, number)
    try:
        said, _ = running.communicate(timeout=60)  # to the end of the pipe
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        return "NEVER"
    took = time.monotonic() - started
    lost = [] if running.returncode == 128 + number else [f"exit code {running.returncode}"]
    lost += ["a traceback"] if "Traceback" in said else []
    lost += [f"process {name}" for name in alive(mark)] + [f"file {one.name}" for one in left_in(scratch)]
    line = ([line for line in said.splitlines() if line.startswith("actor-observer: ")] or ["nothing said"])[-1]
    return f"{'LATE ' if took > 5 else ''}{took:4.1f} s  {line}{''.join(f'  LEFT: {one}' for one in lost)}"


def left_in(scratch: Path) -> list[Path]:
    """Temporary files that a command has left, but for the compiler's cache, which torch makes when it is imported."""
    return [one for one in scratch.iterdir() if not one.name.startswith("torchinductor_")]


def alive(mark: str) -> list[str]:
    """The processes that a command has left."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"WHOSE={mark}".encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:80])
    return found


def main(
    only: str = "",
    after: tuple[float, float] = (1.5, 20.0),
    times: int = 3,
    device: str = "cpu",
    full: bool = False,
    seed: int = 0,
) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for what, arguments in commands(place, device, full).items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if not only or only == what else ():
                for _ in range(times):
                    scratch = Path(tempfile.mkdtemp(dir=place))
                    seconds, group = rng.uniform(*after), rng.random() < 0.5
                    became = stop(arguments, seconds, number, group, scratch)
                    whom = "group" if group else "alone"
                    print(f"{what:9s} {number.name:7s} {whom} after {seconds:4.1f} s: {became}", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
