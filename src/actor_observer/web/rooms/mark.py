"""Mark: moments that both videos of a pair share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from actor_observer.web.guard import LOOK, MARK, InStudio
from actor_observer.web.store.mark_clock import clock_of_marks
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()
Seconds = Annotated[float, Body(allow_inf_nan=False, ge=0, le=1e6)]


@router.get("/api/marks")
def marks(pair: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """The marks of a pair, and the clock they make."""
    return _state(studio, pair, person)


@router.post("/api/marks")
def add(
    pair: Annotated[str, Body()],
    id: Annotated[str, Body()],
    third: Seconds,
    first: Seconds,
    studio: InStudio,
    person: Person = MARK,
) -> dict[str, Any]:
    """Add a mark; the page makes its id, so that a repeated call adds it once."""
    studio.pair(pair)
    studio.marks.add(pair, person.id, id, third, first)
    return _state(studio, pair, person)


@router.put("/api/marks")
def move(
    pair: Annotated[str, Body()],
    id: Annotated[str, Body()],
    third: Seconds,
    first: Seconds,
    studio: InStudio,
    person: Person = MARK,
) -> dict[str, Any]:
    """Move a mark."""
    studio.marks.move(pair, person.id, id, third, first)
    return _state(studio, pair, person)


@router.delete("/api/marks")
def delete(pair: str, id: str, studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """Delete a mark."""
    studio.marks.delete(pair, person.id, id)
    return _state(studio, pair, person)


@router.post("/api/marks/undo")
def undo(pair: Annotated[str, Body(embed=True)], studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """Take back one's last step."""
    done = studio.marks.undo(pair, person.id)
    return {**_state(studio, pair, person), "done": done}


@router.post("/api/marks/redo")
def redo(pair: Annotated[str, Body(embed=True)], studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """Do again what was undone."""
    done = studio.marks.redo(pair, person.id)
    return {**_state(studio, pair, person), "done": done}


def _state(studio: Studio, pair: str, person: Person) -> dict[str, Any]:
    found = studio.marks.of(pair)
    clock = clock_of_marks(found)
    disputed, left_out = (set(clock.disputed), set(clock.left_out)) if clock else (set(), set())
    names = {row["id"]: row["name"] for row in studio.people.all()}
    return {
        "marks": [
            {
                "id": mark.id,
                "third": mark.third,
                "first": mark.first,
                "mine": mark.person == person.id,
                "by": names.get(mark.person, "somebody"),
                "disputed": mark.id in disputed,
                "against": mark.id in left_out,
            }
            for mark in found
        ],
        "clock": clock.clock.anchors if clock and clock.clock else None,
        "agreed": clock is not None and clock.agreed,
    }
