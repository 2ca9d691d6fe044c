"""How every figure looks: sizes, colours that colour-blind readers can tell apart, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

__all__ = ["MARGIN", "WIDTH", "Colours", "Theme", "box", "colours", "in_style", "sheet", "show_frame", "theme"]

Theme = Literal["light", "dark"]
WIDTH = 6.0  # inches of every figure: text of 10 points is 9 pixels on a phone, 15 on a desktop
MARGIN = 0.12  # inches
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Colours:
    """The hues are Okabe and Ito's: observer blue, actor orange, and green for what is right."""

    paper: str
    ink: str
    faint: str
    third: str
    first: str
    right: str
    near: str  # colour map of distances: small ones stand out from the background
    order: tuple[float, float]  # the part of viridis that is legible on the background

    def of(self, view: str) -> str:
        return self.third if view == "third" else self.first


_COLOURS: dict[Theme, Colours] = {
    "light": Colours("#ffffff", "#1d1d1f", "#77777c", "#0072b2", "#d55e00", "#009e73", "Greys_r", (0.0, 0.85)),
    "dark": Colours("#181818", "#ececf0", "#9a9aa2", "#56b4e9", "#e69f00", "#2fc79a", "Greys", (0.25, 1.0)),
}
_theme: ContextVar[Theme] = ContextVar("theme", default="light")


@contextmanager
def theme(name: Theme) -> Iterator[None]:
    """A context in which figures are drawn for a light or a dark page.

    >>> with theme("dark"):
    ...     colours().paper
    '#181818'
    """
    before = _theme.set(name)
    try:
        yield
    finally:
        _theme.reset(before)


def colours() -> Colours:
    """The colours of the current theme.

    >>> colours().paper
    '#ffffff'
    """
    return _COLOURS[_theme.get()]


def in_style(draw: Callable[P, R]) -> Callable[P, R]:
    """Make a drawing function use this style, whatever the caller's own matplotlib settings are.

    >>> in_style(lambda: mpl.rcParams["font.size"])()
    10.0
    """

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context(_settings()):
            return draw(*args, **kwargs)

    return styled


def sheet(height: float, width: float = WIDTH) -> Figure:
    """An empty figure, in inches.

    >>> sheet(2.0).get_size_inches().tolist()
    [6.0, 2.0]
    """
    return Figure(figsize=(width, height), dpi=200)


def box(figure: Figure, left: float, top: float, width: float, height: float, **settings: Any) -> Axes:
    """Axes at a place counted in inches from the figure's top left corner.

    >>> [float(side) for side in box(sheet(2.0), 0.0, 0.5, 6.0, 1.0).get_position().bounds]
    [0.0, 0.25, 1.0, 0.5]
    """
    wide, high = figure.get_size_inches()
    place = (left / wide, (high - top - height) / high, width / wide, height / high)
    return figure.add_axes(place, **settings)


def show_frame(axes: Axes, pixels: NDArray[Any], edge: str | None = None, thick: float = 2.0) -> None:
    """Show a frame (H, W, 3) without ticks, with or without a coloured edge, cropped to its middle to fit the axes.

    >>> import numpy as np
    >>> axes = box(sheet(1.0), 0, 0, 1.0, 1.0)
    >>> show_frame(axes, np.zeros((4, 8, 3), dtype=np.uint8))
    >>> axes.images[0].get_array().shape
    (4, 4, 3)
    """
    window = axes.get_window_extent()
    axes.imshow(_cut(pixels, window.width / window.height), aspect="auto", interpolation="antialiased")
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(visible=edge is not None, linewidth=thick, edgecolor=edge or "none")


def _cut(pixels: NDArray[Any], aspect: float) -> NDArray[Any]:
    """The middle of a frame in another shape (width over height): cropped, never squeezed."""
    height, width = pixels.shape[:2]
    if width > height * aspect:
        keep = max(1, round(height * aspect))
        start = (width - keep) // 2
        return pixels[:, start : start + keep]
    keep = max(1, round(width / aspect))
    start = (height - keep) // 2
    return pixels[start : start + keep]


def _settings() -> Any:
    """Matplotlib's own defaults with ours on top; the backend stays what it was."""
    hues, plain = colours(), dict(mpl.rcParamsDefault)
    del plain["backend"]
    return {
        **plain,
        "font.family": "DejaVu Sans",  # comes with matplotlib: the same everywhere
        "text.parse_math": False,  # a take's id may hold dollars
        "font.size": 10.0,
        "axes.titlesize": 10.0,
        "axes.labelsize": 9.0,
        "xtick.labelsize": 9.0,
        "ytick.labelsize": 9.0,
        "legend.fontsize": 9.0,
        "legend.frameon": False,
        "figure.facecolor": hues.paper,
        "axes.facecolor": hues.paper,
        "axes.edgecolor": hues.faint,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.color": hues.faint,
        "ytick.color": hues.faint,
        "ytick.labelcolor": hues.ink,
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.labelcolor"), hues.ink),
        "lines.linewidth": 1.6,
        "lines.solid_capstyle": "round",
    }
