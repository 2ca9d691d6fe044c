"""Different-person pairs: one actor's first-person take with another actor's third-person take of the same script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair, Take
from actor_observer.pairs.splits import same_script, seeded_order

__all__ = ["different_person_pair", "pairs_across_people"]

MOST_PARTNERS = 4  # per first-person take: a script that everybody performs would otherwise outnumber all others


def different_person_pair(third: Take, first: Take) -> Pair:
    """A pair of takes of two people; nothing is known about their timing, so lengths are scaled."""
    return Pair(
        f"{third.id}+{first.id}", third.id, first.id, Clock.scaled(third.length, first.length), same_person=False
    )


def pairs_across_people(takes: Mapping[str, Take], seed: int, settled: Collection[str] = ()) -> list[Pair]:
    """Pairs of takes that share a script across subjects; first-person takes in `settled` already have a partner.

    The partner is in the same split, or in none because it was kept out of training for having the same script.

    >>> from pathlib import Path
    >>> third = Take("a", "third", Path("a.mp4"), 20.0, subject="ann", script="pour tea", split="test")
    >>> first = Take("b", "first", Path("b.mp4"), 25.0, subject="bob", script="Pour tea", split="test")
    >>> [(pair.id, pair.same_person) for pair in pairs_across_people({"a": third, "b": first}, seed=0)]
    [('a+b', False)]
    """
    observers: defaultdict[str, list[Take]] = defaultdict(list)
    for take in takes.values():
        if take.view == "third" and take.subject and take.script:
            observers[same_script(take.script)].append(take)
    pairs = []
    for take in takes.values():
        if take.view != "first" or not take.subject or take.id in settled or take.split is None:
            continue
        others = {
            other.subject: other
            for other in observers.get(same_script(take.script), ())
            if other.subject != take.subject and other.split in (take.split, None)
        }
        chosen = seeded_order(others, seed)[:MOST_PARTNERS]
        pairs += [different_person_pair(others[subject], take) for subject in chosen]
    return pairs
