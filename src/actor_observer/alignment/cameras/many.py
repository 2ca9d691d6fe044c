"""Put any number of cameras on one clock: every two are compared, and one belief is held over all clocks at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from actor_observer.alignment.asked import bounded_look_rate, check_asked
from actor_observer.alignment.cameras.head import Named, find_heads, head_cameras
from actor_observer.alignment.cameras.join import Links, join_cameras
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.looking import look_at_all
from actor_observer.alignment.recordings.recording import Recording, Source, open_any
from actor_observer.alignment.sight import Sight
from actor_observer.errors import UserError
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.network import ActorObserverNet

__all__ = ["align_many", "compare_all"]

_RANKS: dict[Source, int] = {"third": 0, "first": 1, "signal": 2}  # which of two is compared with which


def align_many(
    videos: Sequence[str | Path],
    first: Named = None,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    look_rate: float = LOOK_RATE,
    max_offset: float | None = None,
    same_speed: bool = False,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
    part: Callable[[float], object] = lambda share: None,
    time: str | None = None,
    columns: Sequence[str] = (),
) -> Cameras:
    """Put several recordings of one event on one clock: cameras, sound recorders, signals (joints, IMUs).

    Args:
        videos: the recordings, as files or folders of frames; signals as .csv, .npz or .parquet.
        first: the head camera's file, or those of several; None: those that move like one, else the last;
            "none": none of them.
        model, backbone, look_rate, max_offset, same_speed, device, each, part: as for `align`.
        time, columns: of signals: the column that says when, and those that count (see `read_signal`).
    """
    check_asked(look_rate, max_offset, device)
    paths = [Path(video) for video in videos]
    heads = head_cameras(paths, first)
    openers = [
        partial(open_any, path, "first" if number in heads else "third", time=time, columns=columns)
        for number, path in enumerate(paths)
    ]
    recordings = look_at_all(openers, each, part)
    _refuse_unheard(recordings)
    notes: list[str] = []
    if first is None:
        recordings = find_heads(recordings)
        notes = _who_moves(recordings, heads)
    lengths = sorted((one.length for one in recordings), reverse=True)
    seen_at = bounded_look_rate((lengths[0], lengths[1]), look_rate)
    needed = len({one.view for one in recordings}) > 1 or model or backbone
    sight = Sight(open_model(model, backbone), seen_at, device) if needed else None
    comparer = Comparer(sight, max_offset, same_speed)
    links = compare_all(recordings, comparer)
    found = join_cameras(recordings, links, comparer.calibration)
    return replace(found, warnings=(*notes, *found.warnings))


def compare_all(recordings: Sequence[Recording], comparer: Comparer) -> Links:
    """Every two recordings, by their places: a room camera before a head camera, either before a signal."""
    found: Links = {}
    for one, other in itertools.combinations(range(len(recordings)), 2):
        if _RANKS[recordings[one].source] > _RANKS[recordings[other].source]:
            one, other = other, one
        found[one, other] = comparer.compare(recordings[one], recordings[other])
    return found


def _who_moves(recordings: Sequence[Recording], guessed: Sequence[int]) -> list[str]:
    """Who is taken for a head camera because of how it moves: nobody named it."""
    heads = [number for number, one in enumerate(recordings) if one.shows and one.view == "first"]
    if not heads or heads == [*guessed]:
        return []
    names = ", ".join(path.name for number in heads if (path := recordings[number].path))
    moves = "moves like a head camera, and is taken for it" if len(heads) == 1 else "move like head cameras"
    return [f"{names} {moves}; --first names others"]


def _refuse_unheard(recordings: Sequence[Recording]) -> None:
    """A recorder needs another sound to be compared with."""
    heard = [one for one in recordings if one.sound is not None]
    if len(heard) == 1 and heard[0].recorder is not None:
        raise UserError(f"{heard[0].path} has no pictures, and no other recording has sound: nothing to compare")
