"""All pairs of a data set as cards: what the first screen lists, filters and sorts. Thousands, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from actor_observer.pairs.manifest import Manifest, Pair, Take

__all__ = ["Card", "Cards", "Known", "Query"]

MOST = 200  # cards in one answer


@dataclass(frozen=True)
class Query:
    """What is asked for: words, filters, an order, a stretch of the list."""

    words: str = ""
    split: str = ""
    subject: str = ""
    action: str = ""
    verdict: str = ""
    people: str = ""  # "same" or "different"
    marked: str = ""  # "yes" or "no"
    state: str = ""  # of `review.states`
    tag: str = ""
    sort: str = "id"
    descending: bool = False
    start: int = 0
    count: int = 60


@dataclass(frozen=True)
class Known:
    """What people and models have said of pairs so far, by pair."""

    marks: Mapping[str, int] = field(default_factory=dict)  # how many
    verdicts: Mapping[str, str] = field(default_factory=dict)  # of `align`
    states: Mapping[str, str] = field(default_factory=dict)  # of `review.states`; a pair that is not named is open
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Card:
    """One pair, as it is listed."""

    pair: Pair
    third: Take
    first: Take
    actions: tuple[str, ...]  # labels, in order of time
    faults: tuple[str, ...]
    text: str  # everything that words are looked for in, in lower case

    def to_dict(self, names: Mapping[str, str], known: Known) -> dict[str, Any]:
        """What the page shows on a card."""
        id = self.pair.id
        return {
            "id": id,
            "third": self.third.id,
            "first": self.first.id,
            "lengths": [round(self.third.length, 2), round(self.first.length, 2)],
            "subject": self.third.subject,
            "other": self.first.subject if not self.pair.same_person else "",
            "script": self.third.script or self.first.script,
            "actions": [names.get(label, label) for label in self.actions],
            "split": self.pair.split or "",
            "same": self.pair.same_person,
            "faults": list(self.faults),
            "marks": known.marks.get(id, 0),
            "verdict": known.verdicts.get(id, ""),
            "state": known.states.get(id, "open"),
            "tags": list(known.tags.get(id, ())),
        }


class Cards:
    """The cards of a manifest.

    >>> Cards(Manifest({})).find(Query(), Known())
    {'total': 0, 'all': 0, 'start': 0, 'cards': []}
    """

    def __init__(self, manifest: Manifest, findings: Mapping[str, Sequence[str]] | None = None) -> None:
        self.names = manifest.classes
        faults: dict[str, list[str]] = {}
        for fault in manifest.faults:
            faults.setdefault(fault.path, []).append(fault.what)
        said = findings or {}  # of pairs, beside the faults of their files
        self.cards = {pair.id: _card(manifest, pair, faults, said.get(pair.id, ())) for pair in manifest.pairs}
        self._sorted: dict[str, list[Card]] = {}
        self.of_take: dict[str, list[str]] = {}  # pairs that a take is part of
        for pair in manifest.pairs:
            for take in (pair.third, pair.first):
                self.of_take.setdefault(take, []).append(pair.id)
        cards = list(self.cards.values())
        self.choices = {
            "subjects": sorted({card.third.subject for card in cards if card.third.subject}),
            "splits": sorted({card.pair.split for card in cards if card.pair.split}),
            "actions": [
                {"label": label, "name": manifest.classes.get(label, label)}
                for label in sorted({label for card in cards for label in card.actions})
            ],
        }

    def find(self, query: Query, known: Known) -> dict[str, Any]:
        """The cards that fit, in order, from `start` on; how many fit, and how many there are."""
        found = self.fitting(query, known)
        start = max(0, query.start)
        shown = found[start : start + max(0, min(query.count, MOST))]
        cards = [card.to_dict(self.names, known) for card in shown]
        return {"total": len(found), "all": len(self.cards), "start": start, "cards": cards}

    def sharing(self, pair: Pair) -> list[str]:
        """Pairs that have a take in common with a pair, itself among them."""
        return list(dict.fromkeys([*self.of_take[pair.third], *self.of_take[pair.first]]))

    def fitting(self, query: Query, known: Known) -> list[Card]:
        """All cards that fit, in order."""
        found = self._in_order(query.sort, known.marks)
        for word in query.words.lower().split():
            found = [card for card in found if word in card.text]
        asked = (query.split, query.subject, query.action, query.verdict, query.people, query.marked)
        if any((*asked, query.state, query.tag)):
            found = [card for card in found if _fits(card, query, known)]
        return found[::-1] if query.descending else found

    def _in_order(self, sort: str, marks: Mapping[str, int]) -> list[Card]:
        if sort == "marks":
            return sorted(self.cards.values(), key=lambda card: (marks.get(card.pair.id, 0), card.pair.id))
        if sort not in self._sorted:
            keys: dict[str, Any] = {
                "subject": lambda card: (card.third.subject, card.pair.id),
                "length": lambda card: (card.third.length, card.pair.id),
                "actions": lambda card: (len(card.actions), card.pair.id),
                "faults": lambda card: (len(card.faults), card.pair.id),
            }
            self._sorted[sort] = sorted(self.cards.values(), key=keys.get(sort, lambda card: card.pair.id))
        return self._sorted[sort]


def _fits(card: Card, query: Query, known: Known) -> bool:
    id = card.pair.id
    if query.split and card.pair.split != query.split:
        return False
    if query.subject and query.subject not in (card.third.subject, card.first.subject):
        return False
    if query.action and query.action not in card.actions:
        return False
    if query.people and (query.people == "same") is not card.pair.same_person:
        return False
    if query.verdict and known.verdicts.get(id, "") != query.verdict:
        return False
    if query.state and known.states.get(id, "open") != query.state:
        return False
    if query.tag and query.tag not in known.tags.get(id, ()):
        return False
    return not query.marked or (query.marked == "yes") is bool(known.marks.get(id))


def _card(manifest: Manifest, pair: Pair, faults: Mapping[str, list[str]], more: Sequence[str]) -> Card:
    third, first = manifest.takes[pair.third], manifest.takes[pair.first]
    actions = sorted((*third.actions, *first.actions), key=lambda action: action.start)
    labels = tuple(dict.fromkeys(action.label for action in actions))
    names = [manifest.classes.get(label, "") for label in labels]
    said = (*(what for take in (third, first) for what in faults.get(str(take.path), ())), *more)
    text = " ".join((pair.id, third.subject, first.subject, third.script, third.scene, *labels, *names, *said)).lower()
    return Card(pair, third, first, labels, said, text)
