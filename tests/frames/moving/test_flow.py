"""What is measured between two pictures is what the plain definitions say, to rounding."""

import cv2
import numpy as np
from numpy.typing import NDArray

from actor_observer.frames.moving.flow import CELLS, LONG_SIDE, WHOLE, measure
from actor_observer.frames.moving.looks import edges_of

Array = NDArray[np.float64]


def plain_affine(flow: Array) -> tuple[float, float]:
    """How far vectors are from the affine motion of most, on average; and how fast it zooms."""
    height, width = flow.shape[:2]
    down, right = np.mgrid[0:height, 0:width]
    place = np.stack([np.ones(height * width), right.ravel() / width - 0.5, down.ravel() / height - 0.5], axis=1)
    vectors, weight = flow.reshape(-1, 2), np.ones(height * width)
    for _ in range(3):
        motion = np.linalg.solve(
            place.T @ (place * weight[:, None]) + 1e-6 * np.eye(3), (place * weight[:, None]).T @ vectors
        )
        apart = np.hypot(*(vectors - place @ motion).T)
        weight = 1 / (1 + (apart / (np.median(apart) + 0.05)) ** 2)
    return float(apart.mean()), float(abs(motion[1, 0] + motion[2, 1]))


def test_the_definitions() -> None:
    rng = np.random.default_rng(0)
    before, now = (rng.integers(0, 255, (60, 80), dtype=np.uint8) for _ in range(2))
    flow = rng.normal(size=(60, 80, 2)).astype(np.float32)
    overall, each = measure(before, now, flow, edges_of(now), 30.0)
    scale = 30.0 / LONG_SIDE
    difference = np.abs(before.astype(float) - now)
    blurred = cv2.GaussianBlur(difference, (0, 0), 2.0)
    middle = np.median(flow[::2, ::2].reshape(-1, 2).astype(float), axis=0)
    residual = np.hypot(*(flow[::2, ::2] - middle).T).T
    right, down = (cv2.Sobel(now, cv2.CV_64F, x, 1 - x, scale=0.125) for x in (1, 0))
    edges = np.hypot(right, down)[::2, ::2]
    affine, zoom = plain_affine(flow[::6, ::6].astype(float))
    whole = {
        "difference": difference.mean(),
        "difference_peak": np.mean(blurred**4) ** 0.25,
        "difference_top": blurred.max(),
        "residual": residual.mean() * scale,
        "affine": affine * scale,
        "textured": (residual * edges).mean() / (edges.mean() + 1) * scale,
        "camera": np.hypot(*middle) * scale,
        "zoom": zoom * scale,
        "light": now.mean(),
    }
    assert np.allclose(overall, [whole[name] for name in WHOLE], rtol=1e-5)
    cells = flow[..., 0].reshape(12, 5, 16, 5).mean(axis=(1, 3)).ravel() * scale
    assert np.allclose(each[CELLS.index("right")], cells, atol=1e-6)
