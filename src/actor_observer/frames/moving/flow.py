"""What moves between two pictures: differences and optical flow in numbers, over the whole picture and over a grid.

A frame costs some 0.3 ms here beside 0.1 of flow: an hour of video has a hundred thousand of them.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from actor_observer.frames.moving.affine import less_affine, median

__all__ = [
    "AMOUNTS",
    "CELLS",
    "COLUMNS",
    "FINE",
    "FINE_COLUMNS",
    "FINE_ROWS",
    "GRID",
    "LONG_SIDE",
    "ROWS",
    "WHOLE",
    "Floats",
    "Gray",
    "measure",
    "pooled",
]

LONG_SIDE = 192  # pixels: flow on more says no more about when something moves
COLUMNS, ROWS = 8, 6  # cells of the picture
GRID = COLUMNS * ROWS
# Each cell in four: the head of somebody who sits at the other end of a room fills one of these, not one of those.
FINE_COLUMNS, FINE_ROWS = 2 * COLUMNS, 2 * ROWS
FINE = FINE_COLUMNS * FINE_ROWS
# Over the whole picture. `peak` is a mean that counts what moves most, `top` the largest of all: a small person in a
# large room stays visible.
WHOLE = (
    "difference", "difference_peak", "difference_top", "residual", "affine", "textured", "camera", "zoom", "light",
)  # fmt: skip
CELLS = ("difference", "difference_peak", "residual", "residual_peak", "right", "down")  # over each cell of the grid
AMOUNTS = 4  # the first of these; the others have a sign
_PEAK = 4  # the power of that mean
_PEAKS = tuple(place for place, name in enumerate(CELLS) if name.endswith("peak"))

Floats = NDArray[np.float32]
Gray = NDArray[np.uint8]  # (H, W)


def measure(before: Gray, now: Gray, flow: Floats, edges: Floats, per_second: float) -> tuple[list[float], Floats]:
    """Two pictures and the flow (H, W, 2) between them, in numbers: in the order of `WHOLE`, and (6, 192) of `CELLS`.

    `edges` (H, W) are those of the later picture.

    >>> still = np.full((48, 64), 100, np.uint8)
    >>> overall, each = measure(still, still, np.zeros((48, 64, 2), np.float32), np.zeros((48, 64), np.float32), 30.0)
    >>> overall, each.shape
    ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0], (6, 192))
    """
    changed = cv2.absdiff(before, now)
    difference = changed.astype(np.float32)
    blurred = cv2.GaussianBlur(difference, (0, 0), 2.0)
    scale = per_second / LONG_SIDE  # of pixels a frame to picture widths a second
    right, down = cv2.split(flow)
    few = np.stack([right[::2, ::2].ravel(), down[::2, ::2].ravel()])  # (2, N)
    middle = median(few)
    residual = cv2.magnitude(*(few - middle[:, None])).ravel()
    textures = edges[::2, ::2].ravel()
    affine, zoom = less_affine(flow[::6, ::6])
    overall = [
        _mean(changed),
        (cv2.norm(cv2.multiply(blurred, blurred), cv2.NORM_L2SQR) / blurred.size) ** (1 / _PEAK),
        cv2.minMaxLoc(blurred)[1],
        _mean(residual) * scale,
        float(affine.mean()) * scale,
        float(residual @ textures) / len(textures) / (_mean(textures) + 1) * scale,
        float(np.hypot(*middle)) * scale,
        zoom * scale,
        _mean(now),
    ]
    apart = cv2.magnitude(right - middle[0], down - middle[1])
    each = np.stack([
        _over_cells(difference),
        _peaks(blurred),
        _over_cells(apart) * scale,
        _peaks(apart) * scale,
        _over_cells(right) * scale,
        _over_cells(down) * scale,
    ])  # fmt: skip
    return overall, each


def _mean(values: Floats | Gray) -> float:
    """Summed in double precision, and several times faster than `values.mean()` of so few."""
    return float(cv2.mean(values)[0])


def pooled(fine: NDArray[np.floating]) -> Floats:
    """The fine grid (..., 6, 192) in cells four times as large, (..., 6, 48).

    >>> pooled(np.ones((5, 6, FINE))).shape
    (5, 6, 48)
    """
    four = np.asarray(fine, np.float32).reshape(*fine.shape[:-1], ROWS, 2, COLUMNS, 2)
    mean = four.mean(axis=(-3, -1))
    for place in _PEAKS:
        one = four[..., place, :, :, :, :]
        mean[..., place, :, :] = np.sqrt(np.sqrt(np.square(np.square(one)).mean(axis=(-3, -1))))
    return np.asarray(mean.reshape(*fine.shape[:-1], GRID))


def _over_cells(values: Floats) -> Floats:
    """The mean over each cell of the fine grid, (192,)."""
    return cv2.resize(values, (FINE_COLUMNS, FINE_ROWS), interpolation=cv2.INTER_AREA).ravel()


def _peaks(values: Floats) -> Floats:
    """The mean over each cell that counts what is largest, (192,)."""
    return np.sqrt(np.sqrt(_over_cells(np.square(np.square(values)))))
