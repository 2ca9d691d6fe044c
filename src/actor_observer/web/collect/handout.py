"""Which script a person gets next, so that every class occurs often enough and scripts are acted by two people."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Offer", "choose"]

SECOND_PERSON = 0.6  # what a script is worth that one other person has recorded: a pair across people
ENOUGH = 2  # people who record one script


@dataclass(frozen=True)
class Offer:
    """A script that could be handed out."""

    id: int
    classes: tuple[str, ...]
    people: int = 0  # who have recorded it, or are about to


def choose(
    offers: Sequence[Offer], recorded: Mapping[str, int], per_class: int, had: Collection[int], person: int
) -> int | None:
    """The script whose classes are furthest from `per_class` recordings; None where the person has had all.

    >>> offers = [Offer(1, ("c001",)), Offer(2, ("c002",))]
    >>> choose(offers, {"c001": 9, "c002": 1}, per_class=10, had=[], person=1)
    2
    >>> choose(offers, {}, per_class=10, had=[1, 2], person=1) is None
    True
    """
    open_to = [offer for offer in offers if offer.id not in had]
    fresh = [offer for offer in open_to if offer.people < ENOUGH] or open_to
    if not fresh:
        return None

    def worth(offer: Offer) -> tuple[float, bytes]:
        missing = sum(max(0, per_class - recorded.get(label, 0)) / per_class for label in offer.classes)
        bonus = SECOND_PERSON if offer.people == 1 else 0.0
        tie = hashlib.blake2b(f"{person}\0{offer.id}".encode(), digest_size=8).digest()
        return missing + bonus, tie

    return max(fresh, key=worth).id
