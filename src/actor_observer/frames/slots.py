"""Memory shared by decoders and the main process: frames are written into it once and read in place."""

from __future__ import annotations

import itertools
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
        self._size = size
        self._number = next(_numbers)
        _open[self._number] = self
        self._bytes = torch.frombuffer(mmap.mmap(-1, count * size), dtype=torch.uint8)
        self._pinned_for: torch.device | None = None

    def put(self, slot: int, frames: Tensor) -> InSlot | Pixels:
        """Write frames (T, 3, H, W) into a slot; frames that do not fit are returned, to be sent the slow way."""
        if frames.numel() > self._size:
            return frames.numpy()
        held = InSlot(slot, tuple(frames.shape))
        self.get(held).copy_(frames)
        return held

    def get(self, held: InSlot | Pixels) -> Tensor:
        """The frames (T, 3, H, W) of a slot: no copy, they change when the slot is written again."""
        if not isinstance(held, InSlot):
            return torch.from_numpy(held)
        count, channels, height, width = held.shape
        start = held.slot * self._size
        pixels = self._bytes[start : start + count * channels * height * width]
        return pixels.view(count, height, width, channels).permute(0, 3, 1, 2)

    def __reduce__(self) -> tuple[Callable[[int], Slots], tuple[int]]:
        return _slots, (self._number,)

    def __enter__(self) -> Slots:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pinned_for is not None:
            torch.cuda.synchronize(self._pinned_for)
            torch.cuda.cudart().cudaHostUnregister(self._bytes.data_ptr())
            self._pinned_for = None

    def pin(self, device: torch.device) -> None:
        """Let a GPU copy from here by itself until the end of the `with`; where that fails, it is only slower."""
        failed = int(torch.cuda.cudart().cudaHostRegister(self._bytes.data_ptr(), self._bytes.numel(), PORTABLE))
        if not failed:
            self._pinned_for = device
            return
        with suppress(RuntimeError):  # CUDA reports its last error again at the next call
            torch.zeros(1, device=device)


def _slots(number: int) -> Slots:
    return _open[number]


_numbers = itertools.count()
_open: WeakValueDictionary[int, Slots] = WeakValueDictionary()  # a forked process finds here what was made before
