"""Study: a moment of one video is shown, find it in the other; clocks and marks stay hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body

from actor_observer.errors import UserError
from actor_observer.web.door.guard import MARK, OWN, InStudio
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio
from actor_observer.web.study.studies import Studies, draw_tasks

__all__ = ["router"]

router = APIRouter()


@router.get("/api/studies")
def studies(studio: InStudio, person: Person = MARK) -> list[dict[str, Any]]:
    """All studies, and how far this person is in each."""
    return Studies(studio.database).all(person.id)


@router.post("/api/studies")
def make(
    name: Annotated[str, Body()],
    find: Annotated[str, Body()],
    pairs: Annotated[int, Body(ge=1, le=100_000)],
    moments: Annotated[int, Body(ge=1, le=20)],
    studio: InStudio,
    split: Annotated[str, Body()] = "",
    seed: Annotated[int, Body()] = 0,
    person: Person = OWN,
) -> dict[str, Any]:
    """A new study on pairs of the same person, of one split or of all."""
    from actor_observer.pairs.splits import seeded_order

    fitting = {
        pair.id: pair for pair in studio.manifest.pairs if pair.same_person and (not split or pair.split == split)
    }
    chosen = [fitting[id] for id in seeded_order(fitting, seed)[:pairs]]
    if not chosen:
        raise UserError("No pair of the same person fits: choose another split.")
    tasks = draw_tasks(studio.manifest, chosen, find, moments, seed)
    return {"id": Studies(studio.database).make(name, find, seed, tasks), "tasks": len(tasks)}


@router.get("/api/studies/{id}/next")
def next_task(id: int, studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """The next moment for this person, and nothing that would tell where it belongs."""
    task, done, total = Studies(studio.database).next_task(id, person.id, studio.cards.cards)
    if task is None:
        return {"done": done, "total": total, "task": None}
    pair = studio.pair(task["pair"])
    shown, searched = (pair.first, pair.third) if task["find"] == "third" else (pair.third, pair.first)
    return {
        "done": done,
        "total": total,
        "task": {
            "id": task["id"],
            "time": task["time"],
            "find": task["find"],
            "shown": shown,
            "searched": searched,
            "length": studio.take(searched).length,
        },
    }


@router.post("/api/answers")
def answer(
    task: Annotated[int, Body()],
    studio: InStudio,
    time: Annotated[float | None, Body(ge=0, le=1e6)] = None,
    seconds: Annotated[float, Body(ge=0, le=1e6)] = 0.0,
    automated: Annotated[bool, Body()] = True,
    person: Person = MARK,
) -> dict[str, Any]:
    """Keep an answer; without a time it is a skip. A browser that a program drives says so."""
    Studies(studio.database).answer(task, person.id, time, seconds, automated)
    return {}


@router.post("/api/studies/{id}/back")
def back(id: int, studio: InStudio, person: Person = MARK) -> dict[str, Any]:
    """Take back one's last answer."""
    return {"done": Studies(studio.database).take_back(id, person.id)}


@router.get("/api/agreement")
def agreement(studio: InStudio, person: Person = OWN) -> dict[str, Any]:
    """How well people agree so far, in studies and in what they marked; the helper measures it."""
    if not Studies(studio.database).answers() and not studio.marks.stamps():
        return {"found": []}
    return studio.finder.call("agreement", data=_data(studio), keep=str(studio.keep.absolute()))


def _data(studio: Studio) -> list[str]:
    places = studio.settings.places.data or (studio.collected,)
    return [str(Path(place).absolute()) for place in places]
