"""Two ranks with half a batch each do what one process does with the whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from actor_observer.model import gather
from model.ranks import train

HERE = Path(__file__).parent


def run_ranks(count: int, folder: Path, script: Path = HERE / "ranks.py") -> list[Path]:
    outputs = [folder / f"{rank}.pt" for rank in range(count)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    processes = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), str(count), str(folder / "store"), str(output)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank, output in enumerate(outputs)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=100)
        assert process.returncode == 0, errors
    return outputs


@pytest.mark.skipif(sys.platform == "win32", reason="gloo's file store")
def test_two_ranks_equal_one_process(tmp_path: Path) -> None:
    first, second = (torch.load(path, weights_only=True) for path in run_ranks(2, tmp_path))
    alone = train(rank=0, ranks=1)
    read = torch.cat([first.pop("read"), second.pop("read")], dim=2)  # (steps, 3, B): w, l and L of every triplet
    torch.testing.assert_close(read, alone.pop("read"), rtol=1e-9, atol=1e-12)
    for name, value in alone.items():
        torch.testing.assert_close(first[name], value, rtol=1e-9, atol=1e-12, msg=lambda m, name=name: f"{name}: {m}")
        assert torch.equal(first[name], second[name]), f"the ranks disagree on {name}"


UNEQUAL = """
import sys
import torch
from torch import distributed
from actor_observer.model.gather import gather
rank = int(sys.argv[1])
distributed.init_process_group("gloo", init_method="file://" + sys.argv[3], rank=rank, world_size=2)
try:
    gather(torch.zeros(2 + rank))
except ValueError as error:
    assert "equally many" in str(error)
else:
    raise SystemExit("no complaint")
distributed.barrier()
distributed.destroy_process_group()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="gloo's file store")
def test_unequal_parts_are_an_error_and_not_a_hang(tmp_path: Path) -> None:
    script = tmp_path / "unequal.py"
    script.write_text(UNEQUAL)
    run_ranks(2, tmp_path, script)


def test_alone_nothing_is_gathered() -> None:
    part = torch.arange(4.0, requires_grad=True)
    assert torch.equal(gather.gather(part), part)
    assert gather.gather_keeping_gradient(part) is part
    assert torch.equal(gather.local_part(part, 4), part)
    assert torch.equal(gather.sum_over_ranks(part), part)
