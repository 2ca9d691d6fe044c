"""The scripts actors are given: three to seven household actions at one or two places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.playhouse.acting.scripting.actions import ACTIONS, label_of
from actor_observer.playhouse.acting.scripting.units import AT_PLACE, FLOOR_PLACES, FLOOR_UNITS, SEATS, play_unit

__all__ = ["Prop", "Script", "Step", "within_reach", "write_script"]


@dataclass(frozen=True)
class Step:
    """One action: what is done, with what, at which of the script's places."""

    verb: str
    thing: str  # kind of object, name of a door or sight, or ""
    place: int
    strokes: int  # how often the small motion inside is made
    seed: int  # of the free choices that every performance of the script shares
    into: str = ""  # container that a thing is put into

    @property
    def label(self) -> str:
        return label_of(self.verb, self.thing)

    def rng(self) -> np.random.Generator:
        """For the free choices that every performance of the script makes alike."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Prop:
    """An object the script needs, and where it stands at the start."""

    kind: str
    place: int
    spot: tuple[float, float]  # sideways -1 … 1 (towards the dominant hand), depth 0 … 1
    inside: str = ""  # behind this door of the place


@dataclass(frozen=True)
class Script:
    """What is played, whoever plays it and wherever."""

    places: tuple[str, ...]
    props: tuple[Prop, ...]
    steps: tuple[Step, ...]
    seated: bool  # at the start

    @property
    def text(self) -> str:
        """The script as a sentence, as Charades has it."""
        parts = [ACTIONS[step.label].phrase(step.thing, step.into) for step in self.steps]
        where = {place: f" at the {place}" for place in self.places}
        parts[0] += where[self.places[self.steps[0].place]]
        return f"A person is {', then '.join(parts)}."


def within_reach(script: Script) -> bool:
    """Whether everything is at hand where it is used. Scripts of older sets now and then reach across the room."""
    where, held = {prop.kind: prop.place for prop in script.props}, ""
    for step in script.steps:
        if step.thing in where and step.thing != held and where[step.thing] != step.place:
            return False
        held = step.thing if step.verb == "take" else "" if step.verb in ("put", "shoes") else held
        if step.verb == "put":
            where[step.thing] = step.place
    return True


Draft = tuple[str, str, str, int]  # verb, thing, into, place
_BUSY = ("take", "open", "type", "write", "fold", "cook", "wash", "switch", "mirror", "pour")  # need empty hands
_DOORS = ("refrigerator", "cupboard", "closet")  # which a hand can close while the other holds something
_WIDE = ("laptop", "towel", "blanket", "clothes", "box", "bag", "notebook", "pan", "pillow", "picture")


def _draft(places: tuple[str, ...], rng: np.random.Generator) -> tuple[list[Draft], bool]:
    """A sequence of actions, with the sitting, standing and walking that it needs."""
    steps: list[Draft] = []
    seated_start = sitting = False
    for number, place in enumerate(places):
        if number:
            if sitting:
                steps.append(("stand", "", "", number - 1))
            steps.append(("walk", "", "", number))
            sitting = False
        if place in SEATS and (place in ("sofa", "entry") or rng.random() < 0.6):
            if number == 0 and rng.random() < 0.5:
                seated_start = True
            else:
                steps.append(("sit", "", "", number))
            sitting = True
        floor = place in FLOOR_PLACES and not sitting and rng.random() < 0.12
        units = [*AT_PLACE[place], *([str(rng.choice(FLOOR_UNITS))] if floor else [])]
        count = min(len(units), 1 + int(rng.random() < (0.35 if len(places) > 1 else 0.8)))
        for name in rng.choice(units, size=count, replace=False):
            steps += [(*step, number) for step in play_unit(str(name), rng)]
    if sitting and rng.random() < 0.4:
        steps.append(("stand", "", "", len(places) - 1))
    return steps, seated_start


def _sound(steps: list[Draft]) -> bool:
    """Whether no action comes twice and no hand is asked to do two things."""
    if len({label_of(*step[:2]) for step in steps}) < len(steps):
        return False
    held = ""
    for verb, thing, _, _ in steps:
        if held and thing != held and (verb in _BUSY or (verb == "close" and thing not in _DOORS)):
            return False
        held = thing if verb == "take" else "" if verb in ("put", "shoes") else held
    return True


def _props(steps: list[Draft], rng: np.random.Generator) -> tuple[Prop, ...]:
    """What the steps handle, spread over the surfaces so that nothing stands in anything else."""
    needed: dict[str, tuple[int, str]] = {}
    door = ""
    for verb, thing, _, place in steps:
        door = thing if verb == "open" and thing in _DOORS else door
        if not thing or thing in (*_DOORS, "door", "window", "mirror"):
            continue
        needed.setdefault(thing, (place, door if verb == "take" else ""))
        for also in {"pour": ["cup"], "write": ["pen"], "cook": ["spoon"], "wash": ["sponge"]}.get(verb, []):
            needed.setdefault(also, (place, ""))
    large = [kind for kind in needed if kind in _WIDE]
    props = []
    lanes = {place: list(rng.permutation([0.75, -0.75, 0.3, -0.3])) for place in (0, 1)}
    for kind in [*large, *(kind for kind in needed if kind not in _WIDE)]:
        place, inside = needed[kind]
        lane = 0.0 if kind in _WIDE else (lanes[place] or [0.0]).pop(0)
        props.append(Prop(kind, place, (float(lane + rng.normal(0, 0.06)), float(rng.uniform(0.1, 0.9))), inside))
    return tuple(props)


def write_script(kinds: frozenset[str], rng: np.random.Generator, seconds: tuple[float, float]) -> Script:
    """A script for a home that has these kinds of places, of about so many seconds.

    >>> script = write_script(frozenset({"desk", "window"}), np.random.default_rng(1), (20.0, 38.0))
    >>> 3 <= len(script.steps) <= 7
    True
    """
    for _ in range(10_000):
        places = tuple(str(kind) for kind in rng.permutation(sorted(kinds))[: 1 if rng.random() < 0.3 else 2])
        steps, seated = _draft(places, rng)
        if not 3 <= len(steps) <= 7 or not _sound(steps):
            continue
        props = _props(steps, rng)
        wide = [prop.place for prop in props if prop.kind in _WIDE and not prop.inside]
        if len(set(wide)) < len(wide):  # a surface has room for one
            continue
        strokes = _strokes(steps, float(rng.uniform(*seconds)), rng)
        if strokes is None:
            continue
        seeds = rng.integers(2**31, size=len(steps))
        done = [
            Step(verb, thing, place, count, int(seed), into)
            for (verb, thing, into, place), count, seed in zip(steps, strokes, seeds, strict=True)
        ]
        return Script(places, props, tuple(done), seated)
    raise ValueError(f"no script fits {sorted(kinds)} in {seconds} seconds")


def _strokes(steps: list[Draft], seconds: float, rng: np.random.Generator) -> list[int] | None:
    """How often each action repeats its small motion to fill the time; None if that would look odd."""
    classes = [ACTIONS[label_of(verb, thing)] for verb, thing, _, _ in steps]
    room = seconds - sum(item.seconds for item in classes)
    each = room / max(1e-9, sum(item.stroke for item in classes))
    if not 1.6 <= each <= 8.0:
        return None
    return [max(2, round(each * float(rng.uniform(0.75, 1.25)))) if item.stroke else 0 for item in classes]
