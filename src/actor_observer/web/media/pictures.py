"""Small pictures of videos: a film strip for each take, and single frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image
from torch import Tensor

from actor_observer.disk import write_whole
from actor_observer.frames.at import frames_at
from actor_observer.pairs.manifest import Take
from actor_observer.pairs.window import stem_of

__all__ = ["STRIP_FRAMES", "write_frame", "write_strip"]

STRIP_FRAMES = 6  # of the strip on a card
STRIP_SIZE = (90, 120)  # height and width of each picture on a strip


def write_strip(path: Path, rate: float | None, length: float, out: Path) -> None:
    """Six frames of a take side by side, evenly over its length."""
    times = (np.arange(STRIP_FRAMES) + 0.5) / STRIP_FRAMES * length
    frames = frames_at(_take(path, rate), times, size=STRIP_SIZE[0], threads=1)
    height, width = STRIP_SIZE
    strip = Image.new("RGB", (width * STRIP_FRAMES, height))
    for number, frame in enumerate(frames):
        strip.paste(_cropped(frame, width), (number * width, 0))
    _save(strip, out, quality=72)


def write_frame(path: Path, rate: float | None, time: float, height: int, out: Path) -> None:
    """The frame on screen at a time, with a short side of `height` pixels."""
    _save(_image(frames_at(_take(path, rate), [time], size=height, threads=1)[0]), out, quality=80)


def _cropped(frame: Tensor, width: int) -> Image.Image:
    picture = _image(frame)
    if picture.width < width:  # upright video: fill the width, keep the middle
        scale = width / picture.width
        picture = picture.resize((width, round(picture.height * scale)))
    left, top = (picture.width - width) // 2, (picture.height - STRIP_SIZE[0]) // 2
    return picture.crop((left, top, left + width, top + STRIP_SIZE[0]))


def _image(frame: Tensor) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(frame.permute(1, 2, 0).numpy()))


def _take(path: Path, rate: float | None) -> Take:
    return Take(stem_of(path), "third", path, 0.0, frame_rate=rate)


def _save(picture: Image.Image, out: Path, quality: int) -> None:
    import io

    content = io.BytesIO()
    picture.save(content, "JPEG", quality=quality)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, content.getvalue())
