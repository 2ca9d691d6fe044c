"""Frames a second that a network of others is shown from mp4 files, against the network alone on the same frames.

Each run begins by starting decoders and making the network ready, and ends with some of them idle. Half as many takes
tell how long that is, and how fast it goes between (“once begun”), where they are enough to keep all decoders busy.

What bounds it is seen from a network that does nothing, on the same way from the files: how fast the frames come then,
and how much of a core this process needs for each, beside those that decode (on a CPU, threads of this one do).

python bench/clip_speed.py                        # toy networks on a CPU: that it runs
python bench/clip_speed.py --device cuda --large  # V-JEPA 2 ViT-L and ViT-B/16 from random weights, on a GPU
python bench/clip_speed.py --compile              # and how much longer the network alone takes without torch.compile
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from actor_observer.features.extract import extract
from actor_observer.features.look import Look
from actor_observer.features.models import frozen_network
from actor_observer.features.passes.clips import clips_for
from actor_observer.features.running import distinct, runner, start
from actor_observer.frames.at import frames_at
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.clip import Clip
from actor_observer.model.backbones.fold import for_inference
from actor_observer.pairs.manifest import Fault, Take
from actor_observer.sampling.windows import frame_times

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from tiny import write_video
from tiny_networks import CLIPS, make_network

LOOK_RATE = 6.0


class Nothing(Backbone):
    """As if a network saw these clips or pictures, at no cost."""

    def __init__(self, clip: Clip) -> None:
        super().__init__(feature_size=1)
        self.clip = clip

    def forward(self, frames: Tensor) -> Tensor:
        steps = (self.clip.steps,) if self.clip.moving else ()
        return frames.new_zeros((len(frames), *steps, 1), dtype=torch.float32)


def own_processor_seconds() -> float:
    """Of this process, without those it started."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def begun(seconds: float, of_half: float, takes: int) -> tuple[float, float] | None:
    """Seconds to begin and to end, and of each take between them; None where the runs were too short to tell."""
    half = takes // 2
    each = (seconds - of_half) / (takes - half)
    return (max(0.0, of_half - half * each), each) if half and each > 0 else None


def embed_all(backbone: Backbone, several: list[Take], look: Look, device: str) -> None:
    """From the files to φ; a file that cannot be read would pass for a quick one."""
    for _, found in extract(backbone, several, look, device):
        if isinstance(found, Fault):
            raise SystemExit(str(found))


def from_files(
    backbone: Backbone, several: list[Take], look: Look, device: str, rounds: int
) -> tuple[float, tuple[float, float] | None]:
    """Seconds from the files to φ, and what `begun` makes of them."""
    seconds, of_half = (
        quickest(partial(embed_all, backbone, some, look, device), rounds)
        for some in (several, several[: len(several) // 2])
    )
    return seconds, begun(seconds, of_half, len(several))


def told(parts: tuple[float, float] | None, shown_each: float, alone_each: float | None = None) -> str:
    """The speed once begun, in words."""
    if parts is None:
        return "too short to tell it from beginning and ending"
    share = "" if alone_each is None else f": {alone_each / parts[1]:.0%}"
    return f"once begun {shown_each / parts[1]:.0f}{share}; {parts[0]:.1f} s to begin and end"


def print_bound(clip: Clip, several: list[Take], look: Look, device: str, rounds: int, shown: int) -> None:
    """Print how fast frames come to a network that does nothing."""
    nothing = Nothing(clip)
    files, parts = from_files(nothing, several, look, device, rounds)
    used = own_processor_seconds()
    embed_all(nothing, several, look, device)
    own = (own_processor_seconds() - used) / shown
    print(f"  a network that does nothing: {shown / files:.0f} frames/s ({told(parts, shown / len(several))});")
    print(f"  of this process {own * 1e6:.0f} µs for each")


def quickest(work: Callable[[], Any], rounds: int) -> float:
    """Seconds that it takes at best, once it is warm."""
    work()
    found = []
    for _ in range(rounds):
        before = time.perf_counter()
        work()
        found.append(time.perf_counter() - before)
    return min(found)


def measure(
    label: str, folder: Path, video: Path, seconds: float, takes: int, device: str, rounds: int, compiled: bool = False
) -> None:
    """Print both speeds; and what compiling the network would change."""
    network = frozen_network(f"hf:{folder}")
    look, where, clip = Look.of_network(network.config, LOOK_RATE), torch.device(device), network.backbone.clip
    several = [Take(str(number), "third", video, seconds) for number in range(takes)]
    times = frame_times(seconds, LOOK_RATE)
    fast = for_inference(network.backbone, where)
    run = runner(fast, where)
    parts: list[tuple[Any, ...]]
    if clip.moving:
        parts = [
            (*distinct(frames_at(video, clips.times, look.decode_size)), where, clips)
            for _, clips in clips_for(clip, seconds, times)
        ]
        shown = takes * sum(part[3].frames.size for part in parts)
    else:
        parts = [(*distinct(frames_at(video, times, look.decode_size)), where)]
        shown = takes * len(times)

    def alone() -> None:
        for waiting in [start(run, look, *part) for _ in range(takes) for part in parts]:
            waiting()

    files, between = from_files(network.backbone, several, look, device, rounds)
    frames = quickest(alone, rounds)
    print(
        f"{label} on {device}: {shown / files:.0f} frames/s from mp4, {shown / frames:.0f} alone: {frames / files:.0%}"
    )
    print(f"  {told(between, shown / takes, frames / takes)}")
    print_bound(clip, several, look, device, rounds, shown)
    if compiled:
        before = time.perf_counter()
        getattr(fast, "model", fast).compile()  # the network itself; what makes frames ready stays as it is
        alone()
        made = time.perf_counter() - before
        print(f"  compiled in {made:.0f} s; then {frames / quickest(alone, rounds):.2f} times as fast alone")


def main() -> None:
    """Measure two networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--large", action="store_true", help="full size, random weights")
    parser.add_argument("--only", choices=["VJEPA2", "ViT"])
    parser.add_argument("--seconds", type=float, help="of a take: 120 at full size, else 20")
    parser.add_argument("--takes", type=int, help="at full size 64 of pictures and 16 of clips, else 4")
    parser.add_argument("--rounds", type=int, default=3, help="that each is measured; the quickest counts")
    parser.add_argument("--compile", action="store_true", help="also with torch.compile")
    asked = parser.parse_args()
    if asked.device == "cpu":
        torch.set_num_threads(1)  # both ways: a toy on several waits for them more than it computes
    import transformers

    with tempfile.TemporaryDirectory() as place:
        seconds, size = (120.0, (640, 480)) if asked.large else (20.0, (96, 48))
        seconds = asked.seconds or seconds
        video = write_video(Path(place) / "a.mp4", int(seconds * 30), 30, size=size, gop=30)
        for kind, label in (("VJEPA2", "V-JEPA 2 ViT-L"), ("ViT", "ViT-B/16")):
            if asked.only not in (None, kind):
                continue
            folder = Path(place) / kind
            if asked.large:  # the classes' own defaults are these sizes
                getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")()).save_pretrained(folder)
            else:
                make_network(kind, folder)
            name = label if asked.large else f"a toy {kind}"
            takes = asked.takes or (4 if not asked.large else 16 if kind in CLIPS else 64)
            measure(name, folder, video, seconds, takes, asked.device, asked.rounds, asked.compile)


if __name__ == "__main__":
    main()
