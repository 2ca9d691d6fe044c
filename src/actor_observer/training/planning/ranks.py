"""Several processes that train as one, as `torchrun` starts them, and how they wait for each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import torch
from torch import distributed

from actor_observer.errors import UserError, first_line
from actor_observer.model.device import best_device

__all__ = ["Ranks", "joined", "ranks_asked"]

LOST = ("Connection closed by peer", "Connection reset by peer", "NCCL error", "remote process exited")
GONE = "another process of this training is gone; the same command, or torchrun, goes on from the last checkpoint"
PATIENCE = timedelta(hours=2)  # the others wait while the first computes features or validates


@dataclass(frozen=True)
class Ranks:
    """One process among those that train together.

    >>> Ranks().first, Ranks(rank=1, count=2).part(8)
    (True, slice(4, 8, None))
    """

    rank: int = 0
    count: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    local: int = 0  # its number on its own machine

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and prints."""
        return self.rank == 0

    def part(self, items: int) -> slice:
        """Which of a batch's items are this process's."""
        if items % self.count:
            raise UserError(
                f"{items} items of a batch cannot be split evenly among {self.count} processes; change batch"
            )
        own = items // self.count
        return slice(self.rank * own, (self.rank + 1) * own)

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.count > 1:
            distributed.barrier()

    def any(self, here: bool) -> bool:
        """Whether it is true on any of the processes."""
        if self.count == 1:
            return here
        flag = torch.tensor(float(here), device=self.device)
        distributed.all_reduce(flag)
        return bool(flag.item())


def ranks_asked() -> tuple[int, int]:
    """Which of how many processes this is, as `torchrun` says, before they have joined.

    >>> ranks_asked()
    (0, 1)
    """
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


@contextmanager
def joined(device: str = "auto") -> Iterator[Ranks]:
    """Join the processes that `torchrun` started, if it did; leave them at the end, unless they had joined before.

    >>> with joined("cpu") as ranks:
    ...     ranks.count
    1
    """
    local, count = int(os.environ.get("LOCAL_RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    device = best_device(device)
    if device == "cuda":  # each process has one of its machine's
        place = torch.device("cuda", local)
        torch.cuda.set_device(place)
    else:
        place = torch.device(device)
    if count == 1:
        yield Ranks(device=place)
        return
    if place.type not in ("cpu", "cuda"):
        raise UserError(f"several processes cannot share a device {place.type}: start one, or use --device cpu")
    if distributed.is_initialized():
        yield Ranks(distributed.get_rank(), distributed.get_world_size(), place)
        return
    backend = "nccl" if place.type == "cuda" else "gloo"
    own = place if place.type == "cuda" else None
    distributed.init_process_group(backend, timeout=PATIENCE, device_id=own)
    try:
        yield Ranks(distributed.get_rank(), distributed.get_world_size(), place, local)
    except RuntimeError as error:
        if any(sign in str(error) for sign in LOST):
            raise UserError(f"{GONE} ({first_line(error)[:120]})") from error
        raise
    finally:
        distributed.destroy_process_group()
