"""Run a backbone over whole takes: decoding goes on ahead of the network, and memory does not grow with the video.

On a CPU every thread decodes and embeds chunks of its own, with one core each: two to three times faster than one
forward pass spread over all cores where others use them too, and the numbers do not depend on how many there are.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import TakeError
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.look import Look
from actor_observer.frames.at import frames_at
from actor_observer.model.backbone import Backbone
from actor_observer.model.fold import for_inference
from actor_observer.pairs.manifest import Fault, Take
from actor_observer.sampling.moments import frame_times

__all__ = ["extract", "phi_of_frames", "precision_of"]

CHUNK = 64  # frames decoded at once
BATCH = 16  # frames of a chunk that pass through the backbone at once on a CPU: they should fit its cache


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
    fast = for_inference(backbone).to(device)
    on_cpu = device.type == "cpu"

    def work(chunk: _Chunk) -> Tensor:
        frames = frames_at(chunk.take, chunk.times, size=look.decode_size, threads=1)
        return phi_of_frames(fast, look, frames, device) if on_cpu else frames

    parts: list[Tensor] = []
    times: list[NDArray[np.float64]] = []
    broken: TakeError | None = None
    for chunk, found in _in_order(_chunks(takes, look), work, on_cpu):
        if isinstance(found, TakeError):
            broken = broken or found
        elif broken is None:
            parts.append(found if on_cpu else phi_of_frames(fast, look, found, device))
            times.append(chunk.times)
        if chunk.last:
            if broken is not None:
                yield chunk.take, Fault(broken.path, broken.fault, left_out=True)
            else:
                features = torch.cat(parts).numpy()
                yield chunk.take, TakeEmbedding(chunk.take.view, np.concatenate(times), features)
            parts, times, broken = [], [], None
            each()


@torch.inference_mode()
def phi_of_frames(backbone: Backbone, look: Look, frames: Tensor, device: torch.device) -> Tensor:
    """Features (T, D) of decoded frames, on the host. A GPU takes them at once, in bfloat16.

    A frame that stays on screen (a video of fewer frames a second than are looked at) is embedded once.
    """
    cuda = device.type == "cuda"
    phi = []
    fresh = torch.ones(len(frames), dtype=torch.bool)
    fresh[1:] = (frames[1:] != frames[:-1]).any(dim=3).any(dim=2).any(dim=1)
    for some in frames[fresh].split(CHUNK if cuda else BATCH):
        seen = look.of(some.to(device, non_blocking=True)).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device.type, torch.bfloat16, enabled=cuda):
            phi.append(backbone(seen).float().cpu())
    return torch.cat(phi)[fresh.cumsum(dim=0) - 1]


def precision_of(device: str | torch.device) -> str:
    """What the numbers are computed in on a device: the cache keeps the two apart.

    >>> precision_of("cpu")
    'float32'
    """
    return "bfloat16" if torch.device(device).type == "cuda" else "float32"


def _in_order(
    chunks: Iterable[_Chunk], work: Callable[[_Chunk], Tensor], on_cpu: bool
) -> Iterator[tuple[_Chunk, Tensor | TakeError]]:
    """Chunks with what threads make of them, in order; at most two chunks a thread are in hand."""
    threads = torch.get_num_threads()
    workers = threads if on_cpu else min(16, os.cpu_count() or 2)
    waiting: deque[tuple[_Chunk, Future[Tensor]]] = deque()
    with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        try:
            for chunk in chunks:
                waiting.append((chunk, pool.submit(work, chunk)))
                if len(waiting) > 2 * workers:
                    yield _outcome(*waiting.popleft())
            while waiting:
                yield _outcome(*waiting.popleft())
        finally:
            for _, left in waiting:
                left.cancel()
            torch.set_num_threads(threads)


def _outcome(chunk: _Chunk, done: Future[Tensor]) -> tuple[_Chunk, Tensor | TakeError]:
    try:
        return chunk, done.result()
    except TakeError as error:
        return chunk, error
    except OSError as error:
        return chunk, TakeError(chunk.take.path, f"cannot be read ({error.strerror})")


def _chunks(takes: Iterable[Take], look: Look) -> Iterator[_Chunk]:
    for take in takes:
        times = frame_times(take.length, look.rate)
        for start in range(0, len(times), CHUNK):
            yield _Chunk(take, times[start : start + CHUNK], last=start + CHUNK >= len(times))
