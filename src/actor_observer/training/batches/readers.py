"""Readers bring the frames that a step asks for to the device: features from a table, or frames decoded ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from actor_observer.errors import TakeError
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.frames.ahead import decoders, done_ahead, leave_signals, may_fork, room_for, spare_cores
from actor_observer.frames.at import frames_at
from actor_observer.frames.augmenting.augment import Draws, augment
from actor_observer.model.backbones.clip import Clip
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take
from actor_observer.sampling.windows import frame_times
from actor_observer.stopping import one_folder_for_workers
from actor_observer.training.batches.read_ahead import ReadAhead
from actor_observer.training.objectives.samples import Asked, BatchPart, clips_of
from actor_observer.training.planning.plan import Plan, Planner
from actor_observer.training.planning.recipes import Recipe

__all__ = ["FeatureReader", "FrameReader", "MemoryReader", "aspects_of", "reader_for"]


ONE_FRAME = Clip()


class Table:
    """A value for every frame of all training takes, on the device. Frames are evenly spaced: reading is a look-up."""

    def __init__(self, values: Tensor, times: Sequence[NDArray[np.float64]], look_rate: float) -> None:
        self._values, self._look_rate = values, look_rate  # (F, …)
        self._times = np.concatenate(times)  # (F,)
        self._count = np.array([len(some) for some in times])
        self._start = np.cumsum(self._count) - self._count

    def look_up(self, asked: Asked) -> tuple[Asked, Tensor]:
        """The frame nearest to each time: frame n stands for the n-th 1/look_rate seconds."""
        nearest = np.clip((asked.time * self._look_rate).astype(np.int64), 0, self._count[asked.take] - 1)
        row = self._start[asked.take] + nearest  # (N, V)
        return replace(asked, time=self._times[row]), self._values[torch.from_numpy(row).to(self._values.device)]


class FeatureReader:
    """Reads φ of all training takes, which was computed before."""

    def __init__(self, planner: Planner, phi: Embeddings, network: ActorObserverNet) -> None:
        self.planner = planner
        takes = [phi[take.id] for take in planner.material.takes]
        values = seen_in_takes(network, takes, planner.ranks.device)  # (F, D)
        self._table = Table(values, [take.times for take in takes], planner.recipe.look_rate)

    def steps(self, start: int, end: int) -> Iterator[tuple[int, list[BatchPart]]]:
        """The parts of every step from `start` on."""
        for number in range(start, end):
            yield number, [self._read(plan) for plan in self.planner.plan(number)]

    def _read(self, plan: Plan) -> BatchPart:
        paired, frames = self._table.look_up(plan.paired)
        labelled, labelled_frames = self._table.look_up(plan.labelled)
        return BatchPart(paired, frames, labelled, labelled_frames.flatten(0, 1))


def seen_in_takes(network: ActorObserverNet, takes: Sequence[TakeEmbedding], device: torch.device) -> Tensor:
    """φ of all takes (F, D) as the network's heads want it; filled in place, since with context it is large."""
    count, filled = sum(len(take.times) for take in takes), 0
    values = torch.empty(0)
    for take in takes:
        seen = network.in_take(torch.from_numpy(take.features), torch.from_numpy(take.times).float())  # (T, D)
        if not filled:
            values = seen.new_empty((count, seen.shape[1]), device=device)
        values[filled : filled + len(seen)] = seen
        filled += len(seen)
    return values


