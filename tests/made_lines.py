"""Lines as `measure` writes them, made up: what a judgement is tested with."""

from __future__ import annotations

from typing import Any

THIRD = {"light": 100.0, "contrast": 65.0, "edges": 6.7, "change": 0.3, "camera": 0.001}
FIRST = {"light": 118.0, "contrast": 24.0, "edges": 2.7, "change": 1.5, "camera": 0.2}


def camera(view: str, **other: Any) -> dict[str, Any]:
    """Facts of a healthy camera."""
    facts = {"view": view, "file": f"{view}.mp4", "length": 30.0, "frames": 450, "rate": 15.0, "still": False}
    facts |= {"gaps": [], "uneven": 0.0, "black": [], "blank": [], "repeated": [], "frozen": [], "leaps": []}
    return facts | (THIRD if view == "third" else FIRST) | other


def line(id: str, lag: float = 0.0, **other: Any) -> dict[str, Any]:
    """A healthy take of two cameras, the room camera late by so much."""
    offset = {"one": "third", "other": "first", "lag": lag, "error": 0.02}
    offset |= {"own_error": 0.02, "rate": 1.0, "rate_error": 2e-4}
    offset |= {"confidence": 0.99, "matched": 0.99, "verdict": "in step", "step": [9.0, 0.0, 0.5]}
    offset |= {"curve": {"start": lag - 0.1, "step": 0.1, "values": [0.0, 5.0, 0.0]}}
    cameras = {view: camera(view, hash=f"{id}.{view}") for view in ("third", "first")}
    return {"id": id, "format": 1, "cameras": cameras, "offsets": [offset], "faults": []} | other


def takes(count: int, lag: float = 0.0) -> list[dict[str, Any]]:
    """Healthy takes with a little scatter."""
    return [line(f"take-{number}", lag + 0.003 * (number % 5 - 2)) for number in range(count)]
