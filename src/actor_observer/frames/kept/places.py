"""Where kept frames go: a folder for each take, or tar files of several takes. Each is written whole or not at all."""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import read_sealed_json, sealed_json
from actor_observer.errors import TakeError
from actor_observer.frames.kept.jpegs_of import FrameForm, jpegs_of, rate_and_count
from actor_observer.pairs.checked_pictures import MADE_OF, folder_note
from actor_observer.pairs.manifest import Fault, Take
from actor_observer.pairs.tar_shards import FORMAT, in_tar, picture_name
from actor_observer.pairs.window import file_of, is_window, window_of

__all__ = ["Kept", "keep_folder", "keep_tar"]


@dataclass(frozen=True)
class Kept:
    """What became of some takes.

    >>> Kept(("AB1CD",), frames=720).takes
    ('AB1CD',)
    """

    takes: tuple[str, ...] = ()
    frames: int = 0
    size: int = 0  # bytes
    faults: tuple[Fault, ...] = ()
    before: int = 0  # of the takes: those that were there already


def keep_folder(root: Path, form: FrameForm, numbered: tuple[int, Sequence[Take]]) -> Kept:
    """Write `ROOT/ID/ID-000001.jpg`, …, and `fps.txt`; a folder of the same recording that is there already stays."""
    [take] = numbered[1]
    folder = root / take.id
    try:
        made_of = _made_of(take, form)
        if _holds(folder, made_of):
            return Kept((take.id,), before=1)
        with _beside(folder) as part:
            size, checks = 0, dict[str, int]()
            rate, count = rate_and_count(take, form)
            for content in jpegs_of(take, form, rate, count):
                name = Path(picture_name(take.id, len(checks))).name
                (part / name).write_bytes(content)
                size, checks[name] = size + len(content), zlib.crc32(content)
            (part / "fps.txt").write_text(f"{rate!r}\n")
            note = {"made_of": made_of, "frame_rate": rate, "checks": checks}
            (part / MADE_OF).write_bytes(sealed_json(note))
    except TakeError as error:
        return Kept(faults=(Fault(error.path, error.fault, left_out=True),))
    return Kept((take.id,), len(checks), size)


def keep_tar(root: Path, form: FrameForm, numbered: tuple[int, Sequence[Take]]) -> Kept:
    """Write `ROOT/000003.tar` of these takes and, last, `000003.json`, which says where each picture is."""
    number, takes = numbered
    tar, note = root / f"{number:06d}.tar", root / f"{number:06d}.json"
    made_of: dict[str, Any] = {}
    faults: dict[str, Fault] = {}
    for take in takes:
        try:
            made_of[take.id] = _made_of(take, form)
        except TakeError as error:
            faults[take.id] = Fault(error.path, error.fault, left_out=True)
    if (known := _noted(note)) is not None and tar.is_file() and known.get("made_of") == made_of:
        lost = [Fault(path, what, left_out=True) for path, what in known["faults"]]
        return Kept(tuple(known["takes"]), faults=tuple(lost), before=len(known["takes"]))
    note.unlink(missing_ok=True)  # without its note a tar is not read
    while (held := _write_tar(tar, [take for take in takes if take.id not in faults], form, faults)) is None:
        pass  # a take turned out to be damaged: again without it, so that no piece of it stays
    told = {"format": FORMAT, "made_of": made_of, "takes": held, "faults": [(f.path, f.what) for f in faults.values()]}
    write_whole(note, sealed_json(told))
    frames = sum(len(take["sizes"]) for take in held.values())
    return Kept(tuple(held), frames, tar.stat().st_size, tuple(faults.values()))


def _write_tar(
    tar: Path, takes: Sequence[Take], form: FrameForm, faults: dict[str, Fault]
) -> dict[str, dict[str, Any]] | None:
    """Write these takes, and say where their pictures are; None if one could not be read, which is noted."""
    held = {}
    part = tar.with_name(f".{tar.name}.part")
    try:
        with tarfile.open(part, "w", format=tarfile.GNU_FORMAT) as file:
            for take in takes:
                try:
                    held[take.id] = _add(file, take, form)
                except TakeError as error:
                    faults[take.id] = Fault(error.path, error.fault, left_out=True)
                    return None
        part.replace(tar)
    finally:
        part.unlink(missing_ok=True)
    return held


def _add(file: tarfile.TarFile, take: Take, form: FrameForm) -> dict[str, Any]:
    """A take's pictures into a tar, and where they are in it."""
    rate, count = rate_and_count(take, form)
    offsets, sizes, checks = [], [], []
    for number, content in enumerate(jpegs_of(take, form, rate, count)):
        offsets.append(_member(file, picture_name(take.id, number), content))
        sizes.append(len(content))
        checks.append(zlib.crc32(content))
    _member(file, f"{take.id}/fps.txt", f"{rate!r}\n".encode())
    return {"frame_rate": rate, "offsets": offsets, "sizes": sizes, "checks": checks}


def _member(file: tarfile.TarFile, name: str, content: bytes) -> int:
    """Add a file; where its content begins."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    file.addfile(info, BytesIO(content))
    return file.offset - -(-len(content) // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _made_of(take: Take, form: FrameForm) -> list[Any]:
    """What a recording's frames depend on; a recording that was changed has another date."""
    try:
        state = (take.path.parent if in_tar(take.path) else file_of(take.path)).stat()
    except FileNotFoundError:
        raise TakeError(take.path, "no such file") from None
    except OSError as error:
        raise TakeError(take.path, f"cannot be read ({error.strerror})") from None
    window = [*window_of(take.path)] if is_window(take.path) else []
    return [state.st_size, state.st_mtime_ns, take.frame_rate, asdict(form), *window]


def _holds(folder: Path, made_of: list[Any]) -> bool:
    try:
        note = folder_note(folder)
    except TakeError:  # damaged: written again
        return False
    return note is not None and note["made_of"] == made_of


def _noted(note: Path) -> dict[str, Any] | None:
    try:
        told = read_sealed_json(note.read_bytes())
        good = told["format"] == FORMAT and isinstance(told["takes"], dict) and isinstance(told["faults"], list)
        return told if good else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes its place when all went well."""
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
