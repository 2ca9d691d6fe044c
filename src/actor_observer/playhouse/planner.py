"""Plan a set: which scripts, who plays them where, and which takes belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from actor_observer.pairs.manifest import SPLITS, Split, View
from actor_observer.playhouse.acting.actors import Actor, cast_of
from actor_observer.playhouse.acting.scripting.scripts import Script, within_reach, write_script
from actor_observer.playhouse.free_plan import loosen
from actor_observer.playhouse.home.homes import Layout, layouts_of
from actor_observer.playhouse.set_plan import PairPlan, SetPlan, TakePlan

__all__ = ["LOOKS", "SECONDS", "Planner", "Tempo", "counts_of", "plan_set", "plan_together"]

DRESSES, LOOKS = 6, 40  # of each layout; of the objects in each split
Tempo = Literal["free", "steady"]
# Of a script's actions, by the book. Free performances also take their time before, between and after them.
SECONDS: dict[Tempo, tuple[float, float]] = {"free": (14.0, 22.0), "steady": (19.0, 31.0)}


def counts_of(pairs: int, shares: tuple[float, float, float]) -> dict[Split, int]:
    """How many pairs each split gets; with at least three pairs no split is empty.

    >>> counts_of(20, (0.7, 0.1, 0.2))
    {'train': 14, 'validation': 2, 'test': 4}
    """
    held = [max(round(pairs * share), int(pairs > 2)) for share in shares[1:]]
    return dict(zip(SPLITS, (pairs - sum(held), *held), strict=True))


def _id(rng: np.random.Generator, used: set[str]) -> str:
    """An id of five letters and digits, as in Charades."""
    while True:
        name = "".join(rng.choice(list("ABCDFGHJKLMNPQRSTVWXYZ0123456789"), 5))
        if name not in used and not name.endswith("EGO"):
            used.add(name)
            return name


class Planner:
    """Draws scripts one after the other, so that no two of a set are the same."""

    def __init__(self, seed: int, fps: float, seconds: tuple[float, float], within_reach: bool = False) -> None:
        self.seed, self.fps, self.seconds, self.within_reach = seed, fps, seconds, within_reach
        self.ids: set[str] = set()
        self.texts: set[str] = set()
        self.count = 0

    def script(self, rng: np.random.Generator, split: Split) -> tuple[Script, Layout, Layout]:
        """A new script, and two homes that can stage it."""
        for _ in range(1000):
            room = layouts_of(split)[int(rng.integers(len(layouts_of(split))))]
            others = [other for other in layouts_of(split) if other != room and len(other.kinds & room.kinds) > 1]
            other = others[int(rng.integers(len(others)))]
            script = write_script(room.kinds & other.kinds, rng, self.seconds)
            if script.text not in self.texts and (within_reach(script) or not self.within_reach):
                self.texts.add(script.text)
                return script, room, other
        raise ValueError(f"no new script found for {split} after {len(self.texts)}")

    def take(
        self, rng: np.random.Generator, view: View, split: Split, script: Script, room: Layout, actor: Actor
    ) -> TakePlan:
        looks = 1000 * SPLITS.index(split) + int(rng.integers(LOOKS))
        self.count += 1
        seed = (self.seed, self.count)
        return TakePlan(
            _id(rng, self.ids),
            view,
            split,
            script,
            actor.name,
            room.name,
            int(rng.integers(DRESSES)),
            looks,
            (*seed, 1),
            (*seed, 2),
            self.fps,
        )

    def pair(self, rng: np.random.Generator, split: Split, different: bool) -> PairPlan:
        script, room, other = self.script(rng, split)
        actor, stranger = (cast_of(split)[int(i)] for i in rng.permutation(len(cast_of(split)))[:2])
        third = self.take(rng, "third", split, script, room, actor)
        self.count += 1
        seed = (self.seed, self.count)
        first = replace(third, id=third.id + "EGO", view="first", performance=(*seed, 1), filming=(*seed, 2))
        return PairPlan(third, first, self.take(rng, "third", split, script, other, stranger) if different else None)


def plan_set(
    pairs: int,
    seed: int,
    *,
    fps: float = 12.0,
    labelled: int = 0,
    seconds: tuple[float, float] | None = None,
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
    different: tuple[Split, ...] = SPLITS,
    tempo: Tempo = "free",
) -> SetPlan:
    """Plan weakly paired takes in the form of Charades-Ego.

    In `free` tempo the two performances of a pair differ as people's do (free_plan.py); `steady` ones, those of older
    sets, do the same in the same order at nearly the same pace. `seconds` are of a script's actions, by the book.

    >>> plan = plan_set(pairs=5, seed=0, labelled=2)
    >>> len(plan.pairs), len(plan.labelled), plan.pairs[0].first.id == plan.pairs[0].third.id + "EGO"
    (5, 2, True)
    """
    planner = Planner(seed, fps, seconds or SECONDS[tempo], within_reach=tempo == "free")
    rng = np.random.default_rng([seed, 101])
    made = [
        planner.pair(rng, split, split in different)
        for split, count in counts_of(pairs, shares).items()
        for _ in range(count)
    ]
    extra = []
    for number in range(labelled):
        cast = cast_of("train", labelled_only=True)
        script, room, _ = planner.script(rng, "train")
        extra.append(planner.take(rng, "third", "train", script, room, cast[number % len(cast)]))
    plan = SetPlan(tuple(made), tuple(extra))
    return loosen(plan, seed) if tempo == "free" else plan


def plan_together(
    pairs: int,
    seed: int,
    *,
    fps: float = 12.0,
    seconds: tuple[float, float] = (19.0, 31.0),
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
    rates: tuple[float, float] = (0.9, 1.1),
) -> SetPlan:
    """Plan pairs in which both cameras record one performance, each with its own start, rate and frame rate.

    `rates` is the range of the head camera's rate: seconds of its clock per second of the performance.

    >>> pair = plan_together(pairs=1, seed=0).pairs[0]
    >>> pair.third.performance == pair.first.performance, pair.third.fps != pair.first.fps
    (True, True)
    """
    planner, rng, made = Planner(seed, fps, seconds), np.random.default_rng([seed, 102]), []
    digits = 4 if rates[1] - rates[0] > 0.01 else 7  # of the rate: parts per million need more
    for split, count in counts_of(pairs, shares).items():
        for _ in range(count):
            pair = planner.pair(rng, split, different=False)
            late, rate = float(rng.uniform(2.0, 8.0)), round(float(rng.uniform(*rates)), digits)
            offsets = (0.0, round(late, 3)) if rng.random() < 0.5 else (round(late, 3), 0.0)
            third = replace(pair.third, offset=offsets[0], head=pair.first.filming)
            first = replace(
                pair.first, performance=third.performance, offset=offsets[1], rate=rate, fps=round(fps * 1.25, 3)
            )
            made.append(PairPlan(third, first))
    return SetPlan(tuple(made), (), together=True)
