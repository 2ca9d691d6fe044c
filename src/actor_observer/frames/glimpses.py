"""A few frames in colour, kept on the way while all of a video is decoded for something else."""

from __future__ import annotations

from dataclasses import dataclass, field

import av
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.frames.frame_index import VideoIndex
from actor_observer.frames.video import Size, Upright

__all__ = ["Glimpses"]


@dataclass(eq=False)
class Glimpses:
    """The frames on screen at these times, as `frames_at` would give them; nothing until a video has been decoded.

    >>> Glimpses(np.array([0.5, 1.5]), 144).frames() is None
    True
    """

    times: NDArray[np.float64]  # (N,) seconds
    size: Size
    _places: NDArray[np.int64] | None = None  # (N,) which frame of the video is on screen at each time
    _wanted: set[int] = field(default_factory=set)
    _kept: dict[int, NDArray[np.uint8]] = field(default_factory=dict)  # by place, (H, W, 3)
    _upright: Upright | None = None

    def begin(self, index: VideoIndex) -> None:
        """A video begins."""
        self._places, self._upright = index.on_screen(self.times), Upright(self.size)
        self._wanted, self._kept = set(self._places.tolist()), {}

    def offer(self, place: int, frame: av.VideoFrame) -> None:
        """The next frame, in display order; kept if it is wanted."""
        if place in self._wanted and not frame.is_corrupt:
            assert self._upright is not None
            self._kept[place] = self._upright.of(frame)

    def frames(self) -> Tensor | None:
        """uint8 (N, 3, H, W); None where some were not met."""
        if self._places is None or self._wanted - self._kept.keys():
            return None
        shown = np.stack([self._kept[int(place)] for place in self._places])
        return torch.from_numpy(shown).permute(0, 3, 1, 2)
