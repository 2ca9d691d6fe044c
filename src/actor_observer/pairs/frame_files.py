"""The pictures of a take that is not a video: files of a folder, or of a tar."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

from actor_observer.errors import TakeError
from actor_observer.pairs.checked_pictures import CheckedPicture, folder_note
from actor_observer.pairs.probe import FRAME_SUFFIXES
from actor_observer.pairs.table import parse_rate
from actor_observer.pairs.tar_shards import TarPicture, in_tar, tar_frames

__all__ = ["CHARADES_FRAME_RATE", "FrameFile", "frame_files", "holds_frames", "stated_rate"]

CHARADES_FRAME_RATE = 24.0  # of the published frame folders
FrameFile = Path | CheckedPicture | TarPicture


def holds_frames(path: Path) -> bool:
    """Whether a take is a folder of frames, or frames in a tar; otherwise it is a video file, or nothing.

    >>> holds_frames(Path(__file__).parent), holds_frames(Path(__file__))
    (True, False)
    """
    return path.is_dir() or in_tar(path)


def frame_files(folder: Path) -> Sequence[FrameFile]:
    """The frames of a folder in order of their number; a gap or a name without a number is a `TakeError`.

    `ID/ID-000001.jpg`, as Charades has them, or any prefix; numbering may start anywhere.
    """
    if in_tar(folder):
        return tar_frames(folder)
    numbered: dict[int, Path] = {}
    for path in folder.iterdir():
        if path.suffix.lower() not in FRAME_SUFFIXES:
            continue
        match = re.search(r"(\d+)$", path.stem)
        if not match:
            raise TakeError(path, "a frame without a number in its name")
        number = int(match.group(1))
        if number in numbered:
            raise TakeError(path, f"frame number {number} appears twice in its folder")
        numbered[number] = path
    if not numbered:
        raise TakeError(folder, "no frames in this folder")
    order = sorted(numbered)
    gaps = [after for before, after in itertools.pairwise(order) if after != before + 1]
    if gaps:
        raise TakeError(folder, f"{len(gaps)} gap(s) in the frame numbers, the first before {gaps[0]}")
    files, note = [numbered[number] for number in order], folder_note(folder)
    if note is None:
        return files
    checks = note["checks"]
    if checks.keys() != {file.name for file in files}:
        raise TakeError(folder, "not the frames that were written there; remove it and run `frames` again")
    return [CheckedPicture(file, checks[file.name]) for file in files]


def stated_rate(folder: Path) -> float | None:
    """The number in `fps.txt`, in a folder of frames or in the folder that holds it.

    >>> stated_rate(Path("no-such-folder"))
    """
    if in_tar(folder):
        return tar_frames(folder).frame_rate
    for place in (folder / "fps.txt", folder.parent / "fps.txt"):
        if place.is_file():
            rate = parse_rate(place.read_text(errors="replace")[:32])
            if rate is None:
                raise TakeError(place, "should hold one positive number, the frames per second")
            note = folder_note(place.parent)
            if note is not None and note["frame_rate"] != rate:
                raise TakeError(place, f"not as it was written; remove {place.parent} and run `frames` again")
            return rate
    return None
