"""What was found of several recordings: each on the common clock, and how sure that is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actor_observer.alignment.result import MOST_SURE, Verdict, write_text
from actor_observer.console import Answer
from actor_observer.pairs.manifest import View

__all__ = ["Camera", "Cameras"]

WORST: tuple[Verdict, ...] = ("unrelated", "cannot tell", "in step")


@dataclass(frozen=True)
class Camera:
    """One camera on the common clock: common time = offset + rate · its own time."""

    path: str
    view: View
    length: float  # seconds
    offset: float  # seconds
    rate: float
    offset_error: float | None  # half-width, 95 %: at the middle of its recording; None where it is not in step
    verdict: Verdict
    confidence: float
    via: str | None  # the camera that it was compared with; None for the reference
    recorder: bool = False  # a sound recorder, without pictures
    time: str = ""  # of a signal: the column that says when; its own time is seconds since its first row

    @property
    def signal(self) -> bool:
        """Whether it is a table of numbers."""
        return bool(self.time)

    @property
    def role(self) -> str:
        """In one word, for people."""
        if self.signal:
            return "signal"
        return "recorder" if self.recorder else "head" if self.view == "first" else "room"


@dataclass(frozen=True)
class Cameras(Answer):
    """What `align_many` found. The common clock is that of the reference camera."""

    ROWS = ("cameras",)

    cameras: tuple[Camera, ...]  # in the order given
    reference: int
    warnings: tuple[str, ...]

    @property
    def in_step(self) -> tuple[Camera, ...]:
        """Those whose clock can be believed, the reference among them."""
        return tuple(camera for camera in self.cameras if camera.verdict == "in step")

    @property
    def verdict(self) -> Verdict:
        """The worst of all cameras'."""
        return min((camera.verdict for camera in self.cameras), key=WORST.index)

    def __repr__(self) -> str:
        return f"<Cameras: {len(self.in_step)} of {len(self.cameras)} in step>"

    def __str__(self) -> str:
        wide = max(len(Path(camera.path).name) for camera in self.cameras)
        roles = max(len(camera.role) for camera in self.cameras)
        lines = []
        for number, camera in enumerate(self.cameras):
            name = f"{Path(camera.path).name:{wide}}  {camera.role:{roles}}"
            if number == self.reference:
                lines.append(f"{name}  the common clock")
                continue
            error = "" if camera.offset_error is None else f", ± {camera.offset_error:.2f} s"
            clock = f"common = {camera.offset:z.2f} s + {camera.rate:.6g} · own{error}"
            via = f"by {Path(camera.via or '').name}"
            lines.append(f"{name}  {clock}  {camera.verdict} ({min(camera.confidence, MOST_SURE):.0%}, {via})")
        return "\n".join([*lines, *(f"note: {warning}" for warning in self.warnings)])

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "verdict": self.verdict,
            "reference": self.cameras[self.reference].path,
            "cameras": [
                {
                    "path": camera.path,
                    "view": camera.view,
                    "recorder": camera.recorder,
                    "signal": camera.signal,
                    "length": round(camera.length, 3),
                    "offset": round(camera.offset, 4),
                    "rate": round(camera.rate, 7),
                    "verdict": camera.verdict,
                    "confidence": round(camera.confidence, 4),
                    "offset_error": None if camera.offset_error is None else round(camera.offset_error, 4),
                    "via": camera.via,
                }
                for camera in self.cameras
            ],
            "warnings": list(self.warnings),
        }

    def to_rerun(self, anyway: bool = False) -> Any:
        """A recording for the viewer Rerun; needs the extra `rerun`."""
        import actor_observer

        return actor_observer.to_rerun(self, anyway=anyway)

    def write(self, folder: str | Path) -> list[Path]:
        """Write `alignment.json` into a folder; what was written is returned."""
        path = Path(folder) / "alignment.json"
        write_text(path, json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n")
        return [path]
