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


def test_sent_they_are_the_same_and_those_that_are_gone_cannot_be_had() -> None:
    slots = Slots(count=1, size=1)
    assert pickle.loads(pickle.dumps(slots)) is slots
    sent = pickle.dumps(slots)
    del slots
    with pytest.raises(KeyError):
        pickle.loads(sent)
