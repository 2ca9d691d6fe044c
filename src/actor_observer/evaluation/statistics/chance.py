"""What guessing gets: computed, never quoted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.placement import Placement

__all__ = ["expected_ap", "uniform_guess_cdf", "uniform_guess_mean", "uniform_guess_median"]


def uniform_guess_cdf(error: NDArray[np.float64], third_span: float, first_span: float) -> NDArray[np.float64]:
    """P(error ≤ e) when both moments are picked uniformly, in third-person seconds.

    With a ≥ b the two spans: `2e/a` up to (a − b)/2, then `1 − ((a + b)/2 − e)²/(ab)` up to (a + b)/2.

    >>> float(uniform_guess_cdf(np.array([5.0]), 20.0, 20.0)[0])
    0.4375
    """
    a, b = max(third_span, first_span, 1e-9), max(min(third_span, first_span), 1e-9)
    flat = 2 * error / a
    curved = 1 - np.maximum(0, (a + b) / 2 - error) ** 2 / (a * b)
    return np.where(error <= (a - b) / 2, flat, curved)


def uniform_guess_median(spans: Sequence[tuple[float, float]]) -> float:
    """Median error of a uniform guess over videos of these (third, first) spans: where the mean P crosses ½.

    >>> round(uniform_guess_median([(10.0, 10.0)]), 2)
    2.93
    """
    low, high = 0.0, max(sum(span) for span in spans)
    for _ in range(60):
        middle = (low + high) / 2
        share = np.mean([uniform_guess_cdf(np.array([middle]), *span)[0] for span in spans])
        low, high = (middle, high) if share < 0.5 else (low, middle)
    return (low + high) / 2


def uniform_guess_mean(spans: Sequence[tuple[float, float]]) -> float:
    """Mean error of a uniform guess: E|U − V| for two concentric uniform spans.

    >>> round(uniform_guess_mean([(9.0, 9.0)]), 3)
    3.0
    """
    means = []
    for span in spans:
        a, b = max(span), min(span)
        means.append(a / 4 + b**2 / (12 * a) if a else 0.0)
    return float(np.mean(means))


def middle_errors(placement: Placement) -> NDArray[np.float64]:
    """Errors of always answering the middle of the third-person take."""
    return np.abs(placement.truth - placement.third_middle)


def expected_ap(positives: int, videos: int) -> float:
    """The average precision of a random order, exactly: (H_N + (n−1)/(N−1)·(N−H_N))/N.

    >>> expected_ap(1, 2), expected_ap(2, 2)
    (0.75, 1.0)
    """
    if videos < 2 or positives >= videos:
        return float(positives > 0)
    harmonic = float((1 / np.arange(1, videos + 1)).sum())
    return (harmonic + (positives - 1) / (videos - 1) * (videos - harmonic)) / videos
