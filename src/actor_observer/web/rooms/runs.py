"""Runs: the report of each, and what two of them see in the same pair."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from actor_observer.errors import UserError
from actor_observer.web.door.guard import LOOK, InStudio
from actor_observer.web.store.people import Person

__all__ = ["router"]

router = APIRouter()
# A report is one page that needs nothing else: its pictures and style are inside, and it may run nothing.
REPORT = {
    "content-security-policy": (
        "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
    )
}


@router.get("/api/runs")
def runs(studio: InStudio, person: Person = LOOK) -> list[dict[str, Any]]:
    """All runs that the studio was started with."""
    return [
        {
            "number": number,
            "name": run.name,
            "report": (run / "report.html").is_file(),
            "model": (run / "model.safetensors").is_file(),
        }
        for number, run in enumerate(studio.settings.places.runs)
    ]


@router.get("/runs/{number}/report")
def report(number: int, studio: InStudio, person: Person = LOOK) -> Response:
    """The report of a run, as `actor-observer report` wrote it."""
    runs = studio.settings.places.runs
    if not 0 <= number < len(runs):
        raise UserError("There is no such run.")
    path = runs[number] / "report.html"
    if not path.is_file():
        raise UserError(f"This run has no report yet: actor-observer report {runs[number].name} --data DATA")
    return HTMLResponse(path.read_bytes(), headers=REPORT)
