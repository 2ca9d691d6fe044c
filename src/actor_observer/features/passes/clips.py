"""Which clips of a take a backbone is shown, and where in them each moment's features are.

Clips overlap by half and lie on one grid for the whole take, whichever part of it is asked for: a moment's φ is read in
the clip whose middle is nearest to it, between its two nearest time steps. All clips lie inside the take; in a take
that is shorter than a clip, the last frame is repeated, as the authors of video networks do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.model.backbones.clip import Clip
from actor_observer.sampling.windows import frame_times

__all__ = ["Clips", "clip_starts", "clips_for"]

MOST = 256  # frames decoded for clips at once, or those of one clip if these are more

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Clips:
    """Some clips of a take, and the places of some moments in them."""

    times: NDArray[np.float64]  # (U,) seconds of the frames that the clips are made of, each once
    frames: NDArray[np.int64]  # (W, F) places in `times`
    clip: NDArray[np.int64]  # (T,) in which clip each moment is
    step: NDArray[np.float64]  # (T,) at which of its time steps; between two: a mean of both

    def read(self, features: Features) -> Features:  # (W, S, D) -> (T, D)
        """The moments' φ, from that of all clips.

        >>> clips = Clips(np.zeros(2), np.zeros((1, 2), np.int64), np.array([0]), np.array([0.25]))
        >>> clips.read(np.array([[[0.0], [8.0]]], dtype=np.float32)).tolist()
        [[2.0]]
        """
        low = np.floor(self.step).astype(np.int64)
        high = np.minimum(low + 1, features.shape[1] - 1)
        share = (self.step - low).astype(np.float32)[:, None]
        found: Features = features[self.clip, low] * (1 - share) + features[self.clip, high] * share
        return found


def clip_starts(clip: Clip, frames: int) -> NDArray[np.int64]:
    """The frames, of all `frames` of a take at the clip's rate, that clips begin with.

    >>> clip_starts(Clip(8, rate=4.0, steps=4), 20).tolist(), clip_starts(Clip(8, rate=4.0, steps=4), 5).tolist()
    ([0, 4, 8, 12], [0])
    """
    # one that tells a single time step must come more often, to tell when
    hop = max(clip.step, clip.frames // 2) if clip.steps > 1 else max(1, clip.frames // 4)
    last = max(0, frames - clip.frames)
    return np.append(np.arange(0, last, hop), last)


def clips_for(
    clip: Clip, length: float, times: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], Clips]]:  # times rise
    """The clips that a take's moments are read in, a few at a time with the moments that are read there.

    >>> [(some, clips)] = clips_for(Clip(8, rate=4.0, steps=4), 5.0, np.array([0.5, 2.5]))
    >>> clips.clip.tolist(), clips.step.tolist(), len(clips.times)
    ([0, 1], [0.5, 2.5], 12)
    """
    grid = frame_times(length, clip.rate)
    starts = clip_starts(clip, len(grid))
    place = times * clip.rate - 0.5  # in frames
    chosen = _nearest(place, starts + (clip.frames - 1) / 2)  # (T,) clip of each moment
    step = np.clip((place - starts[chosen] - (clip.step - 1) / 2) / clip.step, 0, clip.steps - 1)
    for some in _groups(chosen, starts, clip.frames):
        own, which = np.unique(chosen[some], return_inverse=True)
        wanted = np.minimum(starts[own][:, None] + np.arange(clip.frames), len(grid) - 1)  # (W, F)
        used, at = np.unique(wanted, return_inverse=True)
        yield times[some], Clips(grid[used], at.reshape(wanted.shape), which, step[some])


def _nearest(place: NDArray[np.float64], middle: NDArray[np.floating]) -> NDArray[np.int64]:
    """Which of the middles, which rise, is nearest to each place; of two, the earlier."""
    after = np.clip(np.searchsorted(middle, place), 0, len(middle) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(place - middle[before]) <= np.abs(place - middle[after]), before, after)


def _groups(chosen: NDArray[np.int64], starts: NDArray[np.int64], frames: int) -> Iterator[slice]:
    """Runs of moments whose clips are made of few enough frames."""
    begin, held = 0, 0
    for number in range(len(chosen)):
        before = chosen[number - 1] if number > begin else None
        if before == chosen[number]:
            continue
        fresh = frames if before is None else min(frames, int(starts[chosen[number]] - starts[before]))
        if held and held + fresh > max(MOST, frames):
            yield slice(begin, number)
            begin, held, fresh = number, 0, frames
        held += fresh
    yield slice(begin, len(chosen))