class MemoryReader:
    """Decodes all training frames once and keeps them on the device, if they fit; crops them there.

    A step of the contrast looks at moments all over its takes: from disk, nearly every frame would be decoded again.
    """

    def __init__(self, planner: Planner, clip: Clip = ONE_FRAME, each: Callable[[], object] = lambda: None) -> None:
        self.planner, self.clip, recipe = planner, clip, planner.recipe
        takes, size = planner.material.takes, decode_size(recipe)
        rate = clip.rate if clip.moving else recipe.look_rate
        times = [frame_times(take.length, rate) for take in takes]
        values = torch.empty((sum(map(len, times)), 3, *size), dtype=torch.uint8, device=planner.ranks.device)

        filled = 0
        longest = 3 * size[0] * size[1] * max(map(len, times), default=0)  # bytes
        pool, workers = decoders(longest, planner.ranks.count)
        with pool:
            for _, frames in done_ahead(zip(takes, times, strict=True), partial(_whole_take, size), pool, workers):
                values[filled : filled + len(frames)] = frames.to(values.device)
                filled += len(frames)
                each()
        self._table = Table(values, times, rate)

    def steps(self, start: int, end: int) -> Iterator[tuple[int, list[BatchPart]]]:
        """The parts of every step from `start` on."""
        for number in range(start, end):
            yield number, [self._read(plan) for plan in self.planner.plan(number)]

    def _read(self, plan: Plan) -> BatchPart:
        assert plan.draws is not None
        (paired, seen), (labelled, labelled_seen) = (
            self._seen(asked, draws) for asked, draws in zip((plan.paired, plan.labelled), plan.draws, strict=True)
        )
        return BatchPart(paired, seen, labelled, labelled_seen.flatten(0, 1))

    def _seen(self, asked: Asked, draws: Draws) -> tuple[Asked, Tensor]:
        found, frames = self._table.look_up(clips_of(asked, self.clip))
        return asked if self.clip.moving else found, shown(frames, draws, self.planner.recipe.size, self.clip)


def shown(frames: Tensor, draws: Draws, size: int, clip: Clip) -> Tensor:
    """Frames (N, V, 3, H, W) cropped as drawn; clips (N, V·F, 3, H, W) alike for the frames of each, (N, V, F, …)."""
    if not clip.moving:
        return augment(frames, draws, (size, size))
    seen = augment(frames, draws.of_clips(clip.frames), (size, size))  # (N, V·F, 3, size, size)
    return seen.unflatten(1, (-1, clip.frames))


def _whole_take(size: tuple[int, int], asked: tuple[Take, NDArray[np.float64]]) -> Tensor:
    return frames_at(*asked, size=size, threads=1)


def decode_size(recipe: Recipe) -> tuple[int, int]:
    """Height and width that training frames are decoded to, whatever their shape."""
    return recipe.decode, round(recipe.decode * 4 / 3)


class FrameReader:
    """Reads frames that worker processes decode ahead, and crops them on the device.

    All frames get one size, whatever their shape; crops are drawn for the shape as recorded, so nothing is distorted
    but by the resampling. An item with a frame that cannot be read gives its place to another of the batch.
    """

    def __init__(self, planner: Planner, clip: Clip = ONE_FRAME) -> None:
        self.planner, self.clip = planner, clip

    def steps(self, start: int, end: int) -> Iterator[tuple[int, list[BatchPart]]]:
        """The parts of every step from `start` on."""
        recipe, device = self.planner.recipe, self.planner.ranks.device
        workers = recipe.workers if recipe.workers >= 0 else spare_cores(self.planner.ranks.count)
        dataset = _Decoded(self.planner, self.clip)
        workers = min(workers, room_for(dataset.bytes)) if may_fork() else 0
        one_folder_for_workers()
        loader = DataLoader(
            dataset,
            batch_size=None,
            sampler=range(start, end),
            num_workers=workers,
            pin_memory=device.type == "cuda",
            worker_init_fn=_start_worker,
            prefetch_factor=2 if workers else None,
        )
        decoded = iter(loader)  # workers are forked before there is another thread
        try:
            with ReadAhead(self.planner, start, end) as ahead:
                for number, pixels in zip(range(start, end), decoded, strict=True):
                    ahead.now(number)
                    if isinstance(pixels, TakeError):
                        raise pixels
                    plans = self.planner.plan(number)
                    yield number, [self._part(plan, *read) for plan, read in zip(plans, pixels, strict=True)]
        finally:
            del decoded  # ends the workers: an error's traceback would keep them, and Python waits for them at its end

    def _part(self, plan: Plan, frames: Tensor, labelled: Tensor, kept: Tensor, labelled_kept: Tensor) -> BatchPart:
        assert plan.draws is not None
        device, size = self.planner.ranks.device, self.planner.recipe.size
        seen = shown(frames.to(device, non_blocking=True), plan.draws[0], size, self.clip)  # (N, V, 3, size, size)
        labelled_seen = shown(labelled.to(device, non_blocking=True), plan.draws[1], size, self.clip)
        return BatchPart(
            _rows(plan.paired, kept), seen, _rows(plan.labelled, labelled_kept), labelled_seen.flatten(0, 1)
        )


