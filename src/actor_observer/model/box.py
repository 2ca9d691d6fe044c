"""The files beside a model's weights, which were calibrated for it: read and written in one place, with their sums.

`sums.json` in the same folder holds the sum of each. It is written with them, and looked at whenever one is read.
"""

from __future__ import annotations

from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import read_sealed_json, sealed_json
from actor_observer.disk.sums import sum_of
from actor_observer.errors import UserError, first_line
from actor_observer.model.pretrained import BOX, CONFIG, WEIGHTS

__all__ = ["read_beside", "seal", "unsealed", "write_beside"]

SUMS = "sums.json"
FORMAT = "actor-observer sums 1"
MOST = 1 << 24  # bytes: a stranger's file may be any size
OTHERS = (SUMS, "README.md", CONFIG, WEIGHTS)  # files that need no sum there: the weights carry their own


def read_beside(folder: Path, name: str) -> bytes | None:
    """The content of a file beside a model's weights, as it was written; None where there is none.

    >>> read_beside(BOX, "no-such.json") is None, len(read_beside(BOX, "alignment.json")) > 100
    (True, True)
    """
    path = folder / name
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > MOST:
            raise UserError(f"{path}: too large to be what its name says")
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    wanted = _sums(folder).get(name)
    if wanted is None and not _is_box(folder):
        return content  # by an earlier version, or by somebody else
    if sum_of(content) != wanted:
        raise UserError(f"{path}: damaged, or changed and not sealed; {_way_out(folder)}")
    return content


def write_beside(folder: Path, name: str, content: bytes) -> Path:
    """Write a file beside a model's weights, and its sum.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_beside(folder, "alignment.json", b"{}").name, read_beside(folder, "alignment.json")
    ('alignment.json', b'{}')
    """
    path = folder / name
    try:
        sums = _sums(folder) | {name: sum_of(content)}
        write_whole(path, content)
        _write_sums(folder, sums)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def seal(folder: Path = BOX) -> list[str]:
    """Take the sums of all files as they are now; the names of those whose sum is new."""
    changed = unsealed(folder)
    _write_sums(folder, {path.name: sum_of(path.read_bytes()) for path in _files(folder)})
    return changed


def unsealed(folder: Path = BOX) -> list[str]:
    """The files that were changed, or put there, since the folder was sealed; and those that are gone.

    >>> unsealed()
    []
    """
    try:
        sums = _sums(folder)
    except UserError:
        sums = {}
    now = {path.name: sum_of(path.read_bytes()) for path in _files(folder)}
    return sorted(name for name in sums.keys() | now if sums.get(name) != now.get(name))


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.name not in OTHERS and not path.name.startswith(".")]


def _sums(folder: Path) -> dict[str, str]:
    """Name to sum, as the folder was sealed; empty where it never was."""
    path = folder / SUMS
    if not path.is_file() and not _is_box(folder):
        return {}
    try:
        told = read_sealed_json(path.read_bytes()[:MOST])
        if told["format"] != FORMAT:
            raise ValueError(f"not the format {FORMAT!r}")
        return {str(name): str(text) for name, text in told["sums"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path}: damaged ({first_line(error)[:100]}); {_way_out(folder)}") from None


def _write_sums(folder: Path, sums: dict[str, str]) -> None:
    write_whole(folder / SUMS, sealed_json({"format": FORMAT, "sums": dict(sorted(sums.items()))}, indent=1))


def _is_box(folder: Path) -> bool:
    return folder.resolve() == BOX.resolve()


def _way_out(folder: Path) -> str:
    if _is_box(folder):
        return "install actor-observer again (who changed the box on purpose: python scripts/seal_box.py)"
    return f"calibrate the model again, or remove {folder / SUMS} to take its files as they are"
