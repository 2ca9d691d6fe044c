"""Replay a backbone's kernel launches as one CUDA graph: a fast GPU would wait for Python between layers."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from actor_observer.model.backbones.backbone import Backbone

__all__ = ["Replayed"]

# Batches are filled up to a multiple of so many frames, so that few recordings serve all. Where chunks end at keyframes
# a second apart, six looks a second make batches of 60, which need no filling; up to 64 they would be 7 % more frames.
STEP = 4
MOST = 64  # recordings kept, enough for four frame sizes or more; other batches run launch by launch

Batch = tuple[Any, ...]  # frames, height, width, of what kind


@dataclass(frozen=True)
class _Recording:
    graph: torch.cuda.CUDAGraph
    frames: Tensor  # (N, 3, H, W), where it reads
    phi: Tensor  # (N, D), where it writes


class Replayed:
    """A backbone on a GPU in bfloat16. A kind of batch that comes a second time is recorded, and replayed from then on.

    What it returns holds until the next call. Backbones of other libraries may wait for a number of their own, which
    cannot be recorded: they run launch by launch.
    """

    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone
        self._met: Counter[Batch] = Counter()
        self._recordings: dict[Batch, _Recording] = {}
        self._stream: torch.cuda.Stream | None = None  # one for all, so that they use the same memory in turn

    @torch.inference_mode()
    def __call__(self, frames: Tensor) -> Tensor:
        """Features (N, D) of frames (N, 3, H, W) that are on the GPU."""
        with torch.cuda.device(frames.device) if frames.is_cuda else nullcontext():
            return self._features(frames)

    def _features(self, frames: Tensor) -> Tensor:
        batch = (-(-len(frames) // STEP) * STEP, *frames.shape[2:], frames.dtype)
        recording = self._recordings.get(batch)
        if recording is None and self._met[batch] and self._may_be_recorded(frames) and len(self._recordings) < MOST:
            recording = self._recordings[batch] = self._record(batch, frames.device)
        self._met[batch] += 1
        if recording is None:
            return self._run(frames)
        recording.frames[: len(frames)].copy_(frames)
        recording.graph.replay()
        return recording.phi[: len(frames)]

    def _may_be_recorded(self, frames: Tensor) -> bool:
        return self._backbone.plain and frames.ndim == 4  # clips are large enough to keep a GPU busy

    def _run(self, frames: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            return self._backbone(frames).float()

    def _record(self, batch: Batch, device: torch.device) -> _Recording:
        count, height, width, kind = batch
        shape = (count, 3, height, width)
        frames = torch.empty(shape, dtype=kind, device=device, memory_format=torch.channels_last)
        frames.zero_()
        pool = next((each.graph.pool() for each in self._recordings.values()), None)  # they never run at once
        self._stream = self._stream or torch.cuda.Stream(device)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, stream=self._stream, capture_error_mode="thread_local"):
            phi = self._run(frames)
        return _Recording(graph, frames, phi)