class _Decoded(Dataset[list[tuple[Tensor, ...]] | TakeError]):
    """The pixels of a step, made in a worker process.

    An error is returned, not raised: DataLoader would turn it into another one, with the worker's traceback.
    """

    def __init__(self, planner: Planner, clip: Clip) -> None:
        self.planner, self.clip = planner, clip
        self.size = decode_size(planner.recipe)
        plan = planner.plan(0)
        frames = clip.frames * sum(part.paired.take.size + part.labelled.take.size for part in plan)
        self.bytes = 3 * frames * self.size[0] * self.size[1]  # of a step

    def __getitem__(self, number: int) -> list[tuple[Tensor, ...]] | TakeError:
        try:
            return [self._read(plan) for plan in self.planner.plan(number)]
        except TakeError as error:
            return error

    def _read(self, plan: Plan) -> tuple[Tensor, ...]:
        takes, paired = self.planner.material.takes, clips_of(plan.paired, self.clip)
        frames, kept = read_frames(takes, paired, self.size)
        labelled, labelled_kept = read_frames(takes, clips_of(plan.labelled, self.clip), self.size)
        return frames, labelled, torch.from_numpy(kept), torch.from_numpy(labelled_kept)


def read_frames(takes: Sequence[Take], asked: Asked, size: tuple[int, int]) -> tuple[Tensor, NDArray[np.int64]]:
    """Frames uint8 (N, V, 3, *size), each take opened once; and for each item the one whose frames it has (N,).

    That is itself, unless one of its frames cannot be read.
    """
    pixels = torch.zeros((*asked.take.shape, *size, 3), dtype=torch.uint8)
    flat, take_of, time_of = pixels.flatten(0, 1), asked.take.ravel(), asked.time.ravel()
    broken = np.zeros(asked.take.shape, dtype=bool)
    for take in np.unique(take_of):
        rows = np.flatnonzero(take_of == take)
        try:
            found = frames_at(takes[take], time_of[rows], size=size, threads=1)  # (n, 3, H, W)
        except (TakeError, OSError):
            broken.ravel()[rows] = True
            continue
        flat[torch.from_numpy(rows)] = found.permute(0, 2, 3, 1)
    kept = np.arange(len(asked))
    bad = broken.any(axis=1)
    if bad.any():
        if bad.all():
            raise TakeError(takes[int(take_of[0])].path, "no frame of a whole batch can be read")
        kept[bad] = np.resize(np.flatnonzero(~bad), int(bad.sum()))
        pixels = pixels[torch.from_numpy(kept)]
    return pixels.permute(0, 1, 4, 2, 3), kept


def _rows(asked: Asked, kept: Tensor) -> Asked:
    rows = kept.numpy()
    return Asked(asked.take[rows], asked.time[rows], asked.mark[rows])


def _start_worker(number: int) -> None:
    leave_signals()


def reader_for(
    planner: Planner,
    phi: Embeddings | None,  # of a frozen backbone
    network: ActorObserverNet,
    each: Callable[[], object] | None = None,  # called for every take that is decoded beforehand
) -> FeatureReader | MemoryReader | FrameReader:
    """The reader that a recipe needs."""
    if phi is not None:
        return FeatureReader(planner, phi, network)
    if planner.recipe.frames == "memory":
        return MemoryReader(planner, network.backbone.clip, each or (lambda: None))
    return FrameReader(planner, network.backbone.clip)


def aspects_of(takes: Sequence[Take]) -> NDArray[np.float64]:
    """Width over height of each take's frames, upright."""

    def aspect(take: Take) -> float:
        height, width = frames_at(take, [0.0], size=240, threads=1).shape[2:]
        return width / height

    with ThreadPoolExecutor(8) as pool:
        return np.array(list(pool.map(aspect, takes)))
