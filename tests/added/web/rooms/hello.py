"""A room for the test of extending."""

from __future__ import annotations

from fastapi import APIRouter

from actor_observer.web.door.guard import LOOK, InStudio
from actor_observer.web.store.people import Person

router = APIRouter()


@router.get("/api/hello")
def hello(studio: InStudio, person: Person = LOOK) -> dict[str, str]:
    return {"hello": person.name}
