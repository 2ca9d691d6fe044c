"""What a frame costs from an mp4 file to a network that does nothing, against libav's bare decoding of the same frames.

    python bench/shown.py [--seconds 60] [--rounds 3]

640x480, 30 frames a second, looked at six times a second at 224 pixels, several takes. Processor time of all
processes for each frame that is shown. “Bare” decodes every file once, from start to end, without what nobody refers
to, and makes nothing of it. Ours is measured as on a GPU box: 14 processes that decode; and, in turn, with takes cut
anywhere and each decoder reading through every file by itself, as it was before `features/extract.py` did that once.
What it costs to start 14 processes is taken off.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from os import times as used
from pathlib import Path
from unittest.mock import patch

import av
import torch
import tyro

sys.path.insert(0, str(Path(__file__).parent))
from actor_observer.features.look import Look
from actor_observer.frames.frame_index import forget_indexes, index_video
from actor_observer.frames.kept.jpegs_of import FrameForm, jpegs_of, rate_and_count
from actor_observer.frames.skipping import frames_with
from actor_observer.frames.video import Upright
from actor_observer.model.backbones.clip import Clip
from actor_observer.pairs.manifest import Take
from actor_observer.sampling.windows import frame_times
from clip_speed import LOOK_RATE, Nothing
from decode import make_video

SIZE = 224
DECODERS = 14
ENCODINGS = {
    "x264's defaults": {},
    "a keyframe each second": {"g": "30"},
    "no B-frames, a keyframe every 2 s": {"g": "60", "bf": "0"},
}
EXTRACT = import_module("actor_observer.features.extract")  # the name in the package is the function's


def bare(files: list[Path], wanted: frozenset[int], rgb: bool) -> None:
    for path in files:
        with av.open(str(path)) as container:
            stream, picture = container.streams.video[0], Upright(SIZE)
            stream.codec_context.thread_count = 1
            for frame in frames_with(container, stream, wanted):
                if rgb and frame.pts in wanted:
                    picture.of(frame)


def ours(takes: list[Take], decoders: int, as_before: bool) -> None:
    """All frames to a network that does nothing: with so many processes, as for a GPU, or with none."""
    forget_indexes()
    if not decoders:
        list(EXTRACT.extract(Nothing(Clip()), takes, Look(LOOK_RATE, SIZE)))
        return
    with patch.object(EXTRACT, "_on_cpu", EXTRACT._on_gpu), patch("actor_observer.frames.ahead.spare_cores") as cores:
        cores.return_value = decoders
        with patch.object(EXTRACT, "_index_of", not_asked) if as_before else nullcontext():
            list(EXTRACT.extract(Nothing(Clip()), takes, Look(LOOK_RATE, SIZE)))


def kept(take: Take, folder: Path) -> Take:
    """The frames that are looked at as JPEGs, as `actor-observer frames --frame-rate 6` keeps them."""
    form = FrameForm(frame_rate=LOOK_RATE)
    folder.mkdir()
    for number, jpeg in enumerate(jpegs_of(take, form, *rate_and_count(take, form)), start=1):
        (folder / f"{folder.name}-{number:06d}.jpg").write_bytes(jpeg)
    return Take(take.id, take.view, folder, take.length, frame_rate=LOOK_RATE)


def not_asked(take: Take) -> None:
    """As before there was an index for all: whoever decodes makes his own."""


def processor_seconds(work: Callable[[], None]) -> float:
    """Of this process and those that it started and that have ended."""
    begun = used()
    work()
    ended = used()
    return sum(ended[:4]) - sum(begun[:4])


def main(seconds: int = 60, rounds: int = 3, takes: int = 4) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(
        "| | bare decoding (µs a frame) | and RGB | ours, one thread | from JPEGs | 14 decoders | as before | of that |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, options) in enumerate(ENCODINGS.items()):
            files = [Path(folder) / f"{number}-{take}.mp4" for take in range(takes)]
            make_video(files[0], seconds, options=dict(options))
            for file in files[1:]:
                shutil.copy(files[0], file)
            several = [Take(file.stem, "third", file, float(seconds)) for file in files]
            times, index = frame_times(seconds, LOOK_RATE), index_video(files[0])
            shown, wanted = takes * len(times), frozenset(index.pts[index.on_screen(times)].tolist())
            works: dict[str, Callable[[], None]] = {
                "bare": partial(bare, files, wanted, False),
                "rgb": partial(bare, files, wanted, True),
                "thread": partial(ours, several, 0, False),
                "kept": partial(ours, [kept(several[0], Path(folder) / f"kept{number}")] * takes, 0, False),
                "now": partial(ours, several, DECODERS, False),
                "before": partial(ours, several, DECODERS, True),
            }
            found: dict[str, list[float]] = {work: [] for work in works}
            for _ in range(rounds):
                for work, does in works.items():
                    found[work].append(processor_seconds(does) / shown)
                none = processor_seconds(partial(ours, [Take("lost", "third", Path("lost.mp4"), 1.0)], DECODERS, False))
                for work in ("now", "before"):
                    found[work][-1] -= none / shown
            base = statistics.median(found["bare"])
            cells = [f"{base * 1e6:.0f}"] + [
                f"{statistics.median(found[work]) / base:.2f}" for work in ("rgb", "thread", "kept", "now", "before")
            ]
            gain = [now / before for now, before in zip(found["now"], found["before"], strict=True)]
            cells.append(f"{statistics.median(gain):.2f} ({min(gain):.2f} – {max(gain):.2f})")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
