"""Film strips of a finding: the same moments of two cameras, as the data set says, one below the other."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from actor_observer.auditing.judging.finding import Finding
from actor_observer.auditing.measuring.events import Event
from actor_observer.errors import TakeError
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.pictures.figures.parts.thumbnails import thumbnails
from actor_observer.pictures.report.page import Html, data_uri, tag

__all__ = ["draw_strips"]

PICTURES = 7  # of a strip, as many as fit beside each other
SIZE = 72  # pixels of the short side
CLOSE = ("late", "shared delay", "step", "repeated", "dropped")  # frame by frame, where much moves


def draw_strips(found: Finding, event: Event, line: Mapping[str, Any]) -> list[Html]:
    """A strip for each camera that a finding is about, and for one that it can be compared with."""
    takes = dict(event.cameras)
    names = [name for name in found.recordings if name in line["cameras"]]
    names += [name for name in takes if name in line["cameras"] and name not in names][: max(0, 2 - len(names))]
    if not names:
        return []
    try:
        times = _times(found, event, names[0], line)
        return [_strip(event, names[0], name, times) for name in names[:2]]
    except (TakeError, OSError):
        return []  # its own finding says what is wrong with the file


def _strip(event: Event, clock: str, name: str, times: NDArray[np.float64]) -> Html:
    take = dict(event.cameras)[name]
    own = times if name == clock else np.asarray(event.stated(clock, name).to_first(times))
    pictures = thumbnails(take, np.clip(own, 0, take.length), SIZE)
    images = [
        tag("img", src=data_uri(_webp(picture), "image/webp"), alt=f"{name} at {time:.2f} s", title=f"{time:.2f} s")
        for picture, time in zip(pictures, own, strict=True)
    ]
    spoken = tag("span", f"{name}, {own[0]:.2f} to {own[-1]:.2f} s", class_=take.view)
    return tag("div", spoken, tag("div", *images, class_="pictures"), class_="strip")


def _times(found: Finding, event: Event, name: str, line: Mapping[str, Any]) -> NDArray[np.float64]:
    """Moments on the clock of one camera: frame by frame where it moves most, or over the stretch in question."""
    take, facts = dict(event.cameras)[name], line["cameras"][name]
    frame = 1 / max(facts["rate"], 1.0)
    if found.start is not None and found.end is not None:
        around = max(3 * frame, 0.25 * (found.end - found.start))
        return np.linspace(max(0.0, found.start - around), min(take.length, found.end + around), PICTURES)
    if found.kind in CLOSE:
        middle = found.start if found.start is not None else _busiest(take)
        return middle + frame * (np.arange(PICTURES) - PICTURES // 2)
    return (np.arange(PICTURES) + 0.5) / PICTURES * take.length


def _busiest(take: Any) -> float:
    """When its picture changes most, over half a second."""
    frames = kept_motion(take).frames
    change = np.convolve(frames.of("change"), np.ones(7), "same")
    inside = slice(7, -7) if len(change) > 20 else slice(None)
    return float(frames.times[inside][int(change[inside].argmax())])


def _webp(picture: NDArray[np.uint8]) -> bytes:
    written = io.BytesIO()
    Image.fromarray(picture).save(written, "webp", quality=70, method=4)
    return written.getvalue()
