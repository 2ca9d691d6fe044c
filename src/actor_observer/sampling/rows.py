"""A batch as columns: what triplets, quads and labelled frames have in common."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows"]


@dataclass(frozen=True)
class Rows:
    """Arrays of one length, a row for each item; a slice, or numbers of rows, cuts all of them.

    >>> from actor_observer.sampling.labelled import Labelled
    >>> batch = Labelled(take=np.arange(4), time=np.zeros(4), label=np.arange(4))
    >>> len(batch), batch[1:3].label.tolist()
    (4, [1, 2])
    """

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Self:
        return type(self)(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))
