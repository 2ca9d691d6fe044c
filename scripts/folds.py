"""Judge a small set in folds by person: each pair by a network that learned from other people, all in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.evaluate import Judged
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs.manifest import Fault, Manifest, Split

__all__ = ["all_tested", "folds_by_person", "pooled"]


def folds_by_person(manifest: Manifest, count: int, seed: int = 0) -> list[Manifest]:
    """The data `count` times: each time other people make up the test split, and everybody else the training split.

    Every pair of one person is tested exactly once. Other takes and pairs are left out; nobody validates.

    >>> from pathlib import Path
    >>> from actor_observer.pairs import Clock, Pair, Take
    >>> from actor_observer.pairs.manifest import VIEWS
    >>> takes = {who + view: Take(who + view, view, Path("a"), 9.0, who) for who in "AB" for view in VIEWS}
    >>> pairs = tuple(Pair(who, f"{who}third", f"{who}first", Clock.scaled(9.0, 9.0)) for who in "AB")
    >>> [[pair.id for pair in fold.of("test").pairs] for fold in folds_by_person(Manifest(takes, pairs), 2)]
    [['B'], ['A']]
    """
    pairs = [pair for pair in manifest.pairs if pair.same_person]
    who = {pair.id: manifest.takes[pair.third].subject for pair in pairs}
    people = sorted(set(who.values()))
    if not 2 <= count <= len(people) or "" in people:
        known = "some takes name nobody" if "" in people else f"there are {len(people)} people"
        raise UserError(f"{count} folds by person: {known}; each fold needs a person of its own, and two are the least")
    dealt = np.array_split(np.random.RandomState(seed).permutation(people), count)

    def fold(tested: set[str]) -> Manifest:
        split: dict[str, Split] = {pair.id: "test" if who[pair.id] in tested else "train" for pair in pairs}
        taken = [(id, pair) for pair in pairs for id in (pair.third, pair.first)]
        takes = {id: replace(manifest.takes[id], split=split[pair.id]) for id, pair in taken}
        return replace(manifest, takes=takes, pairs=tuple(replace(pair, split=split[pair.id]) for pair in pairs))

    return [fold(set(part.tolist())) for part in dealt]


def all_tested(folds: Sequence[Manifest]) -> Manifest:
    """The test splits of all folds as one."""
    parts = [fold.of("test") for fold in folds]
    takes = {id: take for part in parts for id, take in part.takes.items()}
    return replace(folds[0], takes=takes, pairs=tuple(pair for part in parts for pair in part.pairs))


def pooled(folds: Sequence[Judged]) -> Judged:
    """What was embedded in each fold as one: a row is a way to learn, its takes each by the network of their own fold.

    Only what is measured within a pair may be judged so: two folds are two spaces.
    """
    faults = dict[str, Fault]()
    own: dict[str, dict[str, TakeEmbedding]] = {method.name: {} for fold in folds for method in fold.methods}
    for fold in folds:
        faults |= fold.faults
        for method in fold.methods:
            own[method.name] |= method.embeddings
    temporal = {method.name: method.temporal for fold in folds for method in fold.methods}
    return Judged(tuple(Method(name, Embeddings(takes), temporal[name]) for name, takes in own.items()), faults)
