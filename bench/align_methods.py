"""Ways to find the offset between two clips of one event, from knowing nothing to `align` as it is shipped."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from actor_observer.alignment.align import align_recordings
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.kinds.likeness import Likeness
from actor_observer.alignment.kinds.motion import motion_rate
from actor_observer.alignment.kinds.treatments import TREATMENTS, loudness, resampled, standardised
from actor_observer.alignment.recordings.lags import Lags, lag_grid
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.result import Alignment
from actor_observer.alignment.sight import Sight
from actor_observer.model import ActorObserverNet

__all__ = ["fused", "methods", "middles", "plain", "shipped"]

Array = NDArray[np.float64]
Method = Callable[[Recording, Recording], float]  # third-person seconds at the middle of the first-person clip


def middles(third: Recording, first: Recording) -> float:
    """Both middles together."""
    return third.length / 2


def plain(third: Recording, first: Recording) -> float:
    """Residual flow against frame difference: logarithms, smoothed, without a trend of 3 s; sum / √overlap."""
    lags = lag_grid(third.length, first.length, motion_rate(third.motion, first.motion))
    signals = []
    for recording, name in ((third, "difference"), (first, "residual")):
        signal = loudness(
            resampled(recording.motion.times, recording.motion.of(name), recording.length, lags.per_second)
        )
        smooth = uniform_filter1d(signal, 5, mode="nearest")
        signals.append(standardised(smooth - uniform_filter1d(smooth, round(3 * lags.per_second), mode="nearest")))
    scores = sums_over_root(signals[0], signals[1], lags)
    return float(lags.offsets[scores.argmax()]) + first.length / 2


def fused(third: Recording, first: Recording) -> float:
    """Six correlations: two signals of the first person, three treatments, weighed by how far their peaks stand out."""
    lags = lag_grid(third.length, first.length, motion_rate(third.motion, first.motion))
    total = np.zeros(lags.count)

    def treated(recording: Recording, name: str, how: str) -> Array:
        moved = recording.motion
        signal = loudness(resampled(moved.times, moved.of(name), recording.length, lags.per_second))
        return TREATMENTS[how](signal, lags.per_second)

    for name, how in itertools.product(("residual", "difference"), ("ranks", "whitened", "onsets")):
        scores = standardised(sums_over_root(treated(third, "difference", how), treated(first, name, how), lags))
        rivals = scores[np.abs(lags.offsets - lags.offsets[scores.argmax()]) > 0.5]
        total += (
            np.sqrt(max(float(scores.max() - rivals.max(initial=-np.inf)), 0.0)) * scores if len(rivals) else scores
        )
    return float(lags.offsets[total.argmax()]) + first.length / 2


def sums_over_root(third: Array, first: Array, lags: Lags) -> Array:
    """The sum of products over the root of the overlap, at every lag."""
    whole = np.correlate(third, first, "full")  # shift −(N − 1) first
    shift = lags.start + np.arange(lags.count)
    shared = np.minimum(len(third), shift + len(first)) - np.maximum(0, shift)
    return whole[np.clip(shift + len(first) - 1, 0, len(whole) - 1)] / np.sqrt(np.maximum(shared, 1))


def by_sight(network: ActorObserverNet) -> Method:
    """What a network sees alone, whether it knows such footage or not."""

    def method(third: Recording, first: Recording) -> float:
        sight = Sight(network)
        seen = sight.look(third), sight.look(first)
        likeness = Likeness((seen[0].embedding, seen[1].embedding), (seen[0].phi, seen[1].phi))
        lags = lag_grid(third.length, first.length, motion_rate(third.motion, first.motion))
        channels = likeness.lags(third, first, lags)
        total = sum((scores() for _, scores in channels.channels), np.zeros((1, lags.count))) if channels else 0.0
        return float(lags.offsets[np.asarray(total).ravel().argmax()]) + first.length / 2

    return method


def without_sight(third: Recording, first: Recording) -> float:
    """`align` without a network."""
    return Comparer().compare(third, first).belief.to_one(first.length / 2)


def shipped(network: ActorObserverNet) -> Callable[[Recording, Recording], Alignment]:
    """`align` as it is."""
    return lambda third, first: align_recordings(third, first, Sight(network))


def methods(network: ActorObserverNet) -> dict[str, Method]:
    """All but the shipped one."""
    return {
        "both middles together": middles,
        "plain motion correlation": plain,
        "six correlations fused": fused,
        "what the box sees alone": by_sight(network),
        "align, without what the box sees": without_sight,
    }
