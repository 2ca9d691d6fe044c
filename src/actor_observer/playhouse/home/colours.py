"""Colours of homes, things and clothes."""

from __future__ import annotations

import colorsys

__all__ = ["Colour", "hue"]

Colour = tuple[float, float, float]


def hue(h: float, s: float, v: float) -> Colour:
    """A colour by hue, saturation and value.

    >>> hue(0.0, 1.0, 1.0)
    (1.0, 0.0, 0.0)
    """
    r, g, b = colorsys.hsv_to_rgb(h % 1.0, min(max(s, 0.0), 1.0), min(max(v, 0.0), 1.0))
    return round(r, 3), round(g, 3), round(b, 3)
