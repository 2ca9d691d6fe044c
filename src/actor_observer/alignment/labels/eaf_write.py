"""Write ELAN's .eaf: our labels as tiers of our own; in a file that is there already, all other tiers stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from actor_observer.alignment.labels.eaf_read import MOMENT, OURS, media_in, parse_eaf
from actor_observer.alignment.labels.label import Label, Medium
from actor_observer.console import printable
from actor_observer.errors import UserError

__all__ = ["eaf_of"]

STRETCH, COMMENT = "ao-stretch", "ao-comment"
SHOWN = 100  # milliseconds that a moment is shown for: ELAN has no annotation without a length
SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
ORDER = ("LICENSE", "HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "LOCALE", "LANGUAGE", "CONSTRAINT")


def eaf_of(labels: Sequence[Label], media: Sequence[Medium], notes: Sequence[str] = (), kept: bytes = b"") -> str:
    """A document; of `kept`, an .eaf that is there already, everything stays but the tiers that we wrote before.

    Labels are on the clock whose zero is each medium's origin. A kept file has a clock of its own: the labels move to
    it by the first recording that both know.
    """
    if kept:
        root = parse_eaf(kept)
        moved = _between(media, media_in(root))
        labels = [one.at(moved) for one in labels]
    else:
        root = _blank(media)
    for tier in [one for one in root.findall("TIER") if one.get("TIER_ID", "").startswith(OURS)]:
        root.remove(tier)
    header = root.find("HEADER")
    for note in notes if header is not None else ():
        ElementTree.SubElement(header, "PROPERTY", NAME="note").text = printable(note)  # type: ignore[arg-type]
    _add(root, labels)
    _types(root)
    root[:] = sorted(root, key=lambda one: ORDER.index(one.tag) if one.tag in ORDER else len(ORDER))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _blank(media: Sequence[Medium]) -> ElementTree.Element:
    ElementTree.register_namespace("xsi", SCHEMA)
    root = ElementTree.Element("ANNOTATION_DOCUMENT", AUTHOR="actor-observer", FORMAT="3.0", VERSION="3.0")
    root.set("DATE", datetime.now(UTC).isoformat(timespec="seconds"))
    root.set(f"{{{SCHEMA}}}noNamespaceSchemaLocation", "http://www.mpi.nl/tools/elan/EAFv3.0.xsd")
    header = ElementTree.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    for one in sorted(media, key=lambda one: one.numbers):  # linked files, such as signals, come after media
        place, origin = one.url or quote(one.name), str(_milli(one.origin))
        name, word = ("LINKED_FILE_DESCRIPTOR", "LINK") if one.numbers else ("MEDIA_DESCRIPTOR", "MEDIA")
        known = {f"{word}_URL": place, "MIME_TYPE": _kind(one), f"RELATIVE_{word}_URL": place, "TIME_ORIGIN": origin}
        ElementTree.SubElement(header, name, known)
    ElementTree.SubElement(root, "TIME_ORDER")
    return root


def _kind(medium: Medium) -> str:
    """The type of a file in ELAN's words.

    >>> [_kind(Medium(name, "", 0.0, name.endswith("wav"))) for name in ("a.mp4", "a.mov", "a.mkv", "a.wav")]
    ['video/mp4', 'video/quicktime', 'video/x-matroska', 'audio/x-wav']
    """
    if medium.numbers:
        return "text/plain"
    suffix = PurePosixPath(medium.name).suffix.lower()
    if medium.sound:
        return {".wav": "audio/x-wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4"}.get(suffix, "unknown")
    kinds = {".mov": "video/quicktime", ".mkv": "video/x-matroska", ".avi": "video/x-msvideo", ".mpg": "video/mpeg"}
    return kinds.get(suffix, "video/mp4")


def _between(ours: Sequence[Medium], theirs: Sequence[Medium]) -> float:
    """Seconds that their clock reads more than ours."""
    for one in ours:
        for other in theirs:
            if one.name == other.name:
                return one.origin - other.origin
    names = ", ".join(one.name for one in theirs) or "no recording"
    raise UserError(f"it is about {names}, and not about {', '.join(one.name for one in ours)}")


def _add(root: ElementTree.Element, labels: Sequence[Label]) -> None:
    order = root.find("TIME_ORDER")
    if order is None:
        order = ElementTree.SubElement(root, "TIME_ORDER")
    slots, marks = _new_ids(root, "TIME_SLOT_ID", "ts"), _new_ids(root, "ANNOTATION_ID", "a")
    for name in dict.fromkeys((one.tier, one.end is None) for one in labels):
        tier, moment = name
        both = {end is None for one in labels if one.tier == tier for end in (one.end,)} == {True, False}
        id = f"{OURS}{printable(tier)}{' (moments)' if both and moment else ''}"
        kind = MOMENT if moment else STRETCH
        made = ElementTree.SubElement(root, "TIER", LINGUISTIC_TYPE_REF=kind, TIER_ID=id)
        said: list[tuple[str, str]] = []
        for one in labels:
            if (one.tier, one.end is None) == name:
                start = max(0, _milli(one.start))
                end = start + SHOWN if one.end is None else max(start + 1, _milli(one.end))
                ends = {f"TIME_SLOT_REF{side}": next(slots) for side in (1, 2)}
                for slot, time in zip(ends.values(), (start, end), strict=True):
                    ElementTree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=slot, TIME_VALUE=str(time))
                mark = next(marks)
                _annotate(made, "ALIGNABLE_ANNOTATION", {"ANNOTATION_ID": mark, **ends}, one.text)
                said += [(mark, one.comment)] if one.comment else []
        if said:
            below = {"LINGUISTIC_TYPE_REF": COMMENT, "PARENT_REF": id, "TIER_ID": f"{id}: comments"}
            child = ElementTree.SubElement(root, "TIER", below)
            for mark, text in said:
                of = {"ANNOTATION_ID": next(marks), "ANNOTATION_REF": mark}
                _annotate(child, "REF_ANNOTATION", of, text)


def _annotate(tier: ElementTree.Element, kind: str, known: dict[str, str], text: str) -> None:
    mark = ElementTree.SubElement(ElementTree.SubElement(tier, "ANNOTATION"), kind, known)
    ElementTree.SubElement(mark, "ANNOTATION_VALUE").text = printable(text, keep="\n")


def _types(root: ElementTree.Element) -> None:
    there = {one.get("LINGUISTIC_TYPE_ID") for one in root.iter("LINGUISTIC_TYPE")}
    for name in (MOMENT, STRETCH, COMMENT):
        if name not in there:
            known: dict[str, str] = {"CONSTRAINTS": "Symbolic_Association"} if name == COMMENT else {}
            known |= {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": name}
            ElementTree.SubElement(root, "LINGUISTIC_TYPE", {**known, "TIME_ALIGNABLE": str(name != COMMENT).lower()})
    if not any(one.get("STEREOTYPE") == "Symbolic_Association" for one in root.iter("CONSTRAINT")):
        said = "1-1 association with a parent annotation"
        ElementTree.SubElement(root, "CONSTRAINT", DESCRIPTION=said, STEREOTYPE="Symbolic_Association")


def _new_ids(root: ElementTree.Element, attribute: str, letters: str) -> Any:
    """Ids that nothing in the document has."""
    there = {one.get(attribute) for one in root.iter()}
    return (id for number in range(1, 10**7) if (id := f"{letters}{number}") not in there)


def _milli(seconds: float) -> int:
    return round(1000 * seconds)
