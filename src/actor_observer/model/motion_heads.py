"""Small networks that look at motion alone: what moves where, as vectors that follow each other in step.

A head has a network for each view. It gives, of every 15th of a second,

- a vector of the whole picture for each kind of partner: what another room camera or a head camera would feel of it;
- of every cell of the picture a vector of how whoever is there moves: one person moves alike in two cameras' pictures;
- for a head camera a vector that asks "who of them am I?": its product with a room camera's cells says in which of them
  the wearer is (`spell_scores.py`).

Motion has no textures: what was learned on rendered people holds for real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, gelu, pad

from actor_observer.frames.moving.flow import AMOUNTS, CELLS, COLUMNS, FINE_COLUMNS, FINE_ROWS, ROWS
from actor_observer.pairs.manifest import VIEWS, View

__all__ = [
    "COARSE",
    "HEAD_RATE",
    "CoarseHead",
    "CoarseHeads",
    "MotionHead",
    "MotionHeads",
    "Watched",
    "unit",
]

HEAD_RATE = 15.0  # samples a second
SEEN = 2 * len(CELLS) + len(CELLS) + AMOUNTS  # what the network sees of a cell at a time: see `_Units`
DILATIONS = (1, 2, 4)  # of three convolutions: together they see about a second to either side
REACH = 2 * sum(DILATIONS)  # samples to either side that a vector depends on
COARSE = 4, 6  # rows and columns of the coarse grid
# Of the grid that a head sees: who sits at the other end of a room is small, a head's own turning fills the picture.
SHAPES: dict[View, tuple[int, int]] = {"third": (FINE_ROWS, FINE_COLUMNS), "first": (ROWS, COLUMNS)}
WIDTHS: dict[View, int] = {"third": 48, "first": 64}  # of the networks: four times as many cells cost twice as much
PIECE = 600  # samples that go through the network at once: its memory does not grow with the recording


@dataclass(frozen=True, eq=False)
class Watched:
    """What a head makes of a take's motion."""

    whole: dict[str, Tensor]  # view of the partner -> (B, D, T), unit spread
    cells: Tensor  # (B, P, C, T): each cell's answer, whoever is there
    asks: Tensor  # (B, P, T): of a head camera, what the wearer's cell should say; a room camera asks nothing, (0,)


class MotionHead(nn.Module):
    """Looks at a grid of cells over time, (B, 6, 192, T) of a room camera and (B, 6, 48, T) of a head camera.

    >>> head = MotionHead(gates=2, size=3, places=4)
    >>> seen = head(torch.zeros(2, 6, 192, 40), "third")
    >>> seen.whole["first"].shape, seen.cells.shape
    (torch.Size([2, 6, 40]), torch.Size([2, 4, 192, 40]))
    >>> seen = head(torch.zeros(2, 6, 48, 40), "first")
    >>> seen.cells.shape, seen.asks.shape
    (torch.Size([2, 4, 48, 40]), torch.Size([2, 4, 40]))
    """

    def __init__(self, gates: int = 4, size: int = 8, places: int = 16, dropout: float = 0.1) -> None:
        super().__init__()
        self.views = nn.ModuleDict({view: _Watch(view, gates, size, places, dropout) for view in VIEWS})
        self.sharp = nn.Parameter(torch.zeros(()))  # log of how surely a cell is told from the others
        self.alike = nn.Parameter(torch.tensor(-1.0))  # the same of two areas, one in each of two pictures

    def forward(self, inputs: Tensor, view: str, cells: bool = True) -> Watched:
        """Without `cells`, those are empty: an hour of them is half a gigabyte."""
        third, first, places, asks = in_pieces(partial(self.views[view], cells=cells), inputs, self.training)
        return Watched({"third": unit(third), "first": unit(first)}, unit(places), unit(asks))


class MotionHeads(nn.Module):
    """Several heads, each trained by itself: what they agree on is less likely an accident of training.

    >>> heads = MotionHeads(MotionHead(gates=2, size=3, places=4) for _ in range(2))
    >>> len(heads(torch.zeros(1, 6, 48, 40), "first"))
    2
    """

    def __init__(self, heads: Iterable[MotionHead]) -> None:
        super().__init__()
        self.heads = nn.ModuleList(heads)

    def forward(self, inputs: Tensor, view: str, cells: bool = True) -> list[Watched]:
        return [head(inputs, view, cells) for head in self.heads]


