"""Read ELAN's .eaf: every tier that has times, with what hangs below it as comments."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import unquote
from xml.etree import ElementTree

from actor_observer.alignment.labels.label import Label, Medium
from actor_observer.errors import UserError

__all__ = ["MOMENT", "OURS", "media_in", "parse_eaf", "read_eaf"]

OURS = "actor-observer: "  # what our tiers' names begin with
MOMENT = "ao-moment"  # the type of tiers whose ends mean nothing
MOST = 32 << 20  # bytes of a file


def read_eaf(content: bytes) -> tuple[list[Label], list[Medium]]:
    """All labels with a time of their own, on ELAN's clock, and the recordings that they are about."""
    root = parse_eaf(content)
    slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    said: dict[str, list[str]] = {}  # by annotation: what refers to it
    for mark in root.iter("REF_ANNOTATION"):
        said.setdefault(mark.get("ANNOTATION_REF", ""), []).append(_value(mark))
    labels = []
    for tier in root.iter("TIER"):
        name = tier.get("TIER_ID", "").removeprefix(OURS)
        for mark in tier.iter("ALIGNABLE_ANNOTATION"):
            times = [slots.get(mark.get(f"TIME_SLOT_REF{side}")) for side in (1, 2)]
            if times[0] is None or times[1] is None:
                continue  # inside a subdivision, ELAN may leave times open
            start, end = (_seconds(time) for time in times if time is not None)
            comment = "; ".join(text for text in said.get(mark.get("ANNOTATION_ID", ""), []) if text)
            moment = tier.get("LINGUISTIC_TYPE_REF") == MOMENT or end == start
            labels.append(Label(start, None if moment else end, _value(mark), comment, name))
    return sorted(labels, key=lambda one: one.start), media_in(root)


def media_in(root: ElementTree.Element) -> list[Medium]:
    """The recordings that a file names."""
    media = []
    for one in root.iter("MEDIA_DESCRIPTOR"):
        url = one.get("RELATIVE_MEDIA_URL") or one.get("MEDIA_URL") or ""
        sound = (one.get("MIME_TYPE") or "").startswith("audio/")
        media.append(Medium(PurePosixPath(unquote(url)).name, url, _seconds(one.get("TIME_ORIGIN") or "0"), sound))
    return media


def parse_eaf(content: bytes) -> ElementTree.Element:
    """The document; what is none, or may be a trap, is one line.

    >>> parse_eaf(b"<!DOCTYPE x [<!ENTITY a 'b'>]><x/>")
    Traceback (most recent call last):
    actor_observer.errors.UserError: declares entities, which no .eaf does
    """
    if len(content) > MOST:
        raise UserError(f"larger than {MOST >> 20} MB")
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UserError("declares entities, which no .eaf does")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise UserError(f"not XML ({error})") from error
    if root.tag != "ANNOTATION_DOCUMENT":
        raise UserError("not an ELAN file: it does not begin with ANNOTATION_DOCUMENT")
    return root


def _value(mark: ElementTree.Element) -> str:
    return (mark.findtext("ANNOTATION_VALUE") or "").strip()


def _seconds(milliseconds: str) -> float:
    try:
        return int(milliseconds) / 1000
    except ValueError:
        raise UserError(f"{milliseconds[:20]!r} is not a time in milliseconds") from None
