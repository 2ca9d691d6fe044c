"""Check every file before a long run: damaged files are named once and left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from actor_observer.errors import TakeError
from actor_observer.frames.at import frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.quick_look import look_quickly
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Fault, Manifest, Take
from actor_observer.pairs.probe import probe
from actor_observer.pairs.window import is_window

__all__ = ["check_manifest", "check_take"]

_LENGTHS_DIFFER = 1.0  # seconds between what the annotations say and what the file holds


def check_take(take: Take) -> list[Fault]:
    """Everything wrong with one take's file. Its first and last frame are decoded.

    An mp4's own table of frames is checked against the file; other files, and any mp4 in doubt, are read through.

    >>> from pathlib import Path
    >>> [str(fault) for fault in check_take(Take("a", "third", Path("no-such.mp4"), length=3.0))]
    ['no-such.mp4: no such file (left out)']
    """
    faults = []
    try:
        end, streams = (take.length, 1) if holds_frames(take.path) else _file_facts(take)
        if holds_frames(take.path):
            frames_at(take, [0.0, end], size=32, threads=1)
        if streams > 1:
            faults.append(Fault(str(take.path), f"{streams} video streams in it; the first is used"))
        if abs(end - take.length) > _LENGTHS_DIFFER:
            faults.append(Fault(str(take.path), f"annotated as {take.length:.1f} s long, the file lasts {end:.1f} s"))
    except TakeError as error:
        faults.append(Fault(error.path, error.fault, left_out=True))
    except OSError as error:
        faults.append(Fault(str(take.path), f"cannot be read ({error.strerror})", left_out=True))
    return faults


def _file_facts(take: Take) -> tuple[float, int]:
    """Seconds at which the file ends, and how many video streams it has; whatever is wrong is a `TakeError`."""
    sound = None if is_window(take.path) else look_quickly(take.path)
    if sound is not None:
        return sound.end, sound.video_streams
    end = index_video(take.path).end
    frames_at(take, [0.0, end], size=32, threads=1)
    return end, probe(take.path).video_streams


def check_manifest(manifest: Manifest, each: Callable[[], object] = lambda: None) -> Manifest:
    """The manifest without the takes whose files are damaged, with all faults listed; `each` is called per take.

    >>> from pathlib import Path
    >>> manifest = check_manifest(Manifest({"a": Take("a", "third", Path("no-such.mp4"), length=3.0)}))
    >>> len(manifest.takes), str(manifest.faults[0])
    (0, 'no-such.mp4: no such file (left out)')
    """
    broken: dict[str, Fault] = {}
    notable: list[Fault] = []
    for take, faults in _checked(list(manifest.takes.values())):
        each()
        for fault in faults:
            if fault.left_out:
                broken[take.id] = fault
            else:
                notable.append(fault)
    clean = manifest.without(broken)
    return replace(clean, faults=(*clean.faults, *notable))


def _checked(takes: list[Take]) -> Iterator[tuple[Take, list[Fault]]]:
    with ThreadPoolExecutor(8) as pool:
        yield from zip(takes, pool.map(check_take, takes), strict=True)
