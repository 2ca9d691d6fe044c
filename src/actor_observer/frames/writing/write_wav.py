"""Write sound as a wav file, 24 bits a sample, nothing half written left behind."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from actor_observer.disk import writing_whole
from actor_observer.frames.audio.sound_clip import CLIP_RATE, Block

__all__ = ["write_wav"]

FULL = 2**31 - 128  # the largest of 24 bits, as the upper ones of 32


def write_wav(path: Path, blocks: Iterable[Block], channels: int) -> None:
    """Write blocks (channels, N) of sound, one after the other.

    >>> import tempfile
    >>> from actor_observer.frames.audio.sound_clip import sound_channels, sound_clip
    >>> path = Path(tempfile.mkdtemp()) / "a.wav"
    >>> write_wav(path, [np.zeros((1, 4800), np.float32)] * 2, channels=1)
    >>> sound_channels(path), sum(block.shape[1] for block in sound_clip(path, 0.0, 0.2))
    (1, 9600)
    """
    layout = "mono" if channels == 1 else "stereo"
    with writing_whole(path) as part, av.open(str(part), "w", format="wav", options={"rf64": "auto"}) as file:
        stream: Any = file.add_stream("pcm_s24le", rate=CLIP_RATE, layout=layout)
        written = 0
        for block in blocks:
            if not block.shape[1]:
                continue
            samples = (block.clip(-1, 1).astype(np.float64) * FULL).astype(np.int32).T.reshape(1, -1)  # interleaved
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="s32", layout=layout)
            frame.sample_rate, frame.pts, frame.time_base = CLIP_RATE, written, Fraction(1, CLIP_RATE)
            file.mux(stream.encode(frame))
            written += block.shape[1]
        file.mux(stream.encode(None))
