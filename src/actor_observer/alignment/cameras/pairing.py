"""Which head recording, or which signal, belongs to which room recording? Two folders become a data set."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from actor_observer.alignment.asked import bounded_look_rate, check_asked
from actor_observer.alignment.cameras.partners import Partners, find_partners
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.looking import look_at_readable
from actor_observer.alignment.recordings.recording import Recording, open_recording, open_signal
from actor_observer.alignment.result import write_text
from actor_observer.alignment.sight import Sight
from actor_observer.console import Answer, counted
from actor_observer.errors import TakeError, UserError
from actor_observer.features.embed_videos import find_videos
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Fault, View
from actor_observer.pairs.probe import FRAME_SUFFIXES, VIDEO_SUFFIXES
from actor_observer.pairs.table import columns_of, path_in_csv
from actor_observer.pairs.window import stem_of
from actor_observer.signals import is_signal

__all__ = ["Pairing", "check_pairs_csv", "pair"]

COLUMNS = ("id", "third", "first", "clock", "verdict", "confidence")
SIGNALS = ("signals", "signals_clock")  # of a room recording whose partner is a signal: `third:signal` anchor points


@dataclass(frozen=True)
class Pairing(Answer):
    """What `pair` found."""

    ROWS = ("pairs", "doubtful")

    pairs: tuple[Partners, ...]  # in step: both the partner and the clock are sure
    doubtful: tuple[Partners, ...]  # a likely partner, but not sure, or its clock is not
    alone: tuple[Recording, ...]  # no partner was found
    faults: tuple[Fault, ...]  # files that could not be read

    def __str__(self) -> str:
        lines = [
            f"{_name(one.third)}  {_name(one.first)}  {one.verdict} (confidence {one.confidence:.2f})  "
            f"observer = {one.found.belief.offset:z.2f} s + {one.found.belief.rate:.6g} · {_role(one)}{_error(one)}"
            for one in (*self.pairs, *self.doubtful)
        ]
        lines += [f"{_name(one)}  no partner" for one in self.alone]
        return "\n".join([*lines, self._counts])

    def __repr__(self) -> str:
        return f"<Pairing: {self._counts}>"

    @property
    def _counts(self) -> str:
        pairs = counted(len(self.pairs), "pair")
        return f"{pairs}, {len(self.doubtful)} doubtful, {len(self.alone)} without a partner"

    @property
    def _signals(self) -> bool:
        """Whether signals were paired, not head cameras."""
        sides = (*(one.first for one in (*self.pairs, *self.doubtful)), *self.alone)
        return any(one.source == "signal" for one in sides)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "pairs": [_plain(one) for one in self.pairs],
            "doubtful": [_plain(one) for one in self.doubtful],
            "unmatched": {
                name: [str(one.path) for one in self.alone if one.source == name]
                for name in ("third", "first", *(["signal"] if self._signals else []))
            },
            "faults": [str(fault) for fault in self.faults],
        }

    def write_csv(self, path: str | Path) -> None:
        """Write a `pairs.csv`: a row for each pair in step, and one for every other take, which then has no pair.

        A signal is no take: it stands beside its room recording, or not at all.
        """
        path = Path(path)
        text = io.StringIO()
        columns = (*COLUMNS, *SIGNALS) if self._signals else COLUMNS
        writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
        writer.writeheader()
        ids: set[str] = set()
        for one in self.pairs:
            row = {"verdict": one.verdict, "confidence": f"{one.confidence:.3f}"}
            side, clock = SIGNALS if one.first.source == "signal" else ("first", "clock")
            files = {"third": _in_csv(one.third, path), side: _in_csv(one.first, path), clock: str(one.clock)}
            writer.writerow({"id": _new_id(one.third, ids), **files, **row})
        for single in (*self.alone, *(side for one in self.doubtful for side in (one.third, one.first))):
            if single.source != "signal":
                writer.writerow({"id": _new_id(single, ids), str(single.view): _in_csv(single, path)})
        write_text(path, text.getvalue())


def pair(
    third: str | Path | Sequence[str | Path],
    first: str | Path | Sequence[str | Path],
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    look_rate: float = LOOK_RATE,
    max_offset: float | None = None,
    same_speed: bool = False,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
) -> Pairing:
    """Find the partners among recordings of many events, each filmed by a room camera and a head camera.

    All are compared with all, each file looked at once. A file that cannot be read is a fault, and left out.

    >>> from actor_observer.model import NetworkConfig
    >>> from actor_observer.pairs import ROBOTS
    >>> room, head = (ROBOTS / f"videos/1_L_S_6_horizontal_n_4_regrasp.{view}.mp4" for view in ("third", "first"))
    >>> small = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)  # quick, knows nothing
    >>> pair([room], [head], model=small)  # three seconds are too short to tell
    <Pairing: 0 pairs, 1 doubtful, 0 without a partner>

    Args:
        third: a folder of room recordings, or the files themselves.
        first: head recordings, likewise; or signals (joints, IMUs), a folder of nothing but them.
        each: called once for every file, and again for every room recording.
        model, backbone, look_rate, max_offset, same_speed, device: as for `align`.
    """
    check_asked(look_rate, max_offset, device)
    files = {"third": name_recordings(third), "first": name_recordings(first)}
    _refuse_shared(files["third"], files["first"])
    faults: list[Fault] = []
    sides = [_readable(files[view], view, faults, each) for view in ("third", "first")]
    for view, side in zip(("third", "first"), sides, strict=True):
        if not side:
            fault = next(fault for fault in faults if Path(fault.path) in files[view])
            what = "signals" if is_signal(files[view][0]) else f"{view}-person recordings"
            raise UserError(f"none of the {what} can be read; {fault.path}: {fault.what}")
    longest = [max(one.length for one in side) for side in sides]
    network = open_model(model, backbone)
    seen_at = bounded_look_rate((longest[0], longest[1]), look_rate)
    found = find_partners(sides[0], sides[1], Comparer(Sight(network, seen_at, device), max_offset, same_speed), each)
    taken = {id(side) for one in found for side in (one.third, one.first)}
    return Pairing(
        pairs=tuple(one for one in found if one.verdict == "in step"),
        doubtful=tuple(one for one in found if one.verdict != "in step"),
        alone=tuple(one for side in sides for one in side if id(one) not in taken),
        faults=tuple(faults),
    )


def check_pairs_csv(path: Path) -> None:
    """Refuse what `Pairing.write_csv` should not write: another kind of file, or over a table that it did not write.

    >>> check_pairs_csv(Path("pairs.txt"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: pairs.txt: the pairs are written as .csv
    """
    if path.suffix.lower() != ".csv":
        raise UserError(f"{path}: the pairs are written as .csv")
    there = columns_of(path)  # none where there is no file
    if path.is_dir() or there - {*COLUMNS, *SIGNALS} or (there and not there.issuperset(COLUMNS)):
        raise UserError(f"{path}: there already, and pair did not write it; choose another name")


def name_recordings(place: str | Path | Sequence[str | Path]) -> list[Path]:
    """The recordings in a folder, or these very files.

    >>> name_recordings(["a.mp4", "b.mp4"])
    [PosixPath('a.mp4'), PosixPath('b.mp4')]
    """
    places = [place] if isinstance(place, (str, Path)) else place
    return [*find_videos(file for one in map(Path, places) for file in _signals_in(one) or [one]).values()]


def signals_beside(place: str | Path) -> list[Path]:
    """Signals in a folder of videos, which `pair` leaves out."""
    return [] if _signals_in(Path(place)) else [path for path in _inside(Path(place)) if is_signal(path)]


def _signals_in(folder: Path) -> list[Path]:
    """The signals of a folder in which there is nothing else to compare."""
    inside = _inside(folder)
    if any(path.suffix.lower() in VIDEO_SUFFIXES | FRAME_SUFFIXES for path in inside):
        return []
    return [path for path in inside if is_signal(path)]


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []  # a file, or a folder about which `find_videos` says what is wrong


def _refuse_shared(thirds: list[Path], firsts: list[Path]) -> None:
    """No file can be of both views, and a room recording has pictures."""
    if any(map(is_signal, thirds)):
        raise UserError("signals are the second folder: actor-observer pair CAMERAS SIGNALS --out pairs.csv")
    places = {path.resolve() for path in thirds}
    for path in firsts:
        if path.resolve() in places:
            raise UserError(f"{path}: among both the room recordings and the head recordings; put it where it belongs")


def _readable(paths: list[Path], view: View, faults: list[Fault], each: Callable[[], object]) -> list[Recording]:
    found = []
    for one in look_at_readable([partial(_open, path, view) for path in paths], each):
        if isinstance(one, Recording):
            found.append(one)
        else:
            faults.append(Fault(str(one.path), one.fault, left_out=True))
    return found


def _open(path: Path, view: View, part: Callable[[float], object]) -> Recording:
    if not is_signal(path):
        return open_recording(path, view, None, part)
    try:
        return open_signal(path)
    except UserError as error:  # of one file among many: the others go on
        raise TakeError(path, str(error).removeprefix(f"{path}: ")) from error


def _plain(one: Partners) -> dict[str, Any]:
    belief = one.found.belief
    return {
        "third": str(one.third.path),
        one.first.source: str(one.first.path),
        "verdict": one.verdict,
        "confidence": round(one.confidence, 4),
        "share": round(one.share, 4),
        "offset": round(belief.offset, 4),
        "offset_error": round(one.found.error, 4),
        "rate": round(belief.rate, 7),
        "clock": str(one.clock),
    }


def _role(one: Partners) -> str:
    return "signal" if one.first.source == "signal" else "actor"


def _error(one: Partners) -> str:
    """Of the clock, where it can be believed."""
    return f", ± {one.found.error:.2f} s" if one.verdict == "in step" else ""


def _name(one: Recording) -> str:
    return one.path.name if one.path else f"a {one.view}-person video"


def _in_csv(one: Recording, path: Path) -> str:
    assert one.path is not None
    return path_in_csv(os.path.relpath(one.path.absolute(), path.absolute().parent))


def _new_id(one: Recording, ids: set[str]) -> str:
    """The file's name without its ending, made unique."""
    assert one.path is not None
    stem = path_in_csv(stem_of(one.path)).replace("./", "_")
    id = next(name for number in range(10**6) if (name := f"{stem}-{number}" if number else stem) not in ids)
    ids.add(id)
    return id
