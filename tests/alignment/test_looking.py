"""Several recordings are looked at at once; a fault or an interrupt ends the others, too."""

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

from actor_observer.alignment.looking import Opener, look_at_all, look_at_readable
from actor_observer.alignment.recordings.recording import Recording, open_recording
from actor_observer.errors import TakeError

Part = Callable[[float], object]


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    assert torch.get_num_threads() == 2  # as the caller left it
    torch.set_num_threads(before)


def grey(count: int) -> Opener:
    return lambda part: open_recording(np.full((count, 32, 48, 3), 90, np.uint8), "third", 10.0, part)


def endless(part: Part) -> Recording:
    while True:
        part(0.25)
        time.sleep(0.01)


def broken(part: Part) -> Recording:
    raise TakeError("b.mp4", "the file is empty")


def gone(part: Part) -> Recording:
    raise PermissionError(13, "Permission denied", "c.mp4")


def test_recordings_come_in_the_order_given_and_each_is_counted() -> None:
    done: list[int] = []
    found = look_at_all([grey(9), grey(3), grey(6)], each=lambda: done.append(1))
    assert [len(one.motion.times) for one in found] == [8, 2, 5] and len(done) == 3


def test_two_are_looked_at_at_once() -> None:
    both = threading.Barrier(2, timeout=30)

    def meet(part: Part) -> Recording:
        both.wait()
        return grey(2)(part)

    assert len(look_at_all([meet, meet])) == 2


def test_a_fault_ends_the_others() -> None:
    with pytest.raises(TakeError, match=r"b\.mp4: the file is empty"):
        look_at_all([endless, broken])


def test_an_interrupt_of_the_caller_ends_all() -> None:
    def interrupted(share: float) -> None:
        assert share == 0.25
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        look_at_all([endless, endless], part=interrupted)


def test_those_that_can_be_read_are_looked_at_beside_faults() -> None:
    fault, found, other = look_at_readable([broken, grey(4), gone])
    assert isinstance(found, Recording) and isinstance(fault, TakeError) and isinstance(other, TakeError)
    assert str(fault) == "b.mp4: the file is empty" and str(other) == "c.mp4: Permission denied"
