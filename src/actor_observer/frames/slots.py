"""Memory shared by decoders and the main process: frames are written into it once and read in place."""

from __future__ import annotations

import itertools
import math
import mmap
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["InSlot", "Slots"]

Pixels = NDArray[np.uint8]
PAGE = mmap.PAGESIZE  # bytes: pages are pinned whole, and no page twice
PORTABLE = 1  # cudaHostRegisterPortable: pinned for every GPU


@dataclass(frozen=True)
class InSlot:
    """Where frames are: small enough to send between processes."""

    slot: int
    shape: tuple[int, ...]  # (T, 3, H, W), channels last


class Slots:
    """`count` slots of `size` bytes each, shared with every process that is forked from here on.

    They do not count against a container's limit on /dev/shm. Sent to a forked process, they are the same slots there.

    >>> slots = Slots(count=2, size=96)
    >>> held = slots.put(1, torch.full((2, 3, 4, 4), 7, dtype=torch.uint8))
    >>> held
    InSlot(slot=1, shape=(2, 3, 4, 4))
    >>> slots.get(held).unique()
    tensor([7], dtype=torch.uint8)
    """

    def __init__(self, count: int, size: int) -> None:
        self._size, self._apart = size, -(-size // PAGE) * PAGE
        self._number = next(_numbers)
        _open[self._number] = self
        self._bytes = torch.frombuffer(mmap.mmap(-1, count * self._apart), dtype=torch.uint8)
        self._pinning: torch.device | None = None
        self._pinned: dict[int, int] = {}  # how many bytes of which slots
        self._pinning_fails = False

    def put(self, slot: int, frames: Tensor) -> InSlot | Pixels:
        """Write frames (T, 3, H, W) into a slot; frames that do not fit are returned, to be sent the slow way."""
        if frames.numel() > self._size:
            return frames.numpy()
        held = InSlot(slot, tuple(frames.shape))
        self._pixels(held).copy_(frames)
        return held

    def get(self, held: InSlot | Pixels) -> Tensor:
        """The frames (T, 3, H, W) of a slot: no copy, they change when the slot is written again."""
        if not isinstance(held, InSlot):
            return torch.from_numpy(held)
        if self._pinning is not None and not self._pinning_fails:
            self._pin(held, self._pinning)
        return self._pixels(held)

    def _pixels(self, held: InSlot) -> Tensor:
        count, channels, height, width = held.shape
        start = held.slot * self._apart
        pixels = self._bytes[start : start + count * channels * height * width]
        return pixels.view(count, height, width, channels).permute(0, 3, 1, 2)

    def __reduce__(self) -> tuple[Callable[[int], Slots], tuple[int]]:
        return _slots, (self._number,)

    def __enter__(self) -> Slots:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pinning is not None:
            torch.cuda.synchronize(self._pinning)
            for slot in [*self._pinned]:
                self._unpin(slot)
            self._pinning = None

    def pin(self, device: torch.device) -> None:
        """Let a GPU copy from here by itself until the end of the `with`; where that fails, it is only slower.

        Each slot is pinned when it is first read, and only about as far as it is filled: pinning all of them at once
        makes this process wait for memory that may never be used, while decoders wait for it.
        """
        self._pinning = device

    def _pin(self, held: InSlot, device: torch.device) -> None:
        filled = math.prod(held.shape)
        if filled <= self._pinned.get(held.slot, 0):
            return
        if held.slot in self._pinned:
            torch.cuda.synchronize(device)  # it may be copying from here
            self._unpin(held.slot)
        count = min(self._apart, math.ceil(8 * filled / self._apart) * -(-self._apart // 8))  # eighths: seldom again
        if not int(torch.cuda.cudart().cudaHostRegister(self._start(held.slot), count, PORTABLE)):
            self._pinned[held.slot] = count
            return
        self._pinning_fails = True
        with suppress(RuntimeError):  # CUDA reports its last error again at the next call
            torch.zeros(1, device=device)

    def _unpin(self, slot: int) -> None:
        torch.cuda.cudart().cudaHostUnregister(self._start(slot))
        del self._pinned[slot]

    def _start(self, slot: int) -> int:
        return self._bytes.data_ptr() + slot * self._apart


def _slots(number: int) -> Slots:
    return _open[number]


_numbers = itertools.count()
_open: WeakValueDictionary[int, Slots] = WeakValueDictionary()  # a forked process finds here what was made before
