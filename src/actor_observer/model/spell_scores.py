"""Who moves alike in two recordings, for every spell and lag: the wearer of a head camera, or anybody in two pictures.

The motion heads give each cell of a room camera's picture an answer, and a head camera a question (`motion_heads.py`).
Nobody knows in which cell the wearer is, or who in one picture is who in another: the sums here are over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import pad

from actor_observer.frames.moving.flow import FINE, FINE_COLUMNS, FINE_ROWS
from actor_observer.model.motion_heads import SHAPES, unit

__all__ = [
    "SPELL",
    "above_usual",
    "each_spell",
    "every_answer",
    "followed_scores",
    "over_areas",
    "paces",
    "shared_scores",
    "who_answers",
]

SPELL = 30  # samples over which the wearer is taken to stay in one cell: two seconds
STAY, NEXT = 0.9, 0.08  # of people: still in the same cell a spell later, or in one nearby
NEARBY = 2  # cells
FLOOR = -30.0  # log of a share that counts as none: smaller numbers are slow, and change nothing
AREAS = 3, 4  # rows and columns: two pictures are as well told apart as with 6 × 8, in a tenth of the time
TOGETHER = 8  # spells that are multiplied at once: enough to be fast, few enough for the memory


def followed_scores(cells: Tensor, asks: Tensor, lags: range, sharp: Tensor) -> Tensor:
    """How well anybody in a room camera's picture answers what a wearer asks, for every spell and lag: (B, K, L).

    `cells` (B, P, C, T) are a room camera's, `asks` (B, P, S) a head camera's, or (M · B, P, S) those of M head cameras
    for each room camera. `lags` in samples: the head camera's sample s is the room camera's s + lag. In each spell of
    two seconds the wearer is in one cell, nobody knows which, and moves through the picture at a person's pace
    (`paces`). The sum is over all ways through it, so that the wearer has to be found only once: a spell adds the log
    of how likely its answers are after those of the spells before it, less its mean over lags, so that chance adds up
    to nothing.

    >>> cells, asks = torch.zeros(1, 2, FINE, 90), torch.randn(1, 2, 60, generator=torch.Generator().manual_seed(0))
    >>> cells[0, :, 7, 20:80] = asks[0]
    >>> found = followed_scores(cells, asks, range(-20, 60), torch.tensor(3.0))
    >>> found.shape, int(found.sum(dim=1).argmax()) - 20
    (torch.Size([1, 2, 80]), 20)
    >>> bool(found[0, 1, 40] > found[0, 0, 40])  # the second spell knows already who it is
    True
    """
    found: list[Tensor] = []
    where = torch.full((len(asks), cells.shape[2], len(lags)), -math.log(cells.shape[2]), device=cells.device)
    for answers, own, inside in each_spell(every_answer(cells, asks, sharp), cells.shape[3], lags):
        if found:
            top = where.amax(dim=1, keepdim=True)
            where = a_spell_later((where - top).clamp(min=FLOOR).exp()).log() + top
        before = torch.logsumexp(where, dim=1)
        where = where + answers.index_select(2, own) * inside
        found.append(above_usual(torch.logsumexp(where, dim=1) - before, inside))
    return torch.stack(found, dim=1)


def shared_scores(areas: Tensor, others: Tensor, lags: range, sharp: Tensor) -> Tensor:
    """How well anybody in one camera's picture answers anybody in another's, for every spell and lag: (B, K, L).

    `areas` (B, P, A, T) and `others` (B, P, A, S) are two cameras' (`over_areas`); the second's sample s is the first's
    s + lag.
    In each spell the sum is over all two areas of the pictures: whoever moves alike in both is one person seen from two
    sides, whatever else moves in either.

    >>> random = torch.Generator().manual_seed(0)
    >>> cells, others = torch.zeros(1, 2, FINE, 90), torch.zeros(1, 2, FINE, 60)
    >>> others[0, :, 30] = torch.randn(2, 60, generator=random)
    >>> cells[0, :, 7, 20:80] = others[0, :, 30]
    >>> found = shared_scores(over_areas(cells), over_areas(others), range(-20, 60), torch.tensor(3.0))
    >>> found.shape, int(found.sum(dim=1).argmax()) - 20
    (torch.Size([1, 2, 80]), 20)
    """
    one, other = unit(areas.float()), unit(others.float())
    found = []
    for answers, own, inside in each_spell(_answers_of_all(one, other, sharp), one.shape[3], lags):
        anybody = torch.logsumexp(answers, dim=1) - math.log(answers.shape[1])  # (B, N)
        found.append(above_usual(anybody.index_select(1, own), inside))
    return torch.stack(found, dim=1)


def over_areas(cells: Tensor) -> Tensor:
    """Answers (B, P, C, T) of either grid's cells added up over the twelve areas of a picture: (B, P, 12, T)."""
    rows, columns = next(shape for shape in SHAPES.values() if math.prod(shape) == cells.shape[2])
    grid = cells.unflatten(2, (AREAS[0], rows // AREAS[0], AREAS[1], columns // AREAS[1]))
    return grid.sum(dim=(3, 5)).flatten(2, 3)


def each_spell(every: Iterable[Tensor], length: int, lags: range) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """For each spell its answers (B, C, N), where in them those to each lag are (L,), and which lags have any (L,).

    One at a time: all at once would fill the memory. `length`: samples of the recording that answers.
    """
    for spell, answers in enumerate(every):
        own = torch.arange(lags.start, lags.stop, device=answers.device) + spell * SPELL
        yield answers, own % answers.shape[2], (own > -SPELL) & (own < length)


def above_usual(scores: Tensor, inside: Tensor) -> Tensor:
    """Scores (B, L) less their mean over the lags that have an answer, so that chance adds up to nothing."""
    scores = scores * inside
    return (scores - scores.sum(dim=1, keepdim=True) / inside.sum().clamp(min=1)) * inside


def a_spell_later(where: Tensor, stay: float = STAY, near: float = NEXT) -> Tensor:
    """Where people are who were in these cells a spell ago: shares (B, C, L) to the same, at a person's pace.

    Most stay, some go to a cell nearby, a few anywhere. The product with `paces`, without its many zeros.

    >>> where = torch.rand(1, FINE, 1)
    >>> bool(torch.allclose(a_spell_later(where)[0, :, 0], where[0, :, 0] @ paces(), atol=1e-5))
    True
    """
    down, across = (_nearby(count).to(where) for count in (FINE_ROWS, FINE_COLUMNS))
    others = (down.sum(dim=0)[:, None] * across.sum(dim=0)).flatten()[:, None] - 1  # cells nearby, (C, 1)
    each = where / others
    around = torch.einsum("rs,cd,brcl->bsdl", down, across, each.unflatten(1, (FINE_ROWS, FINE_COLUMNS)))
    anywhere = where.sum(dim=1, keepdim=True) / FINE
    return stay * where + near * (around.flatten(1, 2) - each) + (1 - stay - near) * anywhere


def paces(stay: float = STAY, near: float = NEXT) -> Tensor:
    """How likely somebody in one cell of the fine grid is in another a spell later, (C, C); rows add up to 1.

    >>> float(paces().diagonal().min()) > 0.9
    True
    """
    both = torch.kron(_nearby(FINE_ROWS), _nearby(FINE_COLUMNS)) - torch.eye(FINE)
    beside = both / both.sum(dim=1, keepdim=True)
    return stay * torch.eye(FINE) + near * beside + (1 - stay - near) / FINE


def _nearby(count: int) -> Tensor:
    """1 where two rows (or columns) are the same or near each other, (N, N)."""
    place = torch.arange(count)
    return ((place[:, None] - place).abs() <= NEARBY).float()


def who_answers(cells: Tensor, asks: Tensor, lag: Tensor, sharp: Tensor) -> Tensor:
    """The share of each cell in each spell at one lag (B,): where the wearer is, (B, K, C).

    >>> cells, asks = torch.zeros(1, 2, FINE, 90), torch.randn(1, 2, 60, generator=torch.Generator().manual_seed(0))
    >>> cells[0, :, 7, 20:80] = asks[0]
    >>> who_answers(cells, asks, torch.tensor([20]), torch.tensor(9.0))[0].argmax(dim=1).tolist()
    [7, 7]
    """
    found = []
    for spell, answers in enumerate(every_answer(cells, asks, sharp)):
        own = lag + spell * SPELL
        inside = (own > -SPELL) & (own < cells.shape[3])
        place = (own % answers.shape[2])[:, None, None].expand(-1, cells.shape[2], 1)
        found.append(answers.gather(2, place)[..., 0] * inside[:, None])
    return torch.stack(found, dim=1).softmax(dim=2)


def every_answer(cells: Tensor, asks: Tensor, sharp: Tensor) -> Iterator[Tensor]:
    """For each spell what every cell answers at every shift (B, C, N), negative shifts at the end.

    N is no smaller than all shifts at which a spell of a head camera meets the room camera's recording. There may be
    several times as many that ask as room cameras: the second to ask the first room camera is then the B-th of all.
    """
    spells, many = -(-asks.shape[2] // SPELL), len(asks) // len(cells)
    size = 1 << (cells.shape[3] + SPELL - 1).bit_length()
    # Frequencies first: the products over P are then matrix products, for which nothing has to be moved.
    spectra = torch.fft.rfft(cells.float(), size).permute(0, 3, 2, 1).contiguous()  # (B, F, C, P)
    asked = pad(asks.float(), (0, spells * SPELL - asks.shape[2])).unflatten(2, (spells, SPELL))  # (M · B, P, K, 30)
    asked = asked * (sharp / (SPELL * cells.shape[1]) ** 0.5)
    asked = torch.fft.rfft(asked, size).conj().unflatten(0, (many, -1)).permute(1, 4, 2, 3, 0)  # (B, F, P, K, M)
    for some in asked.resolve_conj().split(max(1, TOGETHER // many), dim=3):
        products = (spectra @ some.flatten(3)).unflatten(3, (-1, many)).permute(3, 4, 0, 2, 1)  # (K, M, B, C, F)
        yield from torch.fft.irfft(products.flatten(1, 2), size)


def _answers_of_all(one: Tensor, other: Tensor, sharp: Tensor) -> Iterator[Tensor]:
    """As `every_answer`, of every area of one picture to every area of the other: (B, A · A, N) for each spell."""
    spells = -(-other.shape[3] // SPELL)
    size = 1 << (one.shape[3] + SPELL - 1).bit_length()
    spectra = torch.fft.rfft(one.float(), size).permute(0, 3, 2, 1).contiguous()  # (B, F, A, P)
    asked = pad(other.float(), (0, spells * SPELL - other.shape[3])) * (sharp / (SPELL * one.shape[1]) ** 0.5)
    for some in asked.split(SPELL, dim=3):  # (B, P, A, 30)
        asking = torch.fft.rfft(some, size).conj().permute(0, 3, 1, 2).resolve_conj().contiguous()  # (B, F, P, A)
        yield torch.fft.irfft((spectra @ asking).permute(0, 2, 3, 1), size).flatten(1, 2)
