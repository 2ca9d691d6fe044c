"""Cameras of one event, with a stranger among them, and of two events: who is put in step with whom?

    python bench/align.py groups MOTION [--shared 0.2 0.3 0.5]

MOTION is a set of events that bench/motion_set.py made, of validation homes: what cameras on the same people have in
common (`shared`, alignment/joint.py) was chosen by this, so no test part belongs here. Every camera is cut at random.
Three worlds of each event: all of its cameras (twice), all and one of another event, three and two of another event. By
motion alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.cameras.join import Links, join_cameras
from actor_observer.alignment.cameras.many import compare_all
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.recordings.recording import Recording
from align_events import RIGHT, Films, Span, cut_each, errors_of
from fitting import for_fitting
from known_cuts import Filmed, clip_of

World = tuple[list[Span], int, list[Recording], Links]  # how many of the clips, the first, are of the event asked for
KINDS = ("one event", "one event and a stranger", "two events, 3 and 2 cameras")
ROUNDS = {"one event": 2}  # of each event; else one


def main(motion: Positional[Path], shared: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.5), seed: int = 6) -> None:
    """Cut, compare, join, count, print."""
    films = [(event, some) for event, some in for_fitting(motion) if len(some) >= 3]
    print(
        "| cameras | shared | worlds | in step, of the event's | wrong by more than half a second "
        "| worlds with others in step with them |\n|---|---|---|---|---|---|"
    )
    for kind in KINDS:
        worlds = [world_of(kind, films, place, seed + nth) for place in range(len(films)) for nth in rounds_of(kind)]
        for value in shared:
            print(f"| {kind} | {value:g} | {len(worlds)} | " + " | ".join(row(worlds, value)) + " |", flush=True)


def rounds_of(kind: str) -> range:
    return range(ROUNDS.get(kind, 1))


def world_of(kind: str, films: Films, place: int, seed: int) -> World:
    """Clips of an event, and what another event adds to them."""
    rng = np.random.default_rng([seed, place])
    away = films[(place + 1 + int(rng.integers(len(films) - 1))) % len(films)][1]
    own = some_of(films[place][1], 3 if kind == KINDS[2] else 5, rng)
    others = {KINDS[0]: 0, KINDS[1]: 1, KINDS[2]: 2}[kind]
    spans = cut_each(own, rng) + (cut_each(some_of(away, others, rng), rng) if others else [])
    clips = [clip_of(*span) for span in spans]
    return spans, len(own), clips, compare_all(clips, Comparer())


def some_of(films: Sequence[Filmed], most: int, rng: np.random.Generator) -> list[Filmed]:
    return [films[place] for place in sorted(rng.permutation(len(films))[:most])]


def row(worlds: Sequence[World], shared: float) -> list[str]:
    said = wrong = asked = mixed = 0
    for spans, own, clips, links in worlds:
        found = join_cameras(clips, links, replace(load_calibration(), shared=shared))
        off, sure = errors_of(found, spans), [camera.verdict == "in step" for camera in found.cameras]
        asked += own
        said += sum(sure[:own])
        mixed += any(sure[:own]) and any(sure[own:])
        if found.reference < own:
            wrong += sum(told and error > RIGHT for told, error in zip(sure[:own], off[:own], strict=True))
    return [f"{said} of {asked}", str(wrong), str(mixed)]


if __name__ == "__main__":
    tyro.cli(main)
