"""Two ranks with half a batch each do what one process does with the whole."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from actor_observer.model.losses import gather
from forked import Forked
from model.ranks import gather_unequal, in_group, train, train_and_save


def run_ranks(count: int, folder: Path, work: Callable[[int, int, Path], None]) -> list[Path]:
    outputs = [folder / f"{rank}.pt" for rank in range(count)]
    local = {"GLOO_SOCKET_IFNAME": "lo"}
    processes = [
        Forked(in_group, work, rank, count, folder / "store", output, environment=local)
        for rank, output in enumerate(outputs)
    ]
    for process in processes:
        said = process.wait()
        assert process.returncode == 0, said
    return outputs


@pytest.mark.skipif(sys.platform == "win32", reason="gloo's file store")
def test_two_ranks_equal_one_process(tmp_path: Path) -> None:
    first, second = (torch.load(path, weights_only=True) for path in run_ranks(2, tmp_path, train_and_save))
    alone = train(rank=0, ranks=1)
    read = torch.cat([first.pop("read"), second.pop("read")], dim=2)  # (steps, 3, B): w, l and L of every triplet
    torch.testing.assert_close(read, alone.pop("read"), rtol=1e-9, atol=1e-12)
    for name, value in alone.items():
        torch.testing.assert_close(first[name], value, rtol=1e-9, atol=1e-12, msg=lambda m, name=name: f"{name}: {m}")
        assert torch.equal(first[name], second[name]), f"the ranks disagree on {name}"


@pytest.mark.skipif(sys.platform == "win32", reason="gloo's file store")
def test_unequal_parts_are_an_error_and_not_a_hang(tmp_path: Path) -> None:
    run_ranks(2, tmp_path, gather_unequal)


def test_alone_nothing_is_gathered() -> None:
    part = torch.arange(4.0, requires_grad=True)
    assert torch.equal(gather.gather(part), part)
    assert gather.gather_keeping_gradient(part) is part
    assert torch.equal(gather.local_part(part, 4), part)
    assert torch.equal(gather.sum_over_ranks(part), part)
