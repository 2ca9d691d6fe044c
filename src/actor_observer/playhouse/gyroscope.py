"""What a gyroscope on the head would measure, while the head camera records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse.record import filming_of
from actor_observer.playhouse.set_plan import TakePlan

__all__ = ["as_measured", "turning_of"]

Array = NDArray[np.float64]
FINE = 500.0  # samples a second of the truth
EXTRA = 1.0  # seconds before and after the video: a gyroscope may be late


def turning_of(take: TakePlan) -> tuple[Array, NDArray[np.float32]]:
    """Times (T,) of a head camera's video, and its true angular velocity (T, 3) about its own axes, radians a second.

    >>> from actor_observer.playhouse import plan_set
    >>> times, omega = turning_of(plan_set(pairs=1, seed=0).pairs[0].first)
    >>> omega.shape == (len(times), 3), bool(np.abs(omega).max() < 20)
    (True, True)
    """
    times = np.arange(-EXTRA, take.length + EXTRA, 1 / FINE)
    frames = filming_of(take).bodies(take.moments(times)).look  # (T, 3, 3); a fixed tilt does not change how it turns
    change = np.gradient(frames, 1 / FINE, axis=0)
    turning = np.swapaxes(frames, 1, 2) @ change  # (T, 3, 3), skew
    omega = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    return times, omega.astype(np.float32)


def as_measured(
    times: Array,  # (T,)
    values: NDArray[np.floating],  # (T, 3)
    rate: float,  # samples a second
    noise: float,  # at 100 samples a second; it grows with the rate
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Times and values as a cheap sensor gives them: jitter, noise and a bias.

    >>> at, rows = as_measured(np.arange(0, 9, 0.01), np.zeros((900, 3)), 50.0, 0.02, np.random.default_rng(0))
    >>> len(at), bool(np.all(np.diff(at) > 0)), bool(0 < np.abs(rows).mean() < 0.1)
    (450, True, True)
    """
    at = np.sort(np.arange(times[0], times[-1], 1 / rate) + rng.uniform(-0.2, 0.2) / rate)
    rows = np.stack([np.interp(at, times, column) for column in values.T], axis=1)
    return at, rows + rng.normal(0, noise, rows.shape) * np.sqrt(rate / 100) + rng.normal(0, 0.02, 3)
