"""Marks that were made elsewhere: ELAN's files and CSV."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body

from actor_observer.web.door.guard import MARK, InStudio
from actor_observer.web.labels import take_in
from actor_observer.web.store.people import Person

__all__ = ["router"]

router = APIRouter()


@router.post("/api/marks/file")
def read(
    name: Annotated[str, Body(max_length=1000)],
    text: Annotated[str, Body()],
    studio: InStudio,
    person: Person = MARK,
) -> dict[str, Any]:
    """Take in the marks of an .eaf or a CSV as one's own."""
    return asdict(take_in(studio, person.id, name, text.encode()))
