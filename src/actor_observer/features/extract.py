"""Run a backbone over whole takes: decoding goes on ahead of the network, and memory does not grow with the video."""

from __future__ import annotations

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

__all__ = ["extract", "precision_of"]

CHUNK = 64  # frames decoded, and passed through the backbone, at once
AHEAD = 4  # chunks decoded before the network asks for them
DECODERS = 2  # threads; each decodes a chunk of its own


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
    parts: list[Tensor] = []
    times: list[NDArray[np.float64]] = []
    broken: TakeError | None = None
    for chunk, frames in _decoded(takes, look):
        if isinstance(frames, TakeError):
            broken = broken or frames
        elif broken is None:
            parts.append(_phi(fast, look.of(frames.to(device, non_blocking=True)), device))
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
def _phi(backbone: Backbone, frames: Tensor, device: torch.device) -> Tensor:
    """Features (T, D) of some frames, on the host. A GPU works in bfloat16."""
    frames = frames.contiguous(memory_format=torch.channels_last)
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        phi: Tensor = backbone(frames)
    return phi.float().cpu()


def precision_of(device: str | torch.device) -> str:
    """What the numbers are computed in on a device: the cache keeps the two apart.

    >>> precision_of("cpu")
    'float32'
    """
    return "bfloat16" if torch.device(device).type == "cuda" else "float32"


def _decoded(takes: Iterable[Take], look: Look) -> Iterator[tuple[_Chunk, Tensor | TakeError]]:
    """Chunks in order, decoded by threads that are at most AHEAD chunks in front."""
    waiting: deque[tuple[_Chunk, Future[Tensor | TakeError]]] = deque()
    with ThreadPoolExecutor(DECODERS) as pool:
        try:
            for chunk in _chunks(takes, look):
                waiting.append((chunk, pool.submit(_decode, chunk, look)))
                if len(waiting) > AHEAD:
                    first, done = waiting.popleft()
                    yield first, done.result()
            while waiting:
                first, done = waiting.popleft()
                yield first, done.result()
        finally:
            for _, left in waiting:
                left.cancel()


def _chunks(takes: Iterable[Take], look: Look) -> Iterator[_Chunk]:
    for take in takes:
        times = frame_times(take.length, look.rate)
        for start in range(0, len(times), CHUNK):
            yield _Chunk(take, times[start : start + CHUNK], last=start + CHUNK >= len(times))


def _decode(chunk: _Chunk, look: Look) -> Tensor | TakeError:
    try:
        return frames_at(chunk.take, chunk.times, size=look.decode_size, threads=1)
    except TakeError as error:
        return error
    except OSError as error:
        return TakeError(chunk.take.path, f"cannot be read ({error.strerror})")
