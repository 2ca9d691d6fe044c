"""Decode a data set once: its frames as JPEGs, in a folder that is a data set again. The same call resumes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from actor_observer.console import counted
from actor_observer.disk import only_writer, write_whole
from actor_observer.errors import UserError
from actor_observer.frames.ahead import done_ahead
from actor_observer.frames.kept.jpegs_of import FrameForm
from actor_observer.frames.kept.places import Kept, keep_folder, keep_tar
from actor_observer.pairs.manifest import Fault, Manifest, Take
from actor_observer.pairs.moved import write_moved
from actor_observer.shards import Shard

__all__ = ["KeptSet", "grouped", "keep_frames"]

NOTE = ".kept_frames.json"
FOLDERS, TARS = "frames", "shards"  # where the readers of data sets look
BYTES_A_PIXEL = 0.22  # of a JPEG, about: to plan the size of tar files
USUAL_RATE = 30.0  # frames a second of a recording that was not opened yet


@dataclass
class KeptSet:
    """What `keep_frames` did.

    >>> print(KeptSet(Path("frames"), takes=2, frames=48, size=960_000))
    frames: 2 takes, 48 frames written (1 MB)
    """

    path: Path
    takes: int = 0
    before: int = 0  # of the takes: those that were there already
    frames: int = 0  # written now
    size: int = 0  # bytes written now
    faults: list[Fault] = field(default_factory=list)

    def add(self, kept: Kept) -> None:
        self.takes, self.before = self.takes + len(kept.takes), self.before + kept.before
        self.frames, self.size = self.frames + kept.frames, self.size + kept.size
        self.faults += kept.faults

    def __str__(self) -> str:
        before = f" ({self.before} were there already)" if self.before else ""
        written = f"{counted(self.frames, 'frame')} written ({self.size / 1e6:.0f} MB)"
        missing = f", {len(self.faults)} left out" if self.faults else ""
        return f"{self.path}: {counted(self.takes, 'take')}{before}, {written}{missing}"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "path": str(self.path), "faults": [str(fault) for fault in self.faults]}


def keep_frames(
    data: str | Path,
    manifest: Manifest,  # of the data
    out: str | Path,
    form: FrameForm | None = None,
    tar: float | None = None,  # MB: tar files of about this size; None: a folder for each take
    shard: Shard | None = None,  # only this part; all parts write into the same folder
    workers: int | None = None,  # None: one per core
    each: Callable[[int], object] = lambda takes: None,  # called with how many takes were done just now
) -> KeptSet:
    """Write the frames of a data set into the folder `out`, with tables beside them: a data set that all commands read.

    Several machines may each do a part (`shard`) in one folder on a shared disk; nothing needs to be put together.

    >>> keep_frames("pairs.csv", Manifest({}), "frames", FrameForm(size=0))
    Traceback (most recent call last):
    actor_observer.errors.UserError: --size 0: give the pixels of the short side, 16 to 10000
    """
    form, out = form or FrameForm(), Path(out)
    _check(form, tar)
    groups = grouped(manifest, form, tar)
    own = [*enumerate(groups)]
    own = shard.of(own) if shard else own
    done = KeptSet(out, faults=[fault for fault in manifest.faults if fault.left_out])
    root = out / (TARS if tar else FOLDERS)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(out, shard):
            _refuse_other(out, form, tar, [[take.id for take in takes] for takes in groups])
            write_moved(Path(data), manifest, out, _places(groups, bool(tar)))
            count = workers or os.cpu_count() or 1
            work = partial(keep_tar if tar else keep_folder, root, form)
            # Threads: decoding, scaling and encoding all leave Python's lock alone.
            with ThreadPoolExecutor(count) as pool, closing(done_ahead(own, work, pool, count)) as made:
                for (_, takes), kept in made:
                    done.add(kept)
                    each(len(takes))
    except OSError as error:
        raise UserError(f"{error.filename or out}: cannot be written ({error.strerror or error})") from error
    if not done.takes and not shard:
        raise UserError(f"none of the {len(manifest.takes)} takes can be read; {done.faults[0] if done.faults else ''}")
    return done


def grouped(manifest: Manifest, form: FrameForm, tar: float | None) -> list[list[Take]]:
    """Takes in groups of about `tar` MB as JPEGs; those of a pair stay together, in the order of the data.

    Without `tar`, each is a group of its own.

    >>> takes = {id: Take(id, "third", Path(id), 60.0) for id in "abc"}
    >>> [len(group) for group in grouped(Manifest(takes), FrameForm(), tar=50.0)]
    [2, 1]
    """
    if not tar:
        return [[take] for take in manifest.takes.values()]
    each_frame = BYTES_A_PIXEL * form.size * form.size * 4 / 3
    together = [[pair.third, pair.first] for pair in manifest.pairs] + [[id] for id in manifest.takes]
    groups: list[list[Take]] = [[]]
    placed: set[str] = set()
    filled = 0.0
    for ids in together:
        takes = [manifest.takes[id] for id in ids if id not in placed]
        if filled >= tar * 1e6 and takes:
            groups.append([])
            filled = 0.0
        for take in takes:
            groups[-1].append(take)
            placed.add(take.id)
            rate = min(take.frame_rate or USUAL_RATE, form.frame_rate or USUAL_RATE)
            filled += take.length * rate * each_frame
    return [group for group in groups if group]


def _places(groups: Sequence[Sequence[Take]], tar: bool) -> dict[str, str]:
    """Take id to its place in the new data set."""
    if not tar:
        return {take.id: f"{FOLDERS}/{take.id}" for takes in groups for take in takes}
    return {take.id: f"{TARS}/{number:06d}.tar/{take.id}" for number, takes in enumerate(groups) for take in takes}


def _check(form: FrameForm, tar: float | None) -> None:
    if not 16 <= form.size <= 10_000:
        raise UserError(f"--size {form.size}: give the pixels of the short side, 16 to 10000")
    if form.frame_rate is not None and not 0 < form.frame_rate <= 1000:
        raise UserError(f"--frame-rate {form.frame_rate:g}: give a rate above zero, up to 1000")
    if not 1 <= form.quality <= 100:
        raise UserError(f"--quality {form.quality}: give 1 to 100")
    if tar is not None and not 0 < tar < 1e6:
        raise UserError(f"--tar {tar:g}: give the size of a tar file in MB, such as 300")


def _locked(out: Path, shard: Shard | None) -> ExitStack:
    """One process for all, or one for each part."""
    until_done = ExitStack()
    until_done.enter_context(only_writer(out / ".lock", "this output", shared=shard is not None))
    if shard is not None:
        name = f".{shard.number}-of-{shard.count}.lock"
        until_done.enter_context(only_writer(out / name, f"part {shard} of this output"))
    return until_done


def _refuse_other(out: Path, form: FrameForm, tar: float | None, groups: list[list[str]]) -> None:
    """Refuse to go on with what was begun with other settings, or, in tar files, with other takes."""
    note = out / NOTE
    ours = {"form": asdict(form), "tar": tar, "groups": groups if tar else None}
    if note.exists():
        try:
            theirs = json.loads(note.read_bytes())
        except ValueError:
            theirs = {}
        if theirs != ours:
            raise UserError(f"{out}: begun with other settings, or tar files of other takes; use another --out")
    else:
        write_whole(note, json.dumps(ours).encode())
