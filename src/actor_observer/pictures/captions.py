"""Lines of text for videos: a bar with a name on its left and a running time on its right."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from actor_observer.console import printable

__all__ = ["BAR", "caption"]

BAR = 22  # pixels, of one line
TEXT = 13  # pixels
MARGIN = 4  # pixels
GRAY = (215, 215, 215)  # of the words


def caption(left: str, right: str, width: int) -> NDArray[np.uint8]:
    """A bar (22, width, 3) with white text on black; what does not fit on the left is cut short.

    >>> caption("room.mp4", "12.0 s", 320).shape
    (22, 320, 3)
    """
    picture = Image.new("RGB", (width, BAR))
    draw, font = ImageDraw.Draw(picture), _font()
    place = width - MARGIN - draw.textlength(right, font=font)
    draw.text((max(place, MARGIN), MARGIN - 1), right, GRAY, font)
    draw.text((MARGIN, MARGIN - 1), _fitting(left, place - 2 * MARGIN), GRAY, font)
    return np.asarray(picture)


@lru_cache(maxsize=64)
def _fitting(text: str, width: float) -> str:
    """As much of a text as there is room for."""
    text, font = printable(text), _font()
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…" if text else ""


@lru_cache(maxsize=1)
def _font() -> ImageFont.FreeTypeFont:
    import matplotlib

    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", TEXT)
