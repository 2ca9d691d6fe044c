"""Frames that processes share: written by one, read by another, in place."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import torch

from actor_observer.frames.slots import InSlot, Slots


def frames_of(value: int, count: int = 2) -> torch.Tensor:
    return torch.full((count, 3, 4, 6), value, dtype=torch.uint8)


def fill(slots: Slots, slot: int) -> InSlot | np.ndarray:
    return slots.put(slot, frames_of(10 * slot))


def test_what_a_forked_process_writes_is_here() -> None:
    with Slots(count=3, size=144) as slots, ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        held = [pool.submit(fill, slots, slot).result() for slot in range(3)]
        assert all(isinstance(each, InSlot) for each in held)
        for slot, each in enumerate(held):
            torch.testing.assert_close(slots.get(each), frames_of(10 * slot))


def test_frames_keep_their_places_and_lie_channels_last() -> None:
    slots = Slots(count=2, size=144)
    frames = torch.randint(0, 256, (2, 3, 4, 6), dtype=torch.uint8)  # channels first in memory
    found = slots.get(slots.put(1, frames))
    torch.testing.assert_close(found, frames)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_a_slot_holds_what_was_written_last() -> None:
    slots = Slots(count=1, size=144)
    first = slots.get(slots.put(0, frames_of(1)))
    slots.put(0, frames_of(2))
    assert (first == 2).all(), "no copy was made"


def test_what_does_not_fit_travels_as_it_is() -> None:
    slots = Slots(count=1, size=143)
    frames = frames_of(5)
    told = slots.put(0, frames)
    assert not isinstance(told, InSlot)
    torch.testing.assert_close(slots.get(pickle.loads(pickle.dumps(told))), frames)


class Pinned:
    """CUDA's runtime, which keeps track of what is pinned."""

    def __init__(self, most: int = 99) -> None:
        self.now: dict[int, int] = {}
        self.most = most

    def cudaHostRegister(self, start: int, count: int, how: int) -> int:
        assert all(start + count <= at or at + size <= start for at, size in self.now.items())
        if len(self.now) == self.most:
            return 2
        self.now[start] = count
        return 0

    def cudaHostUnregister(self, start: int) -> int:
        del self.now[start]
        return 0


@pytest.mark.parametrize("most", [99, 1])
def test_a_slot_is_pinned_once_as_far_as_it_is_used(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    runtime = Pinned(most)
    monkeypatch.setattr(torch.cuda, "cudart", lambda: runtime)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: None)
    device = torch.device("cpu")
    with Slots(count=4, size=100_000) as slots:
        slots.get(slots.put(0, frames_of(1)))
        assert not runtime.now, "nobody asked for it"
        slots.pin(device)
        for slot, count in [(0, 1), (3, 1), (0, 1), (0, 1000), (0, 2), (1, 1388), (3, 1)]:
            frames = frames_of(slot, count)
            assert torch.equal(slots.get(slots.put(slot, frames)), frames)
        sizes = list(runtime.now.values())
        assert len(sizes) == min(3, most)
        assert most == 1 or (max(sizes) >= 72 * 1388 and min(sizes) < 20_000)
    assert not runtime.now


def test_sent_they_are_the_same_and_those_that_are_gone_cannot_be_had() -> None:
    slots = Slots(count=1, size=1)
    assert pickle.loads(pickle.dumps(slots)) is slots
    sent = pickle.dumps(slots)
    del slots
    with pytest.raises(KeyError):
        pickle.loads(sent)
