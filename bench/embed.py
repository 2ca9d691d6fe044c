"""How fast are videos embedded, compared with the backbone alone, and in how much memory?

    python bench/embed.py [DATA] [--backbone mobilenet_v2] [--device cpu] [--look-rate 6] [--takes 12] [--memory]

Without DATA it first writes videos of its own: a minute of 341x256, 24 frames a second, a keyframe every half second.
Where more takes are asked for than there are, files are read several times, under several names.

From the files: decode, resize and embed, as every command does it; the clock also runs while decoders start and
the backbone is prepared. The backbone alone: the frames of the first 24 takes, decoded and resized before the clock
starts, by the same threads (on a GPU: already in its memory), the backbone ready. Both are run in turn, and the medians
are compared.

`--memory` embeds videos of a few minutes and of an hour at one frame a second, each in a process of its own, and prints
its peak memory. A backbone without ImageNet weights on this machine gets random ones: its speed is the
same.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import torch
import tyro
from torch import Tensor
from tyro.conf import Positional

from actor_observer.errors import UserError
from actor_observer.features import Look, TakeEmbedding, extract
from actor_observer.features.extract import CHUNK
from actor_observer.features.models import open_model
from actor_observer.features.passes.replay import Replayed
from actor_observer.features.running import phi_of_frames
from actor_observer.features.see import see
from actor_observer.frames import frames_at
from actor_observer.frames.frame_index import forget_indexes
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.device import best_device
from actor_observer.pairs import Take, read_manifest
from actor_observer.sampling.windows import frame_times
from train_speed import GPU, write_takes

MOST_IN_MEMORY = 24  # takes


def main(
    data: Positional[Path | None] = None,
    backbone: str | None = None,  # instead of the model in the box
    size: int | None = None,  # pixels of the short side; the model's own if not given
    device: str = "auto",
    look_rate: float = 6.0,
    takes: int = 12,
    rounds: int = 3,
    threads: int | None = None,
    memory: bool = False,
    child: Path | None = None,  # embed this one video and print the peak memory
) -> None:
    """Time both ways, print a table."""
    torch.set_num_threads(threads or torch.get_num_threads())
    network = network_of(backbone, size)
    if child is not None:
        seen = see(network, child, "first", look_rate=1.0, device="cpu")
        print(json.dumps([len(seen.times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
        return
    with tempfile.TemporaryDirectory() as folder:
        if data is None:
            scale = replace(GPU, pairs=-(-min(takes, MOST_IN_MEMORY) // 2), seconds=60)
            name, manifest = "its own", write_takes(Path(folder), scale, "mp4")
        else:
            name, manifest = data.name, read_manifest(data)
        chosen = more_of([*manifest.takes.values()][:takes], takes, Path(folder))
        compare(network, name, chosen, look_rate, rounds, best_device(device))
    if memory:
        print_memory(backbone, size)


def more_of(takes: Sequence[Take], count: int, folder: Path) -> list[Take]:
    """As many takes as asked for: files are repeated under new names, so that nothing is cached."""
    found = list(takes)
    while len(found) < count:
        take = takes[len(found) % len(takes)]
        link = folder / f"{len(found)}{take.path.suffix}"
        link.symlink_to(take.path.resolve())
        found.append(replace(take, id=link.stem, path=link))
    return found


def compare(
    network: ActorObserverNet, name: str, chosen: Sequence[Take], look_rate: float, rounds: int, where: str
) -> None:
    """Both ways in turn, `rounds` times."""
    look = Look.of_network(network.config, look_rate)
    fast = for_inference(network.backbone, where)
    run = fast if where == "cpu" else Replayed(fast)
    count = sum(len(frame_times(take.length, look_rate)) for take in chosen)
    frames = [frames_in_memory(take, look, where) for take in chosen[:MOST_IN_MEMORY]]
    time_memory(run, frames, look, where)  # warms up
    from_files, alone = [], []
    for _ in range(rounds):
        from_files.append(count / time_files(network.backbone, chosen, look, where))
        alone.append(sum(map(len, frames)) / time_memory(run, frames, look, where))
    files, memory_rate = float(np.median(from_files)), float(np.median(alone))
    shape = "x".join(map(str, reversed(look.of(frames[0][:1]).shape[2:])))
    print(f"{network.config.backbone} at {shape}, {where}, {torch.get_num_threads()} threads; ", end="")
    print(f"{len(chosen)} videos of {name}, {count} frames at {look_rate:g} a second\n")
    print("| | frames/s | of the backbone alone |\n|---|---|---|")
    print(f"| backbone alone, frames in memory | {memory_rate:.0f} | 100 % |")
    print(f"| from the files | {files:.0f} | {files / memory_rate:.0%} |")
    print(f"\neach round, from the files: {', '.join(f'{speed:.0f}' for speed in from_files)}; ", end="")
    print(f"alone: {', '.join(f'{speed:.0f}' for speed in alone)}")


def frames_in_memory(take: Take, look: Look, device: str) -> Tensor:
    """Frames where the backbone reads them; on a GPU they are kept only there, because a large process forks slowly."""
    frames = frames_at(take, frame_times(take.length, look.look_rate), size=look.decode_size)
    return frames if device == "cpu" else look.of(frames.to(device)).contiguous(memory_format=torch.channels_last)


def network_of(backbone: str | None, size: int | None) -> ActorObserverNet:
    """The model in the box, or another backbone, with random weights where there are none on this machine."""
    if backbone is None:
        network = open_model()
    else:
        config = NetworkConfig(backbone, size=224, crop="whole", heads="shared")
        try:
            network = ActorObserverNet(config)
        except UserError as error:
            print(f"random weights: {error}", file=sys.stderr)
            network = ActorObserverNet(config, pretrained=False)
    network.config = replace(network.config, size=size or network.config.size)
    return network.eval()


def time_files(backbone: Backbone, takes: Sequence[Take], look: Look, device: str) -> float:
    """Seconds, counted from opening the files."""
    forget_indexes()
    start = time.perf_counter()
    for take, found in extract(backbone, takes, look, device):
        if not isinstance(found, TakeEmbedding):
            raise UserError(f"{take.id}: {found}")
    return time.perf_counter() - start


@torch.inference_mode()
def time_memory(run: Backbone | Replayed, frames: Sequence[Tensor], look: Look, device: str) -> float:
    """Seconds for frames that are already in memory."""
    chunks = [chunk for take in frames for chunk in take.split(CHUNK)]
    if isinstance(run, Replayed):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for chunk in chunks:
            run(chunk)
        torch.cuda.synchronize()
        return time.perf_counter() - start
    threads = torch.get_num_threads()
    start = time.perf_counter()
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        list(pool.map(lambda chunk: phi_of_frames(run, look, chunk, torch.device(device)), chunks))
    took = time.perf_counter() - start
    torch.set_num_threads(threads)
    return took


def print_memory(backbone: str | None, size: int | None) -> None:
    """The peak memory of a process that embeds videos of two lengths, one frame a second."""
    print("\n| video | frames | peak memory (MiB) |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for minutes in (3, 60):
            video = write_video(Path(folder) / f"{minutes}.mp4", seconds=60 * minutes)
            command = [sys.executable, __file__, "--child", str(video)]
            command += [*(["--backbone", backbone] if backbone else []), *(["--size", str(size)] if size else [])]
            found = subprocess.run(command, capture_output=True, text=True, check=True)
            frames, megabytes = json.loads(found.stdout.splitlines()[-1])
            print(f"| {minutes} min at 1 frame/s, 640x480 | {frames} | {megabytes:.0f} |")


def write_video(path: Path, seconds: int) -> Path:
    """A picture that drifts, one frame a second."""
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 255, (60, 80, 3), dtype=np.uint8).repeat(16, axis=0).repeat(16, axis=1)
    with av.open(str(path), "w") as file:
        stream: Any = file.add_stream("libx264", rate=Fraction(1), options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 640, 480, "yuv420p"
        for number in range(seconds):
            view = picture[number % 400 : number % 400 + 480, number % 600 : number % 600 + 640]
            file.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(view), format="rgb24")))
        file.mux(stream.encode())
    return path


if __name__ == "__main__":
    tyro.cli(main)
