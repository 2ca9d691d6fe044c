"""Files of labels: what may be written, which marks a file holds for these recordings, and the file itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from actor_observer.alignment.cameras.clocked import Clocked, shared_stretch
from actor_observer.alignment.labels.eaf_read import read_eaf
from actor_observer.alignment.labels.eaf_write import eaf_of
from actor_observer.alignment.labels.label import Label, Medium
from actor_observer.alignment.labels.label_csv import as_typed, csv_of, rows_in
from actor_observer.alignment.result import write_text
from actor_observer.errors import UserError
from actor_observer.pairs.window import file_of, window_of

__all__ = ["check_labels", "labels_of", "read_marks", "write_labels"]

SUFFIXES = (".eaf", ".csv")


def check_labels(path: Path, force: bool = False) -> None:
    """Refuse a file that cannot be written, or that is there already, before any slow work.

    >>> check_labels(Path("labels.txt"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: labels.txt: labels are written as .eaf (ELAN) or .csv
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"{path}: labels are written as .eaf (ELAN) or .csv")
    if path.exists() and not force:
        kept = "; its other tiers stay" if path.suffix.lower() == ".eaf" else ""
        raise UserError(f"{path}: there is a file already; --force writes our labels into it{kept}")


def read_marks(path: Path, recordings: Sequence[Clocked]) -> list[Label]:
    """The marks in a file, on the recordings' common clock.

    An .eaf tells times of the recordings that it names; where it names none of these, and in a CSV, they are those of
    the first room camera. Of the studio's marks.csv, the rows of the pair that is named like one of the recordings.
    What `align` said by itself in a file that it wrote is no mark.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"--marks {path}: cannot be read ({error.strerror})") from error
    try:
        if path.suffix.lower() == ".eaf":
            found = _from_eaf(content, recordings)
        else:
            found = _from_csv(rows_in(content), recordings)
    except UserError as error:
        raise UserError(f"--marks {path}: {error}") from error
    return [one for one in found if not one.ours]


def labels_of(recordings: Sequence[Clocked], marks: Sequence[tuple[float, str]] = ()) -> list[Label]:
    """What `align` has to say: the stretch that all recordings show, and its moments."""
    shared = shared_stretch(recordings)
    return [
        Label(shared.start, shared.end, "in all recordings", tier="shared"),
        *(Label(time, None, text, tier="moments") for time, text in marks),
    ]


def write_labels(
    path: Path, labels: Sequence[Label], recordings: Sequence[Clocked], notes: Sequence[str] = ()
) -> list[Path]:
    """Write labels, in time's order; an .eaf that is there keeps its other tiers. Gives the file.

    ELAN plays every recording from where the stretch that all show begins, and so in step. It knows no drift: what the
    clocks drift apart is a note, and `trim` makes files without it.
    """
    start = shared_stretch(recordings).start
    media = [_medium(one, path, start) for one in recordings]
    labels = sorted(labels, key=lambda one: one.start)
    if path.suffix.lower() == ".csv":
        owns = [[one.clock.to_first(label.start) for one in recordings] for label in labels]
        write_text(path, csv_of(labels, _columns(recordings), owns))
        return [path]
    inside = [one.at(-start) for one in labels if one.start >= start - 1e-3]
    try:
        text = eaf_of(inside, media, notes, path.read_bytes() if path.is_file() else b"")
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    write_text(path, text)
    return [path]


def _medium(one: Clocked, path: Path, start: float) -> Medium:
    if one.path is None:
        raise UserError("pixels have no file that labels could name")
    file, begun = file_of(one.path), window_of(one.path)[0]
    url = quote(os.fsencode(os.path.relpath(file.absolute(), path.absolute().parent)))
    url, origin = url if url.startswith("..") else f"./{url}", begun + one.clock.to_first(start)
    return Medium(file.name, url, origin, one.recorder, bool(one.time))


def _columns(recordings: Sequence[Clocked]) -> list[str]:
    """The files' names; with their folders where two have the same, as cameras that count their files write them."""
    names = [one.name for one in recordings]
    return [
        f"{one.path.parent.name}/{name}" if one.path and names.count(name) > 1 else name
        for one, name in zip(recordings, names, strict=True)
    ]


def _room(recordings: Sequence[Clocked]) -> Clocked:
    return next((one for one in recordings if one.view == "third" and not one.recorder), recordings[0])


def _from_eaf(content: bytes, recordings: Sequence[Clocked]) -> list[Label]:
    labels, media = read_eaf(content)
    whose, origin = _room(recordings), media[0].origin if media else 0.0
    for one in media:
        same = [clocked for clocked in recordings if clocked.path and file_of(clocked.path).name == one.name]
        if same and same[0].path:
            whose, origin = same[0], one.origin - window_of(same[0].path)[0]
            break
    return [_on_common(one.at(origin), whose) for one in labels]


def _from_csv(rows: Sequence[dict[str, str]], recordings: Sequence[Clocked]) -> list[Label]:
    pairs = {row["pair"] for row in rows if row.get("pair")}
    if len(pairs) > 1:
        names = {part for one in recordings if one.path for part in (one.path.stem, one.path.parent.name)}
        wanted = pairs & names
        if len(wanted) != 1:
            raise UserError(
                f"marks of {len(pairs)} pairs, none of which is named like these recordings: keep the rows of one pair"
            )
        rows = [row for row in rows if row.get("pair") in wanted]
    room, labels = _room(recordings), []
    column = _columns(recordings)[recordings.index(room)]
    for number, row in enumerate(rows, start=2):
        try:
            own = row.get("third") or row.get(column) or ""
            start = float(own or row["start"])
            end = float(text) if (text := row.get("third_end") if "third" in row else row.get("end")) else None
            if end is not None and not row.get("third") and own:
                end += start - float(row["start"])  # `end` is on the common clock of its own file
            text, comment = (as_typed(row.get(name, "")) for name in ("label", "comment"))
            made = Label(start, end, text, comment, row.get("tier") or row.get("by") or "marks")
        except (ValueError, KeyError) as error:
            raise UserError(f"row {number}: no time in seconds ({error})") from None
        labels.append(_on_common(made, room))
    return labels


def _on_common(one: Label, whose: Clocked) -> Label:
    """From a recording's own time."""
    end = None if one.end is None else whose.clock.to_third(one.end)
    return Label(whose.clock.to_third(one.start), end, one.text, one.comment, one.tier)
