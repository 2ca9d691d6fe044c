"""Find the recordings on disk, and how long each one is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from actor_observer.errors import TakeError, UserError
from actor_observer.pairs.frame_files import CHARADES_FRAME_RATE, frame_files, holds_frames, stated_rate
from actor_observer.pairs.manifest import Action, Fault, Split, Take, View
from actor_observer.pairs.probe import VIDEO_SUFFIXES, probe
from actor_observer.pairs.table import LEAST_RATE, MOST_RATE, clip_actions
from actor_observer.pairs.tar_shards import contents
from actor_observer.pairs.window import file_of, hint

__all__ = ["Draft", "find_media", "settle"]

SAID = ("id", "view", "path", "subject", "scene", "script")  # by a row, as it is
LEAST_BYTES = 1000.0  # of a video, a second
AT_ONCE = 32  # files that a thread looks at before it asks for more


@dataclass(frozen=True)
class Draft:
    """A take as its row describes it, before its file is opened."""

    id: str
    view: View
    path: Path
    subject: str = ""
    scene: str = ""
    script: str = ""
    length: float | None = None  # as the row says
    frame_rate: float | None = None  # likewise, for folders of frames
    actions: tuple[Action, ...] = ()
    complaints: tuple[str, ...] = field(default=())  # what was odd about the row
    split: Split | None = None
    event: str = ""  # takes of one event were recorded together


def find_media(roots: Iterable[Path]) -> dict[str, Path]:
    """Recordings by id: `ROOT/ID.mp4` (any video suffix), folders of frames `ROOT/ID/`, or takes in a `ROOT/*.tar`.

    The first root wins.

    >>> find_media([])
    {}
    """
    found: dict[str, Path] = {}
    for root in roots:
        if not root.is_dir():
            raise UserError(f"{root}: no such folder of videos or frames")
        with os.scandir(root) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                path = Path(entry.path)
                if entry.is_dir():
                    found.setdefault(entry.name, path)
                elif path.suffix == ".tar":
                    for id in _in(path):
                        found.setdefault(id, path / id)
                elif path.suffix.lower() in VIDEO_SUFFIXES:
                    found.setdefault(path.stem, path)
    return found


def _in(tar: Path) -> Iterable[str]:
    try:
        return contents(tar)
    except TakeError as error:
        raise UserError(str(error)) from None


def settle(drafts: Sequence[Draft]) -> tuple[dict[str, Take], list[Fault]]:
    """Takes with the lengths of their files, and a fault for each file that cannot be used.

    Headers are read by a few threads at a time, because opening a file on a network disk is mostly waiting.

    >>> settle([Draft("a", "third", Path("no-such.mp4"))])
    ({}, [Fault(path='no-such.mp4', what='no such file', left_out=True)])
    """
    takes: dict[str, Take] = {}
    faults: list[Fault] = []
    some = [drafts[start : start + AT_ONCE] for start in range(0, len(drafts), AT_ONCE)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = chain.from_iterable(pool.map(lambda few: [_look(draft) for draft in few], some))
        for draft, outcome in zip(drafts, outcomes, strict=True):
            faults += [Fault(str(draft.path), complaint) for complaint in draft.complaints]
            if isinstance(outcome, Fault):
                faults.append(outcome)
            elif draft.id in takes:
                faults.append(Fault(str(draft.path), f"take id {draft.id} appears twice; the first is kept", True))
            else:
                takes[draft.id], late = with_actions(outcome, draft.actions)
                faults += [*_other_length(draft, outcome), *late]
    return takes, faults


def with_actions(take: Take, actions: Iterable[Action], kind: str = "action") -> tuple[Take, list[Fault]]:
    """The take with these actions clipped to its length, and a fault that says how many were clipped."""
    kept, clipped = clip_actions(actions, take.length)
    if not clipped:
        return replace(take, actions=kept), []
    which = f"{clipped} {kind}s reach" if clipped > 1 else f"1 {kind} reaches"
    return replace(take, actions=kept), [Fault(str(take.path), f"{which} past the end at {take.length:.2f} s; clipped")]


def _look(draft: Draft) -> Take | Fault:
    try:
        length, frame_rate = _measure(draft)
    except TakeError as error:
        return Fault(error.path, error.fault, left_out=True)
    except OSError as error:
        return Fault(str(draft.path), f"cannot be read ({error.strerror})", left_out=True)
    facts = {name: getattr(draft, name) for name in (*SAID, "split", "event")}
    return Take(**facts, length=length, frame_rate=frame_rate)


def _other_length(draft: Draft, take: Take) -> list[Fault]:
    if draft.length is None or abs(draft.length - take.length) <= 1.0:
        return []
    stated = f"annotated as {draft.length:.1f} s long, the file lasts {take.length:.1f} s"
    return [Fault(str(draft.path), f"{stated}; the file is believed")]


def _measure(draft: Draft) -> tuple[float, float | None]:
    """Seconds, and the frame rate of a folder. The row's length is used; without one, the file's."""
    path = draft.path
    if holds_frames(path):
        count = len(frame_files(path))
        rate = draft.frame_rate or stated_rate(path) or _likely_rate(count, draft.length)
        if draft.length and count / draft.length >= LEAST_RATE:
            return draft.length, rate
        return count / rate, rate
    if draft.length is None:
        return probe(path).length, None
    file = file_of(path)
    if not file.exists():
        raise TakeError(path, f"no such file{hint(path)}")
    size = file.stat().st_size
    if not size:
        raise TakeError(path, "the file is empty")
    # To open every file of a large set takes minutes: only where its size makes the row hard to believe.
    if draft.length > size / LEAST_BYTES:
        with suppress(TakeError):  # what is wrong with a file is said by whoever reads it
            return probe(path).length, None
    return draft.length, None


def _likely_rate(count: int, length: float | None) -> float:
    """Charades' frame rate, or, if the frames would not fill the stated length, the one at which they do."""
    if length is None or abs(count / CHARADES_FRAME_RATE - length) <= max(1.0, 0.1 * length):
        return CHARADES_FRAME_RATE
    return count / length if LEAST_RATE <= count / length <= MOST_RATE else CHARADES_FRAME_RATE
