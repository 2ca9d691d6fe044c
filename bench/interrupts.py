"""Is a Ctrl-C ever lost? `index` is interrupted again and again, each time at another moment.

    python bench/interrupts.py [--work 100] [--start 20]

`--work` times a process that has imported everything already is forked, works on many videos and is interrupted at a
random moment of that work; `--start` times a fresh process is interrupted at a random moment, imports included. Every
interrupt that finds the command at work must end it with exit code 130; anything else is counted by its name.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import tyro

from actor_observer.cli import main as command
from actor_observer.model import ActorObserverNet, NetworkConfig
from tiny import write_video

VIDEOS = 12
CODE = "from actor_observer.cli import main; main()"
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # a background job ignores it


def main(work: int = 100, start: int = 20, seed: int = 0) -> None:
    """Interrupt, and count how each command ended."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        config = NetworkConfig(backbone="mobilenet_v2", size=32, projection="per_view", projection_size=16)
        ActorObserverNet(config, pretrained=False).save_pretrained(place / "model")
        video = write_video(place / "videos" / "00.mp4", frames=160, fps=2)
        for number in range(1, VIDEOS):
            shutil.copy(video, video.with_name(f"{number:02d}.mp4"))
        arguments = ["index", str(video.parent), "--view", "first", "--model", str(place / "model"), "--out"]
        with contextlib.redirect_stdout(io.StringIO()):
            command([*arguments, str(place / "here")])  # now everything is imported
        begun = time.monotonic()
        whole(forked([*arguments, str(place / "whole")]))
        took = time.monotonic() - begun
        ends: Counter[str] = Counter()
        for number in range(work):
            child = forked([*arguments, str(place / f"w{number}")])
            time.sleep(rng.random() * took * 0.7)
            if os.waitpid(child, os.WNOHANG)[0]:
                ends["done before"] += 1
                continue
            os.kill(child, signal.SIGINT)
            ends[told(whole(child))] += 1
        print(f"in the middle of the work ({took:.1f} s): {dict(ends)}")
        ends = Counter()
        for number in range(start):
            fresh = subprocess.Popen(
                [sys.executable, "-c", LISTEN + CODE, *arguments, str(place / f"s{number}")],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            time.sleep(0.3 + rng.random() * took)
            if fresh.poll() is not None:
                ends["done before"] += 1
                continue
            fresh.send_signal(signal.SIGINT)
            said = fresh.communicate(timeout=120)[1]
            ends[told(fresh.returncode)] += 1
            if fresh.returncode != 130:
                print(said.strip().splitlines()[-1:])
        print(f"from the start of the process: {dict(ends)}")


def forked(arguments: list[str]) -> int:
    """A child that runs a command, quietly; its id, once it listens."""
    ready, listens = os.pipe()
    child = os.fork()
    if child:
        os.close(listens)
        os.read(ready, 1)
        os.close(ready)
        return child
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.write(listens, b".")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    code: object = 0
    try:
        command(arguments)
    except SystemExit as stop:
        code = stop.code
    except BaseException:  # a traceback: what must not happen
        code = 99
    os._exit(code if isinstance(code, int) else 99)


def whole(child: int) -> int:
    """Wait for a child; its exit code, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def told(code: int) -> str:
    names = {130: "interrupted", 0: "lost", -signal.SIGINT: "killed before Python listened"}
    return names.get(code, f"exit code {code}")


if __name__ == "__main__":
    tyro.cli(main)
