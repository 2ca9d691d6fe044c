"""The exact truth about every frame of a take, as arrays in `truth/ID.npz`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.scripting.actions import ACTIONS
from actor_observer.playhouse.acting.spells import strength
from actor_observer.playhouse.filming.filming import Filming
from actor_observer.playhouse.filming.people_seen import PeopleSeen
from actor_observer.playhouse.set_plan import TakePlan

__all__ = ["CAUSE_NAMES", "frame_truth", "people_truth", "read_truth", "write_truth"]

CAUSE_NAMES = ("", "away", "out", "hidden", "blur", "exposure", "unseen")  # why a frame is not informative
HANDS_SEEN, OBJECT_SEEN, ACTOR_SEEN = 0.002, 0.001, 0.02  # shares of pixels from which something counts as visible
Shares = dict[str, NDArray[np.float32]]


def frame_truth(take: TakePlan, filming: Filming, times: Array, shares: Shares) -> dict[str, NDArray[Any]]:
    """The truth at times (T,) of the video; `shares` are the drawn frames' `hands`, `object` and `actor`.

    Of each frame: `hands_share`, `object_share` and `actor_share` of the pixels (of a drawing in flat colours at half
    size), whether hands and object are visible, whether it is `informative`, and if not, the `cause` (`CAUSE_NAMES`);
    `action`, the row of classes.txt, -1 in pauses; `phase`, progress of the action from 0 to 1, the same at
    corresponding moments of all takes of a script; `object`, an index into `objects`, 0 none; `hands` (T, 2, 3),
    dominant and other hand relative to the middle of the shoulders, in arm lengths: towards the dominant side,
    forward, up.
    """
    performance, moments = filming.performance, take.moments(times)
    step, phase = performance.progress(moments)
    labels = [*ACTIONS]
    action = np.array([labels.index(s.label) for s in performance.script.steps] + [-1])[step]
    objects = ["", *performance.things]
    using = np.array([objects.index(kind) for kind in performance.in_use(moments)])
    hands_seen, object_seen = shares["hands"] >= HANDS_SEEN, shares["object"] >= OBJECT_SEEN
    seen = (hands_seen | object_seen) if take.view == "first" else shares["actor"] >= ACTOR_SEEN
    cause = np.where(seen, 0, CAUSE_NAMES.index("unseen"))
    for spell in filming.spells:
        cause = np.where(strength(spell, moments) > 0.5, CAUSE_NAMES.index(spell.cause), cause)
    return {
        "time": times.astype(np.float32),
        "hands_share": shares["hands"].astype(np.float16),
        "object_share": shares["object"].astype(np.float16),
        "actor_share": shares["actor"].astype(np.float16),
        "hands_visible": hands_seen,
        "object_visible": object_seen,
        "informative": cause == 0,
        "cause": cause.astype(np.int8),
        "action": action.astype(np.int16),
        "phase": phase.astype(np.float16),
        "object": using.astype(np.int8),
        "objects": np.array(objects),
        "hands": filming.bodies(moments).hands.astype(np.float16),
    }


def people_truth(names: Sequence[str], times: Array, seen: Sequence[PeopleSeen]) -> dict[str, NDArray[Any]]:
    """Where each of K people is in a room camera's picture at S times (S,) of the video, about six a second.

    `people_box` is left, top, right and bottom in shares of the picture (zeros: not seen), `people_share` the share of
    its pixels, `people_mask` where the person has pixels.
    """
    return {
        "people": np.array(names),  # (K,)
        "people_time": times.astype(np.float32),  # (S,)
        "people_box": np.stack([one.boxes for one in seen]).astype(np.float16),  # (S, K, 4)
        "people_share": np.stack([one.shares for one in seen]).astype(np.float16),  # (S, K)
        "people_mask": np.stack([one.masks for one in seen]),  # (S, K, 18, 24)
    }


def write_truth(path: Path, truth: dict[str, NDArray[Any]]) -> None:
    """Write under another name, then rename: never half a file."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(file, **truth)  # type: ignore[arg-type]
    part.replace(path)


def read_truth(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a take's truth.

    >>> from actor_observer.playhouse import MINI
    >>> read_truth(min((MINI / "truth").glob("*.npz")))["hands"].shape[1:]
    (2, 3)
    """
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
