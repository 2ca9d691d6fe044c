"""Work done ahead: in order, a few items at a time, by threads or by processes that may be killed."""

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from actor_observer.errors import TakeError, UserError
from actor_observer.frames import ahead
from actor_observer.frames.ahead import decoders, done_ahead, room_for, spare_cores
from forked import Forked


def picture(number: int) -> torch.Tensor | TakeError:
    if number == 3:
        return TakeError("a.mp4", "the file is empty")
    return torch.full((2, 3, 8, 8), number, dtype=torch.uint8)


def killed(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "spare_cores", lambda processes: 2)


def test_processes_hand_over_frames_and_faults_in_order(cores: None) -> None:
    pool, workers = decoders(item_bytes=384)
    assert isinstance(pool, ProcessPoolExecutor) and workers == 2
    with pool:
        found = dict(done_ahead(range(9), picture, pool, workers))
    assert list(found) == list(range(9))
    fault = found.pop(3)
    assert isinstance(fault, TakeError) and str(fault) == "a.mp4: the file is empty"
    assert all(isinstance(frames, torch.Tensor) and (frames == number).all() for number, frames in found.items())


def test_a_killed_process_is_one_clear_line(cores: None) -> None:
    pool, workers = decoders(item_bytes=384)
    with pool, pytest.raises(UserError, match="a process that decodes frames was killed"):
        list(done_ahead(range(20), killed, pool, workers))


def test_one_killed_before_all_have_begun_is_the_same_line(cores: None) -> None:
    def slowly():
        for number in range(8):
            time.sleep(0.5 * (number == 3))
            yield 5 if number == 0 else 0

    pool, workers = decoders(item_bytes=384)
    with pool, pytest.raises(UserError, match="a process that decodes frames was killed"):
        done_ahead(slowly(), killed, pool, workers)


def test_processes_end_with_the_one_they_work_for() -> None:
    """Killed outright, it cannot tell them."""
    program = (
        "import os, time\n"
        "from actor_observer.frames import ahead\n"
        "ahead.spare_cores = lambda processes: 2\n"
        "pool, _ = ahead.decoders(1)\n"
        "print(*{pool.submit(os.getpid).result() for _ in range(8)}, flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = Forked(exec, program, {})
    parent.wait_until(lambda: parent.said.endswith("\n"))
    workers = [int(pid) for pid in parent.said.split()]
    parent.stop()
    until = time.monotonic() + 300
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert workers and not any(map(alive, workers))


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked after yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_threads_decode_where_shared_memory_is_short_or_cores_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, room, kind in ((8, 1, ThreadPoolExecutor), (1, 8, ThreadPoolExecutor), (8, 8, ProcessPoolExecutor)):
        monkeypatch.setattr(ahead, "room_for", lambda item, room=room: room)
        monkeypatch.setattr(ahead, "spare_cores", lambda processes, cores=cores: cores)
        pool, _ = decoders(item_bytes=384)
        assert isinstance(pool, kind)
        pool.shutdown()


def test_closed_early_the_rest_is_called_off() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.1)
        done.append(number)

    with ThreadPoolExecutor(1) as pool:
        done_ahead(range(20), work, pool, workers=8).close()
    assert len(done) <= 2


def test_no_more_than_two_items_a_worker_are_in_hand() -> None:
    asked: list[int] = []

    def numbers():
        for number in range(100):
            asked.append(number)
            yield number

    with ThreadPoolExecutor(3) as pool:
        made = done_ahead(numbers(), lambda number: number, pool, workers=3)
        assert len(asked) == 6, "they begin before anybody asks"
        next(made)
        assert len(asked) == 7
        made.close()


def test_cores_and_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert [spare_cores(processes) for processes in (1, 8, 64)] == [14, 7, 1]
    assert room_for(1, str(tmp_path / "no-such")) == 64
    assert room_for(1 << 60, str(tmp_path)) == 0
