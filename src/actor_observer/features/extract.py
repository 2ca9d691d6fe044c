"""Run a backbone over whole takes: decoding goes on ahead of the network, and memory does not grow with the video.

On a CPU every thread decodes and embeds chunks of its own, with one core each: two to three times faster than one
forward pass spread over all cores where others use them too, and the numbers do not depend on how many there are. For
a GPU, processes decode; while it is busy with a chunk the next ones are already on their way to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import TakeError
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.look import Look
from actor_observer.frames.ahead import decoders, done_ahead
from actor_observer.frames.at import frames_at
from actor_observer.model.backbone import Backbone
from actor_observer.model.fold import for_inference
from actor_observer.pairs.manifest import Fault, Take
from actor_observer.sampling.moments import frame_times

__all__ = ["extract", "phi_of_frames", "precision_of"]

CHUNK = 64  # frames decoded at once
BATCH = 16  # frames of a chunk that pass through the backbone at once on a CPU: they should fit its cache
SPARSE = 16  # pixels apart: frames that differ nearly always do so here too
QUEUED = 2  # chunks that wait on a GPU behind the one that it is busy with


@dataclass(frozen=True)
class _Chunk:
    take: Take
    times: NDArray[np.float64]
    last: bool  # of its take


def extract(
    backbone: Backbone,
    takes: Iterable[Take],
    look: Look,
    device: str | torch.device = "cpu",
    each: Callable[[], object] = lambda: None,  # called once for every take
) -> Iterator[tuple[Take, TakeEmbedding | Fault]]:
    """φ of every take, one after the other as they are done; a take that cannot be read gives its fault instead.

    >>> from pathlib import Path
    >>> from actor_observer.model import create_backbone
    >>> backbone = create_backbone("resnet18", pretrained=False)
    >>> [(_, fault)] = extract(backbone, [Take("a", "third", Path("no-such.mp4"), 3.0)], Look())
    >>> print(fault)
    no-such.mp4: no such file (left out)
    """
    device = torch.device(device)
    fast = for_inference(backbone, device)
    embedded = _on_cpu if device.type == "cpu" else _on_gpu
    parts: list[Tensor] = []
    times: list[NDArray[np.float64]] = []
    broken: TakeError | None = None
    for chunk, found in embedded(fast, look, device, _chunks(takes, look)):
        if isinstance(found, TakeError):
            broken = broken or found
        elif broken is None:
            parts.append(found)
            times.append(chunk.times)
        if chunk.last:
            if broken is not None:
                yield chunk.take, Fault(broken.path, broken.fault, left_out=True)
            else:
                features = torch.cat(parts).numpy()
                yield chunk.take, TakeEmbedding(chunk.take.view, np.concatenate(times), features)
            parts, times, broken = [], [], None
            each()


def phi_of_frames(backbone: Backbone, look: Look, frames: Tensor, device: torch.device) -> Tensor:
    """Features (T, D) of decoded frames, on the host. A GPU takes them at once, in bfloat16.

    A frame that stays on screen (a video of fewer frames a second than are looked at) is embedded once.
    """
    return _start(backbone, look, *_distinct(frames), device)()


def precision_of(device: str | torch.device) -> str:
    """What the numbers are computed in on a device: the cache keeps the two apart.

    >>> precision_of("cpu")
    'float32'
    """
    return "bfloat16" if torch.device(device).type == "cuda" else "float32"


Embedded = Iterator[tuple[_Chunk, Tensor | TakeError]]  # φ (T, D) of chunks, in order


def _on_cpu(backbone: Backbone, look: Look, device: torch.device, chunks: Iterable[_Chunk]) -> Embedded:
    """Threads that decode and embed."""

    def work(chunk: _Chunk) -> Tensor | TakeError:
        found = _decode(look, chunk)
        return found if isinstance(found, TakeError) else _start(backbone, look, *found, device)()

    threads = torch.get_num_threads()
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        try:
            yield from done_ahead(chunks, work, pool, threads)
        finally:
            torch.set_num_threads(threads)


def _on_gpu(backbone: Backbone, look: Look, device: torch.device, chunks: Iterable[_Chunk]) -> Embedded:
    """Decoders; a thread that readies what they hand over; and a queue that the GPU never finds empty."""
    waiting: deque[tuple[_Chunk, Callable[[], Tensor] | TakeError]] = deque()

    def next_one() -> tuple[_Chunk, Tensor | TakeError]:
        chunk, found = waiting.popleft()
        return chunk, found if isinstance(found, TakeError) else found()

    wide = CHUNK * 3 * look.decode_size**2 * 16 // 9  # bytes of a chunk: few videos are wider
    pool, workers = decoders(wide)
    with pool, ThreadPoolExecutor(1) as stage:
        decoded = done_ahead(chunks, partial(_decode, look), pool, workers)
        for (chunk, _), found in done_ahead(decoded, partial(_pin, device), stage, 1):
            queued = found if isinstance(found, TakeError) else _start(backbone, look, *found, device)
            waiting.append((chunk, queued))
            if len(waiting) > QUEUED:
                yield next_one()
        while waiting:
            yield next_one()


def _decode(look: Look, chunk: _Chunk) -> tuple[Tensor, Tensor] | TakeError:
    """The different frames of a chunk, and which of them is seen at each time."""
    try:
        return _distinct(frames_at(chunk.take, chunk.times, size=look.decode_size, threads=1))
    except TakeError as error:
        return error
    except OSError as error:
        return TakeError(chunk.take.path, f"cannot be read ({error.strerror})")


def _distinct(frames: Tensor) -> tuple[Tensor, Tensor]:
    """Frames without those that equal the one before, and the place of each among them."""
    some = frames[:, :, ::SPARSE, ::SPARSE]
    fresh = torch.ones(len(frames), dtype=torch.bool)
    fresh[1:] = (some[1:] != some[:-1]).flatten(1).any(dim=1)
    for alike in (~fresh).nonzero().flatten().tolist():
        fresh[alike] = not torch.equal(frames[alike], frames[alike - 1])
    return frames if fresh.all() else frames[fresh], fresh.cumsum(dim=0) - 1


def _pin(
    device: torch.device, decoded: tuple[_Chunk, tuple[Tensor, Tensor] | TakeError]
) -> tuple[Tensor, Tensor] | TakeError:
    """Frames where a GPU fetches them by itself."""
    _, found = decoded
    if isinstance(found, TakeError) or device.type != "cuda":
        return found
    return found[0].pin_memory(), found[1]


@torch.inference_mode()
def _start(backbone: Backbone, look: Look, frames: Tensor, place: Tensor, device: torch.device) -> Callable[[], Tensor]:
    """Set the device to work on frames; what is returned waits for φ (T, D) of all places, on the host."""
    if device.type != "cuda":
        phi = torch.cat([backbone(_ready(look, some.to(device))).float().cpu() for some in frames.split(BATCH)])
        return lambda: phi[place]
    host, done = [], torch.cuda.Event()
    for some in frames.split(CHUNK):
        with torch.autocast("cuda", torch.bfloat16):
            found = backbone(_ready(look, some.to(device, non_blocking=True))).float()
        host.append(torch.empty(found.shape, pin_memory=True).copy_(found, non_blocking=True))
    done.record()

    def wait() -> Tensor:
        done.synchronize()
        return torch.cat(host)[place]

    return wait


def _ready(look: Look, frames: Tensor) -> Tensor:
    return look.of(frames).contiguous(memory_format=torch.channels_last)


def _chunks(takes: Iterable[Take], look: Look) -> Iterator[_Chunk]:
    for take in takes:
        times = frame_times(take.length, look.rate)
        for start in range(0, len(times), CHUNK):
            yield _Chunk(take, times[start : start + CHUNK], last=start + CHUNK >= len(times))