class _Watch(nn.Module):
    """The same small network for every cell, which also sees its neighbours; gates choose the cells that count.

    A gate is a softmax over the cells at each time: it can follow a person about, and leave out who else is there.
    """

    def __init__(self, view: View, gates: int, size: int, places: int, dropout: float) -> None:
        super().__init__()
        width = WIDTHS[view]
        self.enter = nn.Conv3d(SEEN, width, 1)
        self.blocks = nn.Sequential(*[_Block(width, dilation, dropout) for dilation in DILATIONS])
        self.vectors = nn.Conv3d(width, 2 * gates * size, 1)
        self.gates = nn.Conv3d(width, 2 * gates, 1)
        self.places = nn.Conv3d(width, places, 1)
        self.cells, self.shape = SHAPES[view], (gates, size)
        self.asking, self.asks = None, None
        if view == "first":  # what the wearer does moves the whole picture: some cells tell it better than others
            self.asking, self.asks = nn.Conv3d(width, 1, 1), nn.Conv3d(width, places, 1)

    def forward(self, seen: Tensor, cells: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(B, 22, C, T) to two of (B, gates · size, T), (B, P, C, T) with `cells`, and (B, P, T) of a head camera."""
        count, (gates, size), length = len(seen), self.shape, seen.shape[3]
        grid = seen.transpose(2, 3).contiguous(memory_format=torch.channels_last)
        found = gelu(self.blocks(_of_each(self.enter, grid).unflatten(3, self.cells))).flatten(3)  # (B, W, T, C)
        vectors = _of_each(self.vectors, found).reshape(count, 2 * gates, size, length, -1)
        shares = _of_each(self.gates, found).reshape(count, 2 * gates, 1, length, -1).softmax(dim=-1)
        whole = (vectors * shares).sum(dim=-1).reshape(count, 2, gates * size, length)
        answers = _of_each(self.places, found).transpose(2, 3) if cells else whole.new_zeros(0)
        asks = whole.new_zeros(0)
        if self.asking is not None and self.asks is not None:
            shares = _of_each(self.asking, found).softmax(dim=-1)
            asks = (_of_each(self.asks, found) * shares).sum(dim=-1)
        return whole[:, 0], whole[:, 1], answers, asks


class CoarseHead(nn.Module):
    """Looks at a coarse grid of 6 × 4 cells, (B, 6, 24, T), and gives vectors of the whole picture, (B, 32, T).

    Learned from rendered people who are mostly alone: the surest where one person acts.

    >>> CoarseHead(width=8, gates=2, size=3)(torch.zeros(2, len(CELLS), 24, 30), "third").shape
    torch.Size([2, 6, 30])
    """

    def __init__(self, width: int = 48, gates: int = 4, size: int = 8) -> None:
        super().__init__()
        self.views = nn.ModuleDict({view: _CoarseWatch(width, gates, size) for view in VIEWS})

    def forward(self, inputs: Tensor, view: str) -> Tensor:
        (whole,) = in_pieces(self.views[view], inputs, self.training)
        return unit(whole)


class CoarseHeads(nn.Module):
    """Several of them, their vectors one after the other."""

    def __init__(self, heads: Iterable[CoarseHead]) -> None:
        super().__init__()
        self.heads = nn.ModuleList(heads)

    def forward(self, inputs: Tensor, view: str) -> Tensor:
        return torch.cat([head(inputs, view) for head in self.heads], dim=1)


class _CoarseWatch(nn.Module):
    """As `_Watch`, with one vector of the whole picture whoever the partner is."""

    def __init__(self, width: int, gates: int, size: int) -> None:
        super().__init__()
        self.enter = nn.Conv3d(SEEN, width, 1)
        self.blocks = nn.Sequential(*[_Block(width, dilation, 0.0) for dilation in DILATIONS])
        self.vectors = nn.Conv3d(width, gates * size, 1)
        self.gates = nn.Conv3d(width, gates, 1)
        self.shape = gates, size

    def forward(self, seen: Tensor) -> tuple[Tensor]:
        count, (gates, size), length = len(seen), self.shape, seen.shape[3]
        grid = seen.permute(0, 1, 3, 2).reshape(count, -1, length, *COARSE)
        found = gelu(self.blocks(self.enter(grid)))  # (B, W, T, 4, 6)
        cells = COARSE[0] * COARSE[1]
        vectors = self.vectors(found).reshape(count, gates, size, length, cells)
        shares = self.gates(found).reshape(count, gates, 1, length, cells).softmax(dim=-1)
        return ((vectors * shares).sum(dim=-1).reshape(count, gates * size, length),)


def in_pieces(watch: Callable[[Tensor], Sequence[Tensor]], inputs: Tensor, training: bool) -> list[Tensor]:
    """What a network makes of motion (B, 6, C, T), a piece at a time: its memory does not grow with the recording.

    A network that learns gets all at once: its pieces would have to be kept in any case.
    """
    length, units = inputs.shape[3], _Units(inputs)
    if training or length <= PIECE:
        return list(watch(units.seen(inputs)))
    pieces = []
    for start in range(0, length, PIECE):
        low, high = max(0, start - REACH), min(length, start + PIECE + REACH)
        found = watch(units.seen(inputs[..., low:high]))
        pieces.append([one[..., start - low : start - low + PIECE].clone() for one in found])
    return [torch.cat(some, dim=-1) for some in zip(*pieces, strict=True)]


def _of_each(layer: nn.Conv3d, found: Tensor) -> Tensor:
    """A layer that sees single cells, of all of them: (B, W, T, C) to (B, O, T, C)."""
    return conv2d(found, layer.weight[..., 0], layer.bias)


class _Block(nn.Module):
    """Over time, then over neighbouring cells; added to what came in."""

    def __init__(self, width: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.time = nn.Conv3d(width, width, (5, 1, 1), padding=(2 * dilation, 0, 0), dilation=(dilation, 1, 1))
        self.space = nn.Conv3d(width, width, (1, 3, 3), padding=(0, 1, 1))
        self.dropout = nn.Dropout(dropout)

    def forward(self, found: Tensor) -> Tensor:
        return found + self.dropout(self._over_space(gelu(self._over_time(gelu(found)))))

    def _over_space(self, found: Tensor) -> Tensor:
        """As `self.space`, in two dimensions."""
        pictures, weight = found.transpose(1, 2).flatten(0, 1), self.space.weight[:, :, 0]  # (B · T, W, rows, columns)
        return conv2d(pictures, weight, self.space.bias, padding=1).unflatten(0, (len(found), -1)).transpose(1, 2)

    def _over_time(self, found: Tensor) -> Tensor:
        """As `self.time`; in two dimensions a CPU takes a fifth of the time.

        Every `step`-th sample is taken as one row: what looks `step` apart looks at the next row then, which a GPU
        does several times as fast.
        """
        step, length = self.time.dilation[0], found.shape[2]
        flat, weight = found.flatten(3), self.time.weight[..., 0]  # (B, W, T, C), (W, W, 5, 1)
        rows = pad(flat, (0, 0, 0, -length % step)).unflatten(2, (-1, step)).flatten(3)  # (B, W, T / step, step · C)
        seen = conv2d(rows, weight, self.time.bias, padding=(2, 0)).unflatten(3, (step, -1)).flatten(2, 3)
        return seen[:, :, :length].unflatten(3, found.shape[3:])


def unit(vectors: Tensor) -> Tensor:
    """(B, …, T) less its mean over time, and of unit spread: what a take has all the time says nothing about when."""
    if not vectors.numel():
        return vectors
    vectors = vectors - vectors.mean(dim=-1, keepdim=True)
    inner = tuple(range(1, vectors.ndim))
    return vectors / (vectors.square().mean(dim=inner, keepdim=True) + 1e-6).sqrt()


class _Units:
    """The units in which a network sees a take, (B, 6, C, T): means and spreads over all of it, whatever piece is seen.

    >>> cells = torch.randn(1, 6, 48, 40)
    >>> _Units(cells).seen(cells[..., :9]).shape
    torch.Size([1, 22, 48, 9])
    """

    def __init__(self, cells: Tensor) -> None:
        amounts, signed, overall = cells[:, :AMOUNTS], cells[:, AMOUNTS:], _overall(cells)
        self.amounts = amounts.mean(dim=(2, 3), keepdim=True), amounts.std(dim=(2, 3), keepdim=True) + 1e-3
        self.signed = signed.square().mean(dim=(1, 2, 3), keepdim=True).sqrt() + 1e-3
        self.alone = cells.mean(dim=3, keepdim=True), cells.std(dim=3, keepdim=True) + 0.1
        self.overall = overall.mean(dim=2, keepdim=True), overall.std(dim=2, keepdim=True) + 0.05

    def seen(self, cells: Tensor) -> Tensor:
        """What the network sees of a piece, without units: (B, 6, C, T) to (B, 22, C, T).

        Each cell's motion on the scale of the whole picture (who moves most?) and on its own (when does it move?), and
        the picture's mean and largest motion, the same for every cell.
        """
        together = (cells[:, :AMOUNTS] - self.amounts[0]) / self.amounts[1], cells[:, AMOUNTS:] / self.signed
        alone = (cells - self.alone[0]) / self.alone[1]
        overall = (_overall(cells) - self.overall[0]) / self.overall[1]
        spread = overall[:, :, None].expand(-1, -1, cells.shape[2], -1)
        return torch.cat([*together, alone, spread], dim=1).clamp(-5, 5)


def _overall(cells: Tensor) -> Tensor:
    """The mean and the largest motion of the picture, (B, 10, T)."""
    return torch.cat([cells.mean(dim=2), cells[:, :AMOUNTS].amax(dim=2)], dim=1)
