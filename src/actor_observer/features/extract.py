"""Run a backbone over whole takes: decoding runs ahead of the network, and memory does not grow with the video.

On a CPU every thread decodes and embeds chunks of its own, with one core each: two to three times faster than one
forward pass spread over all cores where others use them too, and the numbers do not depend on how many there are. For
a GPU, processes decode; while it is busy with a chunk the next ones are already on their way to it.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle

import av
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import TakeError, first_line
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.look import Look
from actor_observer.features.passes.clips import MOST, Clips, clips_for
from actor_observer.features.running import Features, Places, distinct, runner, start
from actor_observer.frames.ahead import AHEAD, decoders, done_ahead
from actor_observer.frames.at import frames_at
from actor_observer.frames.frame_index import VideoIndex, index_video
from actor_observer.frames.slots import InSlot, Slots
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.clip import Clip
from actor_observer.model.backbones.fold import for_inference
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Fault, Take
from actor_observer.sampling.windows import frame_times

__all__ = ["Extract", "extract"]

CHUNK = 64  # frames decoded at once at most, where they are seen one by one
QUEUED = 2  # chunks that wait on a GPU behind the one that it is busy with

Extract = Callable[..., Iterator[tuple[Take, TakeEmbedding | Fault]]]  # called like `extract`


@dataclass(frozen=True)
class _Chunk:
    take: Take
    times: NDArray[np.float64]
    share: float  # of its take that is done with it; 1: the last
    clips: Clips | None = None  # what a backbone that sees clips is shown
    index: VideoIndex | None = None  # of the frames it looks at, so that not every decoder reads through the file

    @property
    def last(self) -> bool:
        return self.share >= 1


def extract(
    backbone: Backbone,
    takes: Iterable[Take],
    look: Look,
    device: str | torch.device = "cpu",
    each: Callable[[], object] = lambda: None,  # called once for every take
    processes: int = 1,  # that do the same on this machine, for other takes
    part: Callable[[float], object] = lambda share: None,  # called now and then with how much of a take is done
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
    given_up: set[str] = set()  # ids of takes that broke: the rest of them is not decoded
    takes = iter(takes)
    first = next(takes, None)
    if first is None:
        return  # nothing to do
    cut = partial(_chunks, backbone.clip, first, takes, look, given_up)
    if device.type == "cpu":
        embedded = _on_cpu(backbone, look, device, cut)
    else:
        embedded = _on_gpu(backbone, look, device, cut, processes)
    parts: list[Features] = []
    times: list[NDArray[np.float64]] = []
    broken: TakeError | None = None
    for chunk, found in embedded:
        if isinstance(found, TakeError):
            broken = broken or found
            given_up.add(chunk.take.id)
        elif broken is None:
            parts.append(found)
            times.append(chunk.times)
        if chunk.last:
            if broken is not None:
                yield chunk.take, Fault(broken.path, broken.fault, left_out=True)
            else:
                yield chunk.take, TakeEmbedding(chunk.take.view, np.concatenate(times), np.concatenate(parts))
            parts, times, broken = [], [], None
            given_up.discard(chunk.take.id)
            each()
        else:
            part(chunk.share)


Embedded = Iterator[tuple[_Chunk, Features | TakeError]]  # φ (T, D) of chunks, in order
Cut = Callable[[Executor, int], Iterator[_Chunk]]  # the chunks, with the help of so many workers


def _on_cpu(backbone: Backbone, look: Look, device: torch.device, cut: Cut) -> Embedded:
    """Threads that decode and embed."""
    fast = for_inference(backbone, device)

    def work(chunk: _Chunk) -> Features | TakeError:
        found = _decode(look, chunk)
        return found if isinstance(found, TakeError) else start(fast, look, *found, device, chunk.clips)()

    with (
        one_thread_each() as threads,
        ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool,
    ):
        yield from done_ahead(cut(pool, threads), work, pool, threads)


_sharing = threading.Lock()
_sharers = 0  # calls that run in threads of one process now
_threads_before = 1  # torch's threads when the first of them began


@contextmanager
def one_thread_each() -> Iterator[int]:
    """While this is open, threads may call `torch.set_num_threads(1)`; gives how many threads torch had before.

    The number is one for all threads to come. Where several are open at once, the last to close puts it back.

    >>> with one_thread_each() as threads:
    ...     threads == torch.get_num_threads()
    True
    """
    global _sharers, _threads_before
    with _sharing:
        if not _sharers:
            _threads_before = torch.get_num_threads()
        _sharers += 1
        threads = _threads_before
    try:
        yield threads
    finally:
        with _sharing:
            _sharers -= 1
            if not _sharers:
                torch.set_num_threads(threads)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread: how a sum is cut into threads decides its last digits.

    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    with one_thread_each():
        torch.set_num_threads(1)
        yield


def _on_gpu(backbone: Backbone, look: Look, device: torch.device, cut: Cut, processes: int = 1) -> Embedded:
    """Decoders that fill slots of shared memory, and a queue before the GPU."""
    waiting: deque[tuple[_Chunk, Callable[[], Features] | TakeError]] = deque()

    def next_one() -> tuple[_Chunk, Features | TakeError]:
        chunk, found = waiting.popleft()
        return chunk, found if isinstance(found, TakeError) else found()

    most = max(MOST, backbone.clip.frames) if backbone.clip.moving else CHUNK  # frames of a chunk
    wide = most * 3 * look.decode_size * 2 * look.decode_size  # bytes of it: few videos are wider than 2:1
    pool, workers = decoders(0, processes)  # messages are short: frames travel in the slots
    count = AHEAD * workers + QUEUED + 1  # a slot is reused once its frames have been used
    with Slots(count, wide) as slots, pool:
        todo = zip(cycle(range(count)), cut(pool, workers), strict=False)
        with closing(done_ahead(todo, partial(_decode_into, slots, look), pool, workers)) as decoded:
            # Decoders are at work from here on, while the GPU is prepared.
            run = runner(for_inference(backbone, device), device)
            if device.type == "cuda":
                slots.pin(device)
            for (_, chunk), found in decoded:
                if isinstance(found, TakeError):
                    waiting.append((chunk, found))
                else:
                    held, place = found
                    waiting.append((chunk, start(run, look, slots.get(held), place, device, chunk.clips)))
                if len(waiting) > QUEUED:
                    yield next_one()
            while waiting:
                yield next_one()


def _decode(look: Look, chunk: _Chunk) -> tuple[Tensor, Places] | TakeError:
    """The distinct frames of a chunk, and which of them is on screen at each time."""
    if not len(chunk.times):
        return TakeError(chunk.take.path, "given up")
    try:
        times = chunk.times if chunk.clips is None else chunk.clips.times
        return distinct(frames_at(chunk.take, times, size=look.decode_size, threads=1, index=chunk.index))
    except TakeError as error:
        return error
    except OSError as error:
        return TakeError(chunk.take.path, f"cannot be read ({error.strerror})")
    except (av.FFmpegError, ValueError, RuntimeError, MemoryError) as error:  # one odd file must not stop a folder
        return TakeError(chunk.take.path, f"cannot be decoded ({first_line(error)[:100]})")


def _decode_into(
    slots: Slots, look: Look, job: tuple[int, _Chunk]
) -> tuple[InSlot | NDArray[np.uint8], Places] | TakeError:
    """As `_decode`, with the frames in a slot."""
    slot, chunk = job
    found = _decode(look, chunk)
    if isinstance(found, TakeError):
        return found
    frames, place = found
    return slots.put(slot, frames), place


def _chunks(
    clip: Clip,
    first: Take,
    others: Iterator[Take],
    look: Look,
    given_up: Collection[str],
    pool: Executor,
    workers: int,
) -> Iterator[_Chunk]:
    seconds = MOST / clip.rate if clip.moving else CHUNK / look.look_rate  # of a chunk
    few = math.ceil(workers * min(1.0, seconds / max(first.length, 1e-3)))  # long takes keep all workers busy
    with closing(done_ahead(chain([first], others), _index_of, pool, few)) as indexed:
        for take, index in indexed:
            times = frame_times(take.length, look.look_rate)
            done = 0
            for some, clips in _parts(clip, take.length, times, index):
                if take.id in given_up:
                    yield _Chunk(take, times[:0], share=1.0)
                    break
                done += len(some)
                used = some if clips is None else clips.times
                yield _Chunk(take, some, done / len(times), clips, index.around(used) if index else None)


def _index_of(take: Take) -> VideoIndex | None:
    """Where the frames of a video are; None of a folder of frames, and of what cannot be read: decoding says why."""
    try:
        return None if holds_frames(take.path) else index_video(take.path)
    except (TakeError, OSError, av.FFmpegError, ValueError, RuntimeError, MemoryError):
        return None


def _parts(
    clip: Clip, length: float, times: NDArray[np.float64], index: VideoIndex | None
) -> Iterator[tuple[NDArray[np.float64], Clips | None]]:
    if clip.moving:
        yield from clips_for(clip, length, times)
    else:
        groups = None if index is None else index.keyframe_of(index.on_screen(times))
        yield from ((times[its], None) for its in cuts(len(times), groups, CHUNK))


def cuts(count: int, groups: NDArray[np.int64] | None, most: int) -> Iterator[slice]:
    """Cut frames into runs of at most so many, where a keyframe is if there is one in a run's second half.

    What is cut between keyframes is decoded twice from the keyframe before.

    >>> groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    >>> [its.stop for its in cuts(9, groups, 4)], [its.stop for its in cuts(9, None, 4)]
    ([3, 6, 9], [4, 8, 9])
    """
    begin = 0
    while begin < count:
        end = min(begin + most, count)
        if groups is not None and end < count:
            least = begin + (most + 1) // 2
            keys = np.flatnonzero(np.diff(groups[least - 1 : end + 1]))
            end = least + int(keys[-1]) if len(keys) else end
        yield slice(begin, end)
        begin = end
