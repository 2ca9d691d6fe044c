"""What models saw in pairs, on disk: a file for each pair and model, named by the recordings that it is about."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from actor_observer.disk.sealed_json import read_sealed_json
from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock

__all__ = ["Seen"]


class Seen:
    """A folder of what was seen. Whatever in it has not the right shape counts as not there, and is made again.

    >>> import tempfile
    >>> seen = Seen(Path(tempfile.mkdtemp()))
    >>> seen.path("aa", "bb", None).name
    'aa-bb-b8e1dda3ac0aa3820ad2990b.json'
    >>> _ = seen.path("aa", "bb", None).write_text('{"align": []}')
    >>> seen.read("aa", "bb", None) is None
    True
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, third: str, first: str, model: str | None) -> Path:
        """The file for two recordings, by their keys, and a model."""
        name = hashlib.blake2b((model or "").encode(), digest_size=12).hexdigest()
        return self.folder / f"{third}-{first}-{name}.json"

    def read(self, third: str, first: str, model: str | None) -> dict[str, Any] | None:
        """What a model saw; None where it has not looked, or the file is not what it should be."""
        path = self.path(third, first, model)
        old = (
            self.folder
            / f"{hashlib.blake2b(' '.join([third, first, model or '']).encode(), digest_size=16).hexdigest()}.json"
        )
        try:
            if old.is_file() and not path.exists():
                old.rename(path)  # as the version before named it
            found = read_sealed_json(path.read_bytes())
            _check(found)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, UserError):
            return None
        return dict(found)

    def forget_unnamed(self) -> None:
        """Delete files of the version before, whose names do not tell which recordings they are about."""
        for path in self.folder.glob("*.json"):
            if "-" not in path.name:
                path.unlink(missing_ok=True)

    @property
    def state(self) -> int:
        """Changes when something was seen anew."""
        return self.folder.stat().st_mtime_ns if self.folder.is_dir() else 0


def _check(found: Any) -> None:
    """Raise where the shape is wrong: everybody's page would break on it."""
    for view in ("third", "first"):
        curve = found[view]
        if len([float(value) for value in curve["times"]]) != len([float(value) for value in curve["weight"]]):
            raise ValueError(view)
    drawn = found["map"]
    if drawn is not None and len(bytes.fromhex(drawn["levels"])) != int(drawn["rows"]) * int(drawn["columns"]):
        raise ValueError("map")
    align = found["align"]
    if not isinstance(align["verdict"], str) or not (align["clock"] is None or isinstance(align["clock"], str)):
        raise ValueError("align")
    if align["clock"]:
        Clock.parse(align["clock"])
    scores = align.get("scores")
    if scores is not None:
        lines = [scores["belief"], *scores["kinds"].values()]
        if any(len([float(value) for value in line]) != len(scores["offsets"]) for line in lines):
            raise ValueError("scores")
    for name in ("confidence", "offset", "rate", "offset_error"):
        if align.get(name) is not None:
            float(align[name])
