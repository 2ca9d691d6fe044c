"""How a studio is run: where it keeps things, who may come in, and how much it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from actor_observer.web.data import Places

__all__ = ["Limits", "ScriptRow", "Settings"]

GIB = 1 << 30  # bytes


@dataclass(frozen=True)
class Limits:
    """What the studio refuses to go beyond."""

    upload: int = 4 * GIB  # bytes of one recording
    chunk: int = 8 << 20  # bytes of one piece of it
    quota: int = 200 * GIB  # bytes of all recordings
    cache: int = 20 * GIB  # bytes of what can be made again
    uploads: int = 20  # unfinished ones of one person
    pixels: int = 4096 * 2304  # of one picture of a recording
    free: int = 1 * GIB  # bytes that stay free on the disk
    longest: float = 900.0  # seconds of a recording
    shortest: float = 3.0
    calls: float = 60.0  # API calls a second of one person, on average
    burst: int = 300


@dataclass(frozen=True)
class ScriptRow:
    """A script to act out: its text, the classes it shows, the things it needs."""

    text: str
    classes: tuple[str, ...] = ()
    objects: str = ""


@dataclass(frozen=True)
class Settings:
    """Everything that `actor-observer studio` was started with."""

    keep: Path  # the studio's own folder
    places: Places = field(default_factory=Places)
    videos: tuple[Path, ...] = ()
    model: str | None = None
    scripts: tuple[ScriptRow, ...] = ()
    class_names: dict[str, str] = field(default_factory=dict)
    per_class: int = 10  # recordings that each class should have
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]", "::1")  # names that the page answers to
    port: int = 8417
    https: bool = False
    seed: int = 0
    first: str | None = None  # which camera is the actor's, of data sets that do not say
    apart: bool = True  # recordings are opened by other processes alone; else the owner's own also by this one
    limits: Limits = field(default_factory=Limits)
