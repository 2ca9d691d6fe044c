"""Cameras of a LeRobot data set by name, and which of them are the actor's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from actor_observer.errors import UserError

__all__ = ["camera_named", "first_cameras", "short_name"]

FIRST = ("wrist", "ego", "head", "hand")  # how a word begins that names the actor's camera
NOT_FIRST = ("handheld",)
PREFIX = ("observation.images.", "observation.image.")


def short_name(camera: str) -> str:
    """A camera's key without what all of them begin with.

    >>> short_name("observation.images.cam_wrist")
    'cam_wrist'
    """
    return next((camera.removeprefix(prefix) for prefix in PREFIX if camera.startswith(prefix)), camera)


def camera_named(cameras: Sequence[str], name: str) -> str | None:
    """The key of the camera that has this key or short name; None where none has.

    >>> camera_named(["observation.images.top"], "top")
    'observation.images.top'
    """
    return next((key for key in cameras if name in (key, short_name(key))), None)


def first_cameras(cameras: Sequence[str], asked: str = "") -> list[str]:
    """Which of these cameras are the actor's: by their names, or as somebody says, with commas between several.

    >>> first_cameras(["observation.images.overhead", "observation.images.left_wrist", "observation.images.egocentric"])
    ['observation.images.left_wrist', 'observation.images.egocentric']
    >>> first_cameras(["observation.images.phone", "observation.images.laptop"], asked="phone")
    ['observation.images.phone']
    """
    if not asked:
        return [key for key in cameras if any(_of_actor(word) for word in _words(short_name(key)))]
    found = []
    for name in filter(None, (name.strip() for name in asked.split(","))):
        key = camera_named(cameras, name)
        if key is None:
            there = ", ".join(map(short_name, cameras)) or "none"
            raise UserError(f"--first {name}: no such camera in this data set; there are {there}")
        found.append(key)
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower())


def _of_actor(word: str) -> bool:
    return word.startswith(FIRST) and word not in NOT_FIRST
