"""Which pairs of a data set were ever used for choosing: what is fitted is not judged on the same.

`used.json` lies beside the set: {pair id: [what was chosen by it, …]}. Whoever fits or chooses asks `for_choosing`,
which refuses test pairs and writes the others down; whoever judges asks `seen_before`, and says what it learns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Pair

__all__ = ["FILE", "for_choosing", "seen_before"]

FILE = "used.json"


def for_choosing(data: Path, pairs: Iterable[Pair], split: str, what: str, write: bool = True) -> None:
    """Write down that these pairs decide something. Test pairs never do: a user's error.

    >>> for_choosing(Path("DATA"), [], "test", "a threshold")
    Traceback (most recent call last):
    actor_observer.errors.UserError: DATA: test pairs are for judging alone; choose and fit on the validation split
    """
    pairs = list(pairs)
    if split == "test" or any(pair.split == "test" for pair in pairs):
        raise UserError(f"{data}: test pairs are for judging alone; choose and fit on the validation split")
    if not write or not pairs:
        return
    path, used = _path(data), _read(data)
    for pair in pairs:
        used[pair.id] = sorted({*used.get(pair.id, []), what})
    try:
        write_whole(path, (json.dumps(dict(sorted(used.items())), indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error


def seen_before(data: Path, pairs: Iterable[Pair]) -> str:
    """A line on how many of the pairs that are judged were used for choosing, and what; "" where none was.

    >>> seen_before(Path("no-such-data"), [])
    ''
    """
    used = _read(data)
    known = [pair.id for pair in pairs if pair.id in used]
    if not known:
        return ""
    what = sorted({one for id in known for one in used[id]})
    return f"note: {len(known)} of these pairs were used for choosing before ({'; '.join(what)}): not a fair judgement"


def _path(data: Path) -> Path:
    return (data if data.is_dir() else data.parent) / FILE


def _read(data: Path) -> dict[str, list[str]]:
    path = _path(data)
    if not path.is_file():
        return {}
    try:
        return {str(id): [str(one) for one in what] for id, what in json.loads(path.read_text("utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
