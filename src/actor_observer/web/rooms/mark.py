"""Mark: moments that both videos of a pair share."""

from __future__ import annotations

from dataclasses import asdict, fields
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field

from actor_observer.errors import UserError
from actor_observer.web.door.guard import LOOK, MARK, InStudio
from actor_observer.web.store.mark_clock import clock_of_marks
from actor_observer.web.store.marks import Said
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()
Time = partial(Field, allow_inf_nan=False, ge=0, le=1e6)
Seconds = Annotated[float, Body(allow_inf_nan=False, ge=0, le=1e6)]
End = Annotated[float | None, Body(allow_inf_nan=False, ge=0, le=1e6)]
BEYOND = 0.5  # seconds: a header may say less than there is


class Change(BaseModel):
    """What is to be changed about a mark."""

    pair: str
    id: str
    third: float = Time(0)
    first: float = Time(0)
    third_end: float | None = Time(None)
    first_end: float | None = Time(None)
    label: str = ""
    comment: str = ""


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
    third_end: End = None,
    first_end: End = None,
    label: Annotated[str, Body()] = "",
    comment: Annotated[str, Body()] = "",
    person: Person = MARK,
) -> dict[str, Any]:
    """Add a mark; the page makes its id, so that a repeated call adds it once."""
    said = Said(third, first, third_end, first_end, label, comment)
    _check_inside(studio, pair, asdict(said))
    studio.marks.add(pair, person.id, id, said)
    return _state(studio, pair, person)


@router.put("/api/marks")
def change(asked: Change, studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """Move a mark, or change its words; what is not named stays."""
    said = asked.model_dump(exclude_unset=True, exclude={"pair", "id"})
    _check_inside(studio, asked.pair, said)
    studio.marks.change(asked.pair, person.id, asked.id, **said)
    return _state(studio, asked.pair, person)


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


@router.put("/api/clock")
def set_clock(
    pair: Annotated[str, Body()], clock: Annotated[str, Body()], studio: InStudio, person: Person = MARK
) -> dict[str, Any]:
    """Keep the clock that a person set by hand; "" forgets it."""
    studio.pair(pair)
    studio.hand.set(pair, person.id, clock)
    return {}


def _check_inside(studio: Studio, pair: str, said: dict[str, Any]) -> None:
    """Refuse times at which a recording has nothing to show."""
    found = studio.pair(pair)
    for view, name in (("third", "observer"), ("first", "actor")):
        length = studio.take(getattr(found, view)).length
        for time in (said.get(view), said.get(f"{view}_end")):
            if time is not None and time > length + BEYOND:
                raise UserError(f"The {name}'s video has ended there: it is {length:.2f} s long.")


def _state(studio: Studio, pair: str, person: Person) -> dict[str, Any]:
    found = studio.marks.of(pair)
    clock = clock_of_marks(found)
    disputed, left_out = (set(clock.disputed), set(clock.left_out)) if clock else (set(), set())
    names = studio.people.names()
    return {
        "marks": [
            {
                "id": mark.id,
                **{field.name: getattr(mark, field.name) for field in fields(Said)},
                "mine": mark.person == person.id,
                "by": names.get(mark.person, ("somebody", ""))[0],
                "disputed": mark.id in disputed,
                "against": mark.id in left_out,
            }
            for mark in found
        ],
        "clock": clock.clock.anchors if clock and clock.clock else None,
        "agreed": clock is not None and clock.agreed,
        "people": len(clock.people) if clock else 0,
    }
