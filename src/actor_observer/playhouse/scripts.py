"""The scripts actors are given: three to seven household actions at one or two places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.playhouse.actions import ACTIONS, label_of

__all__ = ["Prop", "Script", "Step", "write_script"]


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


_UNITS: dict[str, list[str]] = {
    place: text.split()
    for place, text in {
        "counter": "cup pour food medicine wipe spray cook wash:plate wash:bowl dishes:plate door:cupboard:cup phone",
        "fridge": "door:refrigerator:bottle door:refrigerator:sandwich door:refrigerator:bowl",
        "table": "cup pour book phone food medicine wipe spray box bag write fold:towel picture laptop dishes:bowl"
        " fold:clothes fold:blanket",
        "desk": "laptop write book phone cup lamp medicine box picture",
        "sofa": "remote book phone pillow cup food fold:blanket laptop",
        "bed": "fold:blanket fold:clothes pillow bag box fold:towel",
        "shelf": "book picture box cup lamp phone",
        "window": "sight:window pane cup phone spray book",
        "dresser": "sight:mirror picture medicine lamp fold:clothes box phone",
        "wardrobe": "door:closet:clothes door:closet:bag door:closet:towel door:closet:box",
        "entry": "shoe bag phone fold:clothes",
        "doorway": "through phone bag",
    }.items()
}
_FLOOR = ("broom", "mop")
_STANDING_FLOOR = ("counter", "fridge", "window", "bed", "shelf", "doorway", "dresser")


def _unit(name: str, rng: np.random.Generator) -> list[tuple[str, str, str]]:
    """The actions of a unit as (verb, thing, into)."""
    head, *rest = name.split(":")
    small = str(rng.choice(["phone", "cup", "book", "medicine"]))
    match head:
        case "cup" | "phone" | "medicine" | "remote" | "picture" | "pillow" | "spray" | "shoe":
            verb = {"cup": "drink", "remote": "watch", "spray": "spray", "shoe": "shoes", "pillow": "hug"}.get(head, "")
            verb = verb or (
                str(rng.choice(["text", "talk"]))
                if head == "phone"
                else {"medicine": "medicine", "picture": "look"}[head]
            )
            return [("take", head, ""), (verb, head, ""), *([] if head == "shoe" else [("put", head, "")])]
        case "food":
            return [("take", "sandwich", ""), ("eat", "sandwich", ""), ("put", "sandwich", "")]
        case "book":
            return [
                ("take", "book", ""),
                ("open", "book", ""),
                ("read", "book", ""),
                ("close", "book", ""),
                ("put", "book", ""),
            ]
        case "pour":
            drink = [("take", "cup", ""), ("drink", "cup", "")] if rng.random() < 0.5 else []
            return [("take", "bottle", ""), ("pour", "bottle", ""), ("put", "bottle", ""), *drink]
        case "wipe":
            return [("take", "cloth", ""), ("wipe", "cloth", ""), ("put", "cloth", "")]
        case "pane":
            return [("take", "cloth", ""), ("pane", "cloth", ""), ("put", "cloth", "")]
        case "wash" | "dishes":
            middle = [("wash", rest[0], "")] if head == "wash" else [("hold", rest[0], "")]
            return [("take", rest[0], ""), *middle, ("put", rest[0], "")]
        case "box" | "bag":
            return [("open", head, ""), ("take", small, ""), ("put", small, head), ("close", head, "")]
        case "write" | "cook" | "lamp":
            return [
                {"write": ("write", "notebook", ""), "cook": ("cook", "pan", ""), "lamp": ("switch", "lamp", "")}[head]
            ]
        case "laptop":
            return [("open", "laptop", ""), ("type", "laptop", ""), ("close", "laptop", "")]
        case "fold":
            return [("fold", rest[0], "")]
        case "sight":
            return [("window" if rest[0] == "window" else "mirror", rest[0], "")]
        case "through":
            return [("open", "door", ""), ("close", "door", "")]
        case "door":
            use = {"cup": "drink", "bottle": "drink", "sandwich": "eat"}.get(rest[1], "hold")
            return [("open", rest[0], ""), ("take", rest[1], ""), ("close", rest[0], ""), (use, rest[1], "")]
        case "broom" | "mop":
            return [("take", head, ""), ("sweep", head, ""), ("put", head, "")]
    raise ValueError(f"no unit {name}")


def _draft(
    places: tuple[str, ...], seats: dict[str, bool], rng: np.random.Generator
) -> tuple[list[tuple[str, str, str, int]], bool]:
    """A sequence of (verb, thing, into, place), with the sitting, standing and walking that it needs."""
    steps: list[tuple[str, str, str, int]] = []
    seated_start = sitting = False
    for number, place in enumerate(places):
        if number:
            if sitting:
                steps.append(("stand", "", "", number - 1))
            steps.append(("walk", "", "", number))
            sitting = False
        if seats[place] and (place in ("sofa", "entry") or rng.random() < 0.6):
            if number == 0 and rng.random() < 0.5:
                seated_start = True
            else:
                steps.append(("sit", "", "", number))
            sitting = True
        floor = place in _STANDING_FLOOR and not sitting and rng.random() < 0.12
        units = [*_UNITS[place], *([str(rng.choice(_FLOOR))] if floor else [])]
        count = min(len(units), 1 + int(rng.random() < (0.35 if len(places) > 1 else 0.8)))
        for name in rng.choice(units, size=count, replace=False):
            steps += [(*step, number) for step in _unit(str(name), rng)]
    if sitting and rng.random() < 0.4:
        steps.append(("stand", "", "", len(places) - 1))
    return steps, seated_start


def _sound(steps: list[tuple[str, str, str, int]]) -> bool:
    """Whether no action comes twice and no hand is asked to hold two things."""
    if len({label_of(*step[:2]) for step in steps}) < len(steps):
        return False
    held = ""
    for verb, thing, _, _ in steps:
        if verb == "take" and held:
            return False
        if (
            held
            and verb in ("open", "close", "type", "write", "fold", "cook", "switch", "mirror", "stand", "sit")
            and thing != held
        ):
            return verb in ("stand", "sit", "close") and held not in ("broom", "mop") and verb != "fold"
        held = thing if verb == "take" else "" if verb in ("put", "shoes") else held
    return True


def _props(steps: list[tuple[str, str, str, int]], rng: np.random.Generator) -> tuple[Prop, ...]:
    """What the steps handle, spread over the surfaces so that nothing stands in anything else."""
    needed: dict[str, tuple[int, str]] = {}
    door = ""
    for verb, thing, _, place in steps:
        door = thing if verb == "open" and thing in ("refrigerator", "cupboard", "closet") else door
        if not thing or thing in ("refrigerator", "cupboard", "closet", "door", "window", "mirror"):
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


_WIDE = ("laptop", "towel", "blanket", "clothes", "box", "bag", "notebook", "pan", "pillow", "picture")


def write_script(kinds: frozenset[str], rng: np.random.Generator, seconds: tuple[float, float]) -> Script:
    """A script for a home that has these kinds of places, of about so many seconds.

    >>> script = write_script(frozenset({"desk", "window"}), np.random.default_rng(1), (20.0, 38.0))
    >>> 3 <= len(script.steps) <= 7
    True
    """
    seats = {kind: kind in ("table", "desk", "sofa", "entry") for kind in _UNITS}
    for _ in range(10_000):
        count = 1 if rng.random() < 0.3 else 2
        places = tuple(str(kind) for kind in rng.permutation(sorted(kinds & set(_UNITS)))[:count])
        steps, seated = _draft(places, seats, rng)
        if not 3 <= len(steps) <= 7 or not _sound(steps):
            continue
        props = _props(steps, rng)
        if sum(prop.kind in _WIDE and not prop.inside for prop in props if prop.place == 0) > 1:
            continue
        if sum(prop.kind in _WIDE and not prop.inside for prop in props if prop.place == 1) > 1:
            continue
        goal = rng.uniform(*seconds)
        fixed = sum(ACTIONS[label_of(verb, thing)].seconds for verb, thing, _, _ in steps)
        stroke = [ACTIONS[label_of(verb, thing)].stroke for verb, thing, _, _ in steps]
        extra = (goal - fixed) / max(1e-9, sum(stroke))
        if not 1.6 <= extra <= 8.0:
            continue
        done = [
            Step(
                verb,
                thing,
                place,
                max(2, round(extra * float(rng.uniform(0.75, 1.25)))) if stroke[i] else 0,
                int(rng.integers(2**31)),
                into,
            )
            for i, (verb, thing, into, place) in enumerate(steps)
        ]
        return Script(places, props, tuple(done), seated)
    raise ValueError(f"no script fits {sorted(kinds)} in {seconds} seconds")
