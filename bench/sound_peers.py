"""Other tools that put recordings in step by sound, each in a virtual environment of its own.

Their pins clash with ours and with each other's, so they are no extra of this package. The environments lie in the
user's cache folder and are made once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PEERS", "Answer", "ask", "prepare"]

HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "actor-observer" / "bench"

# name in the table -> (package, how it is asked: defines find(third, first) -> seconds, third = offset + first)
PEERS: dict[str, tuple[str, str]] = {
    "audio-offset-finder": (
        "audio-offset-finder==0.5.5",
        """
from audio_offset_finder.audio_offset_finder import find_offset_between_files
def find(third, first):
    return find_offset_between_files(third, first)["time_offset"]
""",
    ),
    "audalign (correlation)": (
        "audalign==1.3.1",
        """
import audalign
recognizer = audalign.CorrelationRecognizer()
def find(third, first):
    third, first = to_wav(third, first)
    found = audalign.align_files(third, first, recognizer=recognizer)
    return found[os.path.basename(first)] - found[os.path.basename(third)]
""",
    ),
    "syncstart": (
        "syncstart==1.1.1",
        """
import matplotlib
matplotlib.use = lambda *_: None  # it insists on a window
import syncstart
syncstart.take, syncstart.quiet, syncstart.loglevel = 100000, True, 16  # all of it, in place of 20 s
def find(third, first):
    rate = max(sample_rate(third), sample_rate(first))  # as it would ask ffprobe
    samples = [syncstart.get_sample(path, rate) for path in (third, first)]
    _, _, size, top, _ = syncstart.corrabs(*samples)
    return (top - size if top > size // 2 else top) / rate
""",
    ),
}

_WORKER = """
import contextlib, io, json, os, re, subprocess, sys, tempfile, time, warnings
warnings.simplefilter("ignore")
def sample_rate(path):
    said = subprocess.run(["ffmpeg", "-i", path], capture_output=True, text=True).stderr
    return int(re.search(r"(\\d+) Hz", said).group(1))
def to_wav(*paths):  # it reads other files by ffmpeg and ffprobe
    made = []
    for path in paths:
        made.append(os.path.join(folder, os.path.basename(path) + ".wav"))
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", path, "-ac", "1", made[-1]], check=True)
    return made
FIND
pairs = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    for number, pair in enumerate(pairs[:1] + pairs):  # the first one twice: the first call compiles and imports
        start = time.perf_counter()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                offset = float(find(*pair))
        except Exception as error:
            offset = None
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        if number:
            print(json.dumps([offset, time.perf_counter() - start]), flush=True)
"""


@dataclass(frozen=True)
class Answer:
    """One peer's answer to one pair."""

    offset: float | None  # seconds; None where it found none
    seconds: float  # that it took


def prepare(name: str) -> Path:
    """The peer's Python; its environment is made if it is not there yet."""
    package = PEERS[name][0]
    folder = HOME / package.replace("==", "-")
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", package, "imageio-ffmpeg"], check=True)
        tool = subprocess.run(
            [python, "-c", "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        (folder / "bin" / "ffmpeg").symlink_to(tool)
        (folder / "ready").touch()
    return python


def ask(name: str, pairs: Sequence[tuple[Path, Path]], threads: int = 1) -> list[Answer]:
    """A peer's offsets for pairs of files (third, first), and how long each took once the peer was loaded."""
    python = prepare(name)
    many = {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    settings |= many | {"PATH": f"{python.parent}:{os.environ['PATH']}", "MPLBACKEND": "Agg"}
    said = subprocess.run(
        [python, "-c", _WORKER.replace("FIND", PEERS[name][1])],
        input=json.dumps([[str(path) for path in pair] for pair in pairs]),
        env=settings,
        capture_output=True,
        text=True,
    )
    answers = [Answer(*json.loads(line)) for line in said.stdout.splitlines()]
    if len(answers) != len(pairs):
        sys.exit(f"{name}: {said.stderr.strip().splitlines()[-1] if said.stderr else 'no answer'}")
    return answers
