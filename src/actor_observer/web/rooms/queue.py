"""Queue: the next pair for whoever asks, what each person has done, and what the owner decides about pairs."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Field

from actor_observer.errors import UserError
from actor_observer.web.door.guard import LOOK, MARK, OWN, InStudio
from actor_observer.web.review.states import STATES
from actor_observer.web.store.people import Person

__all__ = ["router"]

router = APIRouter()
Ids = Annotated[list[str], Body(embed=True), Field(max_length=100_000)]
PAGE = 200  # pairs in one answer


@router.get("/api/queue")
def state(studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """How far the queue is: for me, for all, and for the owner for each person."""
    known = studio.cards.cards
    rows = [row for row in studio.queue.rows() if row["pair"] in known]
    states = studio.states.all()
    people = [dict(row) for row in studio.queue.people()]
    mine = next((one for one in people if one["id"] == person.id), {"done": 0, "skipped": 0})
    return {
        "mine": {"done": mine["done"], "skipped": mine["skipped"], "left": studio.queue.left(person.id, known)},
        "pairs": len(rows),
        "wanted": sum(row["wanted"] for row in rows),
        "done": sum(min(row["done"], row["wanted"]) for row in rows),
        "short": sum(row["done"] < row["wanted"] for row in rows),
        "states": {name: count for name, count in _counted(known, states).items() if name in STATES},
        "people": people if person.may("own") else [],
    }


@router.post("/api/queue")
def put(
    wanted: Annotated[int, Body()],
    studio: InStudio,
    pairs: Ids | None = None,
    split: Annotated[str, Body()] = "",
    person: Person = OWN,
) -> dict[str, Any]:
    """Put pairs in the queue: those named, else all of a split, else all."""
    known = studio.cards.cards
    chosen = pairs if pairs is not None else [id for id, card in known.items() if split in ("", card.pair.split)]
    if not chosen or not all(id in known for id in chosen):
        raise UserError("There are no such pairs in this data set.")
    studio.queue.put(chosen, wanted)
    return {"pairs": len(chosen)}


@router.post("/api/queue/out")
def take_out(studio: InStudio, pairs: Ids, person: Person = OWN) -> dict[str, Any]:
    """Take pairs out of the queue."""
    studio.queue.take_out(pairs)
    return {}


@router.post("/api/queue/assign")
def assign(studio: InStudio, pairs: Ids, to: Annotated[int, Body()], person: Person = OWN) -> dict[str, Any]:
    """Choose who marks pairs."""
    helper = next((row for row in studio.people.all() if row["id"] == to), None)
    if helper is None or helper["role"] not in ("mark", "owner"):
        raise UserError("Nobody here who may mark has that number.")
    studio.queue.assign([id for id in pairs if id in studio.cards.cards], to)
    return {"name": helper["name"]}


@router.post("/api/queue/next")
def next_pair(studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """The next pair for this person; asked again before it is done or skipped, the same one."""
    return {"pair": studio.queue.next(person.id, studio.cards.cards)}


@router.post("/api/queue/done")
def done(pair: Annotated[str, Body(embed=True)], studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """Say that one has marked a pair."""
    studio.queue.done(pair, person.id)
    return {}


@router.post("/api/queue/skip")
def skip(
    pair: Annotated[str, Body()], reason: Annotated[str, Body()], studio: InStudio, person: Person = MARK
) -> dict[str, Any]:
    """Leave a pair to others, and say why."""
    studio.queue.skip(pair, person.id, reason)
    return {}


@router.get("/api/queue/pairs")
def listed(studio: InStudio, state: str = "", start: int = 0, person: Person = OWN) -> dict[str, Any]:
    """Pairs of the queue with their review state, who is still wanted, and why some skipped them."""
    known, states = studio.cards.cards, studio.states.all()
    rows = [dict(row) for row in studio.queue.rows() if row["pair"] in known]
    found = [{**row, "state": states.get(row["pair"], "open")} for row in rows]
    found = [row for row in found if not state or row["state"] == state]
    return {"total": len(found), "pairs": found[max(0, start) : max(0, start) + PAGE]}


@router.post("/api/review")
def review(studio: InStudio, pairs: Ids, state: Annotated[str, Body()], person: Person = OWN) -> dict[str, Any]:
    """Accept pairs or leave them out; "" takes that back."""
    studio.decisions.decide([id for id in pairs if id in studio.cards.cards], person.id, state)
    return {"states": {id: studio.states.all().get(id, "open") for id in pairs[:PAGE]}}


@router.post("/api/tags")
def tag(
    studio: InStudio,
    pairs: Ids,
    tag: Annotated[str, Body()],
    off: Annotated[bool, Body()] = False,
    person: Person = MARK,
) -> dict[str, Any]:
    """Put a tag on pairs, or take it off."""
    studio.decisions.tag([id for id in pairs if id in studio.cards.cards], person.id, tag, off)
    return {}


@router.get("/api/views")
def views(studio: InStudio, person: Person = LOOK) -> list[dict[str, Any]]:
    """The views of the list that this person has saved."""
    return studio.decisions.views(person.id)


@router.post("/api/views")
def save_view(
    studio: InStudio, name: Annotated[str, Body()], query: Annotated[dict[str, str], Body()], person: Person = LOOK
) -> list[dict[str, Any]]:
    """Save what the list shows under a name."""
    studio.decisions.save_view(person.id, name, query)
    return studio.decisions.views(person.id)


@router.delete("/api/views/{id}")
def delete_view(id: int, studio: InStudio, person: Person = LOOK) -> list[dict[str, Any]]:
    """Forget a view."""
    studio.decisions.delete_view(person.id, id)
    return studio.decisions.views(person.id)


def _counted(known: Any, states: dict[str, str]) -> Counter[str]:
    """How many pairs of the data are in each state."""
    counted = Counter(state for pair, state in states.items() if pair in known)
    counted["open"] += len(known) - sum(counted.values())
    return counted
