"""Splits into training, validation and test data: by person, and reproducible from a seed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from actor_observer.console import counted
from actor_observer.pairs.manifest import SPLITS, Pair, Split, Take

__all__ = ["same_script", "seeded_order", "split_pairs", "split_takes"]

SHARES: dict[Split, float] = {"train": 0.7, "validation": 0.1, "test": 0.2}  # where a data set names no split
FEWEST_SUBJECTS = 5  # with fewer, a split by subject would depend on one or two people
_NAMELESS = "?"  # begins the name of a group of takes without a subject
# Takes that share somebody get the strictest of their splits.
_STRICTNESS = {None: -1, "train": 0, "validation": 1, "test": 2}

Takes = dict[str, Take]


def seeded_order(names: Iterable[str], seed: int) -> list[str]:
    """The names in an order that depends only on the seed, not on which other names there are.

    >>> seeded_order(["ann", "bob", "cy"], seed=0) == seeded_order(["cy", "bob", "ann"], seed=0)
    True
    """
    return sorted(set(names), key=lambda name: hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest())


def same_script(script: str) -> str:
    """A script's text without differences in case and spaces, which do not make it another script.

    >>> same_script("A person  pours Tea. ") == same_script("a person pours tea.")
    True
    """
    return " ".join(script.split()).casefold()


def split_takes(
    takes: Mapping[str, Take],
    pairs: Sequence[tuple[str, str]],
    seed: int,
    by_subject: Mapping[str, Split] | None = None,
) -> tuple[Takes, list[str]]:
    """Every take with its split, and a line for each decision that the user should know about.

    `by_subject` fixes the split of some subjects. If no take has a split, they get a seeded 70/10/20 one. If there are
    only train and test, a validation split is held out of train by subject and by script.
    """
    takes = {id: replace(t, split=(by_subject or {}).get(t.subject, t.split)) for id, t in takes.items()}
    splits = Counter(take.split for take in takes.values())
    if splits.keys() == {None}:
        return _split_everything(takes, seed)
    notes = []
    if splits[None]:
        notes.append(f"{counted(splits[None], 'take')} without a split: not used")
    if not splits["validation"] and splits["train"]:
        takes, more = _hold_out_validation(takes, pairs, seed)
        notes += more
    return takes, notes


def split_pairs(takes: Takes, pairs: Iterable[Pair]) -> tuple[Takes, list[Pair], list[str]]:
    """Pairs with their split, which is that of both takes.

    A third-person take of another actor moves to the split of the pair that needs it, to the strictest of them (test
    before validation before train), so that nothing is both trained and tested on. A pair between two splits has none.
    """
    takes, pairs = dict(takes), list(pairs)
    for pair in pairs:
        third, first = takes[pair.third], takes[pair.first]
        if not pair.same_person and _STRICTNESS[first.split] > _STRICTNESS[third.split]:
            takes[third.id] = replace(third, split=first.split)
    settled = []
    for pair in pairs:
        third, first = takes[pair.third], takes[pair.first]
        settled.append(replace(pair, split=first.split if first.split == third.split else None))
    between = sum(pair.split is None for pair in settled)
    return takes, settled, [f"{counted(between, 'pair')} between two splits: not used"] if between else []


def _split_everything(takes: Takes, seed: int) -> tuple[Takes, list[str]]:
    subjects = {take.subject for take in takes.values() if take.subject}
    by_person = len(subjects) >= FEWEST_SUBJECTS
    by_event = not by_person and _few_scripts(takes.values())
    group = _person if by_person else _event if by_event else _script
    split_of = _deal(Counter(group(take) for take in takes.values()), seed)
    kind = "subject" if by_person else "event" if by_event else "script"
    few = f"fewer than {FEWEST_SUBJECTS}"
    why = "" if by_person else f" ({few} subjects{f', {few} scripts' if by_event else ''})"
    counts = Counter(split for name, split in split_of.items() if not _is_nameless(name))
    parts = ", ".join(f"{counts[split]} {split}" for split in SPLITS)
    note = f"no split column: split by {kind}{why}, seed {seed}: {parts} {kind}s"
    takes = {id: replace(take, split=split_of[group(take)]) for id, take in takes.items()}
    return takes, [note, *(_about_nameless(takes.values()) if by_person else [])]


def _deal(sizes: Counter[str], seed: int) -> dict[str, Split]:
    """Deal groups to test, then validation, then train, in seeded order, with the largest groups last."""
    order = seeded_order(sizes, seed)
    order.sort(key=lambda name: sizes[name] > SHARES["test"] * sizes.total())
    ends = np.cumsum([sizes[name] for name in order]) / sizes.total()
    test, held = (
        int((ends <= share + 1e-9).sum()) for share in (SHARES["test"], SHARES["test"] + SHARES["validation"])
    )
    if len(order) > 1:
        test = min(max(1, test), len(order) - 1)
        held = min(max(test + 1, held), len(order) - 1)  # two groups leave none for validation
    splits: list[Split] = ["test" if n < test else "validation" if n < held else "train" for n in range(len(order))]
    return dict(zip(order, splits, strict=True))


def _hold_out_validation(takes: Takes, pairs: Sequence[tuple[str, str]], seed: int) -> tuple[Takes, list[str]]:
    train = {id: take for id, take in takes.items() if take.split == "train"}
    seen = [train[first] for third, first in pairs if third in train and first in train] or list(train.values())
    group = _person if len({_person(take) for take in seen}) > 1 else _script
    kind = "subject" if group is _person and any(take.subject for take in seen) else "script"
    chosen = _about_a_tenth(Counter(group(take) for take in seen), seed)
    if not chosen:
        return takes, ["training takes have one subject and one script: no validation split can be held out"]
    scripts = {same_script(t.script) for t in train.values() if group(t) in chosen and t.script}
    result, held_back = dict(takes), 0
    for id, take in train.items():
        if group(take) in chosen:
            result[id] = replace(take, split="validation")
        elif same_script(take.script) in scripts:
            result[id] = replace(take, split=None)
            held_back += 1
    count = sum(kind == "script" or not _is_nameless(name) for name in chosen)
    note = f"validation: {count} of the training {kind}s held out, seed {seed}"
    note += f"; {counted(held_back, 'take')} of other people with the same scripts not used" if held_back else ""
    return result, [note, *_about_nameless(train.values())]


def _about_a_tenth(sizes: Counter[str], seed: int) -> set[str]:
    """Groups in seeded order until they make up a tenth, skipping any that would add far too much."""
    if len(sizes) < 2:
        return set()
    target = SHARES["validation"] * sizes.total()
    chosen: set[str] = set()
    total = 0
    for name in seeded_order(sizes, seed):
        if total < target and total + sizes[name] <= 1.5 * target:
            chosen.add(name)
            total += sizes[name]
    return chosen or {min(seeded_order(sizes, seed), key=lambda name: sizes[name])}


def _person(take: Take) -> str:
    """Who acts; for a take that does not say, a name of its own for its script."""
    return take.subject or _NAMELESS + _script(take)


def _is_nameless(group: str) -> bool:
    return group.startswith(_NAMELESS)


def _about_nameless(takes: Iterable[Take]) -> list[str]:
    """A warning where takes do not say who acts: they cannot be held out by person."""
    nameless = sum(not take.subject for take in takes)
    if not nameless:
        return []
    return [f"{counted(nameless, 'take')} without a subject, split by script or clip: one person may be on both sides"]


def _few_scripts(takes: Iterable[Take]) -> bool:
    """Whether takes know their events, and too few scripts to split them by: a robot that does one task all day."""
    takes = list(takes)
    return all(take.event for take in takes) and len({_script(take) for take in takes}) < FEWEST_SUBJECTS


def _event(take: Take) -> str:
    return take.event


def _script(take: Take) -> str:
    return (
        same_script(take.script)
        or take.event
        or take.id.removesuffix("EGO").removesuffix(".first").removesuffix(".third")
    )
