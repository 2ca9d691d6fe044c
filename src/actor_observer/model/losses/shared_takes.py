"""Which frames of a batch belong together where pairs share takes: several cameras on one performance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import torch
from torch import Tensor, nn

from actor_observer.model.backbones.precision import precise
from actor_observer.pairs.manifest import Pair

__all__ = ["Relations", "SharedTakes"]


class Relations(NamedTuple):
    """How N third-person and M first-person frames belong together."""

    partner: Tensor  # (N, M) bool: their takes are a pair
    left_out: Tensor  # (N, M) bool: linked through other takes only, so neither partners nor negatives
    first_time: Tensor  # (N, M) a first-person frame's time in the third-person frame's seconds, where partners


class SharedTakes(nn.Module):
    """Training pairs as a graph of takes. Made by `SharedTakes.of(pairs)`, where some take is in several of them.

    With the pairs (T1, F) and (T2, F), a frame of T1 finds its moment in the frames of F that came with T2 as well: its
    partner is the take, not the pair. Takes that are linked through others only (T1 and F2, where T1–F1, T2–F1 and
    T2–F2 are pairs) show one performance, but no clock says how: they are left out.

    >>> from actor_observer.pairs import Clock
    >>> pairs = [Pair("a", "T1", "F", Clock(((0.0, 0.0),))), Pair("b", "T2", "F", Clock(((5.0, 0.0),)))]
    >>> a, b = torch.tensor([0]), torch.tensor([1])
    >>> found = SharedTakes.of(pairs).relations(a, b, torch.tensor([8.0]))  # F at 3 s is 8 s in T2's seconds
    >>> found.partner, found.first_time
    (tensor([[True]]), tensor([[3.]]))
    """

    takes: Tensor
    group: Tensor
    keys: Tensor
    numbers: Tensor
    pieces: Tensor
    broken: Tensor

    def __init__(self, takes: Tensor, group: Tensor, anchors: Tensor, pieces: Tensor, broken: Tensor) -> None:
        super().__init__()
        keys, numbers = (takes[:, 0] * (int(takes.max()) + 1) + takes[:, 1]).sort()
        for name, value in (("takes", takes), ("group", group), ("keys", keys), ("numbers", numbers)):
            self.register_buffer(name, value, persistent=False)  # the data says it, a checkpoint need not
        self._anchors = anchors  # (P, 2, K) third- and first-person seconds, in double precision
        self._anchors_on: dict[torch.device, Tensor] = {}  # the same on a device, as precise as it can
        self.register_buffer("pieces", pieces, persistent=False)  # (P,) of each clock
        self.register_buffer("broken", broken, persistent=False)  # (P,) bool: a clock that leaves gaps links no others

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Self | None:
        """The partners of these pairs; None where no two share a take, and every pair stands alone."""
        number = {id: place for place, id in enumerate(dict.fromkeys(id for p in pairs for id in (p.third, p.first)))}
        if len(number) == 2 * len(pairs):
            return None
        takes = torch.tensor([(number[pair.third], number[pair.first]) for pair in pairs])
        clocks = [pair.clock.anchors for pair in pairs]
        clocks = [some if len(some) > 1 else (*some, (some[0][0] + 1, some[0][1] + 1)) for some in clocks]
        anchors = torch.full((len(pairs), 2, max(map(len, clocks))), torch.inf, dtype=torch.float64)
        for row, some in enumerate(clocks):
            anchors[row, :, : len(some)] = torch.tensor(some, dtype=torch.float64).T
        broken = torch.tensor([bool(pair.clock.starts) for pair in pairs])
        return cls(takes, _linked(takes), anchors, torch.tensor([len(some) - 1 for some in clocks]), broken)

    def relations(self, third_pair: Tensor, first_pair: Tensor, first_time: Tensor) -> Relations:
        """Of frames (N,) and (M,), by the numbers of their pairs; `first_time` is in their own pair's third seconds."""
        key = self.takes[third_pair, 0][:, None] * (self.takes.max() + 1) + self.takes[first_pair, 1][None, :]  # (N, M)
        place = torch.searchsorted(self.keys, key).clamp(max=len(self.keys) - 1)
        partner = self.keys[place] == key
        across = third_pair[:, None] != first_pair[None, :]
        partner &= ~(across & (self.broken[first_pair][None, :] | self.broken[self.numbers[place]]))
        related = self.group[third_pair][:, None] == self.group[first_pair][None, :]
        time = first_time.to(precise(first_time.device)).repeat(len(third_pair), 1)
        row, column = (partner & across).nonzero(as_tuple=True)
        own = self._to(first_pair[column], time[row, column], start=0)  # the first-person take's own seconds
        time[row, column] = self._to(self.numbers[place[row, column]], own, start=1)
        return Relations(partner, related & ~partner, time.to(first_time.dtype))

    def _to(self, pair: Tensor, at: Tensor, start: int) -> Tensor:
        """Times (E,) by the clocks of these pairs (E,), from side `start` to the other; straight on past the ends."""
        anchors = self._anchors_on.setdefault(at.device, self._anchors.to(at.device, at.dtype))
        x, y = anchors[pair, start], anchors[pair, 1 - start]  # (E, K)
        piece = ((x <= at[:, None]).sum(dim=1) - 1).clamp(min=0).minimum(self.pieces[pair] - 1)[:, None]
        x0, x1, y0, y1 = (side.gather(1, piece + end).squeeze(1) for side in (x, y) for end in (0, 1))
        return y0 + (at - x0) / (x1 - x0) * (y1 - y0)


def _linked(takes: Tensor) -> Tensor:
    """A number for each pair, the same for pairs that a chain of shared takes links.

    >>> _linked(torch.tensor([[0, 1], [2, 1], [3, 4]])).tolist()
    [0, 0, 3]
    """
    root = list(range(int(takes.max()) + 1))

    def find(take: int) -> int:
        while root[take] != take:
            root[take] = root[root[take]]
            take = root[take]
        return take

    for third, first in takes.tolist():
        root[max(find(third), find(first))] = min(find(third), find(first))
    return torch.tensor([find(third) for third in takes[:, 0].tolist()])
