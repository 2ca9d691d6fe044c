"""In which order a script may be played: what is independent may change places, what is optional may be left out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from actor_observer.playhouse.acting.scripting.scripts import Script, Step

__all__ = ["draw_order"]

Order = tuple[int, ...]  # numbers of the script's steps
# Verbs that leave everything as it was: nothing that follows needs them.
_NEUTRAL = ("drink", "hold", "read", "text", "talk", "type", "look", "watch", "hug", "wipe", "pane", "spray", "sweep")
_MOVES = ("walk", "sit", "stand")
_ALSO = {"pour": "cup", "write": "pen", "cook": "spoon", "wash": "sponge"}
SWAPPED, LEFT_OUT = 0.75, 0.4  # how often an order that can be changed so is changed so


@dataclass(frozen=True)
class _Run:
    """Steps that belong together: hands are empty and everything is closed before and after."""

    steps: Order
    things: frozenset[str]
    place: int
    moves: bool  # sits, stands or walks


def draw_order(script: Script, rng: np.random.Generator) -> Order:
    """An order in which somebody may play the script: sometimes with parts in other places, or without some.

    >>> from actor_observer.playhouse.acting.scripting.scripts import write_script
    >>> script = write_script(frozenset({"desk", "window"}), np.random.default_rng(1), (20.0, 38.0))
    >>> set(draw_order(script, np.random.default_rng(0))) <= set(range(len(script.steps)))
    True
    """
    order = tuple(range(len(script.steps)))
    runs = _runs(script)
    ways = [way for way in (_places_swapped(script, runs), _runs_swapped(runs, rng)) if way]
    if ways and rng.random() < SWAPPED:
        order = ways[0]
    optional = _optional(script, runs)
    if optional and rng.random() < LEFT_OUT:
        gone = optional[int(rng.integers(len(optional)))]
        order = tuple(number for number in order if number not in gone)
    return order


def _things(step: Step) -> set[str]:
    return {step.thing, step.into, _ALSO.get(step.verb, "")} - {""}


def _runs(script: Script) -> list[_Run]:
    runs, open_now, began = [], set[str](), 0
    held = ""
    for number, step in enumerate(script.steps):
        if step.verb == "take":
            held = step.thing
        elif step.verb in ("put", "shoes"):
            held = ""
        elif step.verb == "open":
            open_now.add(step.thing)
        elif step.verb == "close":
            open_now.discard(step.thing)
        if not held and not open_now:
            steps = script.steps[began : number + 1]
            things = frozenset(thing for one in steps for thing in _things(one))
            moves = any(one.verb in _MOVES for one in steps)
            runs.append(_Run(tuple(range(began, number + 1)), things, step.place, moves))
            began = number + 1
    if began < len(script.steps):  # something stays in the hands, or open
        rest = script.steps[began:]
        things = frozenset(thing for one in rest for thing in _things(one))
        runs.append(_Run(tuple(range(began, len(script.steps))), things, rest[-1].place, True))
    return runs


def _runs_swapped(runs: list[_Run], rng: np.random.Generator) -> Order | None:
    """Two neighbours at one place that share no thing, the other way round."""
    can = [
        number
        for number, (one, two) in enumerate(pairwise(runs))
        if not (one.moves or two.moves or one.things & two.things) and one.place == two.place
    ]
    if not can:
        return None
    at = int(rng.choice(can))
    turned = [*runs[:at], runs[at + 1], runs[at], *runs[at + 2 :]]
    return tuple(number for run in turned for number in run.steps)


def _places_swapped(script: Script, runs: list[_Run]) -> Order | None:
    """What is done at the second place first, and then a walk to the first one; if nobody sits in between."""
    walks = [number for number, step in enumerate(script.steps) if step.verb == "walk"]
    if len(walks) != 1 or script.seated:
        return None
    (walk,) = walks
    before, after = range(walk), range(walk + 1, len(script.steps))
    if not all(
        walk not in run.steps or run.steps == (walk,) for run in runs
    ):  # something is carried from place to place
        return None
    things = [{thing for number in part for thing in _things(script.steps[number])} for part in (before, after)]
    sits = [
        [script.steps[number].verb for number in part if script.steps[number].verb in ("sit", "stand")]
        for part in (before, after)
    ]
    stays_seated = sits[1] and sits[1][-1] == "sit"
    open_end = runs[-1].moves and runs[-1].steps[0] > walk and script.steps[runs[-1].steps[0]].verb not in _MOVES
    if not len(before) or not len(after) or things[0] & things[1] or stays_seated or open_end:
        return None
    return (*after, walk, *before)


def _optional(script: Script, runs: list[_Run]) -> list[Order]:
    """What may be left out: steps that change nothing, and runs whose things are not needed elsewhere."""
    found: list[Order] = []
    for run in runs:
        alone = not any(run.things & other.things for other in runs if other is not run)
        if not run.moves and alone and len(run.steps) <= len(script.steps) - 3:
            found.append(run.steps)
        found += [(number,) for number in run.steps if script.steps[number].verb in _NEUTRAL and len(script.steps) > 3]
    return found
