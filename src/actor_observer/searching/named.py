"""What each video is called in an index."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.features.see import Video
from actor_observer.pairs.manifest import Take
from actor_observer.pairs.probe import VIDEO_SUFFIXES

__all__ = ["name_videos", "place_of"]


def name_videos(videos: Video | Sequence[Video] | Mapping[str, Video]) -> list[tuple[str, Video]]:
    """Each video with the name it has in an index: its path, or the name given with pixels.

    >>> [Path(name).name for name, _ in name_videos(["a.mp4", Path("b.mp4")])]
    ['a.mp4', 'b.mp4']
    """
    if isinstance(videos, Mapping):
        named = [(name if isinstance(video, (np.ndarray, Tensor)) else "", video) for name, video in videos.items()]
    else:
        several: list[Any] = [videos] if isinstance(videos, (str, Path, Take, np.ndarray, Tensor)) else [*videos]
        if any(isinstance(video, (np.ndarray, Tensor)) for video in several):
            raise UserError('pixels need a name in an index: index({"kitchen": frames}, …)')
        named = [("", one) for video in several for one in _inside(video)]
    if not named:
        raise UserError("no videos to index")
    by_name = {name or str(place_of(video)): video for name, video in named}  # a video named twice counts once
    return [*by_name.items()]


def _inside(video: str | Path | Take) -> list[str | Path | Take]:
    """The videos in a folder; the video itself where there are none."""
    if isinstance(video, Take) or not os.path.isdir(video):  # noqa: PTH112  # false, too, where there can be no such path
        return [video]
    inside = sorted(path for path in Path(video).iterdir() if path.suffix.lower() in VIDEO_SUFFIXES)
    return [*inside] or [video]


def place_of(video: Any) -> Path:
    """The absolute path of a video. A link stays a link: its name is the one people know."""
    path = video.path if isinstance(video, Take) else Path(video)
    return path.parent.resolve() / path.name
