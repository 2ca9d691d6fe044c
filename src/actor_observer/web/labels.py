"""Marks for ELAN, and marks from ELAN's files and from CSV: what people mark elsewhere comes into the studio."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, replace

from actor_observer.alignment.labels.eaf_read import read_eaf
from actor_observer.alignment.labels.eaf_write import eaf_of
from actor_observer.alignment.labels.label import Label, Medium
from actor_observer.alignment.labels.label_csv import as_typed, rows_in
from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.window import file_of, window_of
from actor_observer.web.cards import Card
from actor_observer.web.export import clock_behind
from actor_observer.web.store.marks import COMMENT, LABEL, Said
from actor_observer.web.studio import Studio

__all__ = ["Taken", "elan_zip", "take_in"]

BEYOND = 0.5  # seconds: a header may say less than there is
SAME = 0.001  # seconds: marks this near to each other, with the same label, are one


@dataclass(frozen=True)
class Taken:
    """What was taken in."""

    added: int
    known: int  # were there already
    pairs: tuple[str, ...]
    outside: int = 0  # left out: not in both videos


def elan_zip(studio: Studio) -> bytes:
    """An .eaf for each pair with marks, a tier for each person, on the observer's clock; both videos play in step.

    ELAN has one clock: where somebody's marks contradict it in the actor's video, marks.csv has both times.
    """
    names, content = studio.people.names(), io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bundle:
        for number, (id, card) in enumerate(studio.cards.cards.items()):
            marks = studio.marks.of(id)
            if not marks:
                continue
            labels = [
                Label(one.third, one.third_end, one.label, one.comment, names.get(one.person, ("somebody", ""))[0])
                for one in marks
            ]
            start = max(0.0, _clock(studio, card).to_third(0.0))
            media = [
                Medium(file_of(path).name, file_of(path).absolute().as_uri(), window_of(path)[0] + own)
                for path, own in ((card.third.path, start), (card.first.path, _clock(studio, card).to_first(start)))
            ]
            safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in id)
            inside = [one.at(-start) for one in labels]
            bundle.writestr(f"{safe}.eaf" if safe == id else f"{safe}-{number}.eaf", eaf_of(inside, media))
    return content.getvalue()


def take_in(studio: Studio, person: int, name: str, content: bytes) -> Taken:
    """Add the marks in a file as this person's. Sent twice, they are added once.

    A CSV says the `pair` of each row. An .eaf is about the pair whose videos it names, or whose id is its own name. Of
    an .eaf, what lies outside of the stretch that both videos show is left out, and what `align` said by itself.
    """
    outside = 0
    try:
        if name.lower().endswith(".eaf"):
            said, outside = _in_eaf(studio, name, content)
        else:
            said = _in_csv(studio, content)
    except UserError as error:
        raise UserError(f"{name}: {error}") from error
    added = 0
    for _, one in said:
        one.check()
    for pair, one in said:
        there = [mark for mark in studio.marks.of(pair, person) if abs(mark.third - one.third) <= SAME]
        if not any(mark.label == one.label for mark in there):
            seed = f"{pair}\0{person}\0{one.third:.3f}\0{one.label}"
            studio.marks.add(pair, person, hashlib.sha256(seed.encode()).hexdigest()[:32], one)
            added += 1
    return Taken(added, len(said) - added, tuple(dict.fromkeys(pair for pair, _ in said)), outside)


def _in_eaf(studio: Studio, name: str, content: bytes) -> tuple[list[tuple[str, Said]], int]:
    """Whose marks, and how many are left out."""
    labels, media = read_eaf(content)
    pair, card = _meant(studio, name, [one.name for one in media])
    origins = {one.name: one.origin for one in media}
    room = card.third.path
    third = origins.get(file_of(room).name, media[0].origin if media else 0.0) - window_of(room)[0]
    clock, said, outside = _clock(studio, card), [], []
    for one in (one for one in labels if not one.ours):
        try:
            said.append((pair, _said(one.at(third), clock, card)))
        except UserError as error:
            outside.append(error)
    if outside and not said:
        raise outside[0]
    return said, len(outside)


def _meant(studio: Studio, name: str, media: list[str]) -> tuple[str, Card]:
    stem = name.rsplit("/", 1)[-1].removesuffix(".eaf")
    cards = studio.cards.cards
    if stem in cards:
        return stem, cards[stem]
    found = [id for id, card in cards.items() if card.pair.same_person and file_of(card.third.path).name in media]
    if len(found) != 1:
        many = "several pairs have" if found else "no pair has"
        raise UserError(f"{many} the videos that it names; name the file after its pair, PAIR.eaf")
    return found[0], cards[found[0]]


def _in_csv(studio: Studio, content: bytes) -> list[tuple[str, Said]]:
    said = []
    for number, row in enumerate(rows_in(content), start=2):
        pair = row.get("pair", "")
        if pair not in studio.cards.cards:
            raise UserError(f"row {number}: no pair {pair!r} here; the column pair says whose mark it is")
        card = studio.cards.cards[pair]
        clock = _clock(studio, card)
        try:
            times = {side: float(row[side]) for side in ("third", "first", "third_end", "first_end") if row.get(side)}
            text, comment = (as_typed(row.get(name, "")) for name in ("label", "comment"))
            label = Label(times["third"], times.get("third_end"), text, comment)
        except (ValueError, KeyError):
            raise UserError(f"row {number}: no time in seconds") from None
        one = _said(label, clock, card)
        firsts = times.get("first", one.first), times.get("first_end", one.first_end)
        said.append((pair, replace(one, first=firsts[0], first_end=firsts[1])))
    return said


def _said(label: Label, clock: Clock, card: Card) -> Said:
    """A mark, its time in the actor's video by the pair's clock."""
    ends = [None if time is None else round(float(clock.to_first(time)), 4) for time in (label.start, label.end)]
    first = ends[0] or 0.0, ends[1]
    inside = 0 <= label.start <= card.third.length + BEYOND and 0 <= first[0] <= card.first.length + BEYOND
    if not inside:
        raise UserError(f"{label.text[:40]!r} at {label.start:.2f} s: not in both videos")
    return Said(label.start, first[0], label.end, first[1], label.text[:LABEL], label.comment[:COMMENT])


def _clock(studio: Studio, card: Card) -> Clock:
    return clock_behind(studio, card) or card.pair.clock
