"""Write an mp4 that any browser plays: H.264, AAC, its index at the front, nothing half written left behind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from actor_observer.disk import writing_whole
from actor_observer.frames.audio.sound_clip import CLIP_RATE, Block

__all__ = ["VideoWriter"]


class VideoWriter(contextlib.AbstractContextManager["VideoWriter"]):
    """Takes pictures (H, W, 3) of even height and width one by one; the sound follows by itself.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "new" / "a.mp4"
    >>> with VideoWriter(path, fps=5) as writer:
    ...     writer.add(np.zeros((16, 16, 3), np.uint8))
    >>> [file.name for file in path.parent.iterdir()]
    ['a.mp4']
    """

    def __init__(
        self,
        path: Path,
        fps: float | Fraction,
        sound: Iterator[Block] | None = None,
        channels: int = 0,  # of the sound
        crf: int = 20,  # quality: lower is better
        preset: str = "veryfast",
        gop: int = 0,  # frames from one keyframe to the next; 0: as the encoder likes
        plain: bool = False,  # without psychovisual tricks, which cost a fifth of the bytes and add what was not drawn
        threads: int = 0,  # of the encoder; 0: as it likes. 1 gives the same bytes everywhere
    ) -> None:
        self._fps = fps if isinstance(fps, Fraction) else Fraction(fps).limit_denominator(1001)
        self._path, self._pictures, self._samples = path, 0, 0
        self._sound = sound if channels else None
        self._channels = channels if sound is not None else 0
        self._options = {"crf": str(crf), "preset": preset}
        self._options |= ({"x264-params": "psy=0"} if plain else {}) | ({"g": str(gop)} if gop else {})
        self._threads = threads
        self._open = contextlib.ExitStack()

    def __enter__(self) -> VideoWriter:
        with contextlib.ExitStack() as stack:
            part = stack.enter_context(writing_whole(self._path))
            options = {"movflags": "+faststart"}
            self._file: Any = stack.enter_context(av.open(str(part), "w", format="mp4", options=options))
            self._video: Any = self._file.add_stream("libx264", rate=self._fps, options=self._options)
            self._video.pix_fmt, self._video.thread_count = "yuv420p", self._threads
            if self._channels:
                self._layout = "mono" if self._channels == 1 else "stereo"
                self._audio: Any = self._file.add_stream("aac", rate=CLIP_RATE, layout=self._layout)
                self._audio.bit_rate = 96_000 * self._channels
            stack.push(self._finish)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *raised: Any) -> bool | None:
        return self._open.__exit__(*raised)

    def add(self, picture: NDArray[np.uint8]) -> None:
        """The next picture."""
        if not self._pictures:
            self._video.height, self._video.width = picture.shape[:2]
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts, frame.time_base = self._pictures, 1 / self._fps
        self._file.mux(self._video.encode(frame))
        self._pictures += 1
        self._listen(float(self._pictures / self._fps))

    def _finish(self, kind: object, *_: object) -> None:
        if kind is None:
            self._file.mux(self._video.encode(None))
            if self._channels:
                self._file.mux(self._audio.encode(None))

    def _listen(self, until: float) -> None:
        """Write the sound as far as the pictures are."""
        while self._sound is not None and self._samples < until * CLIP_RATE:
            block = next(self._sound, None)
            if block is None:
                self._sound = None
                return
            if not block.shape[1]:
                continue
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block), format="fltp", layout=self._layout)
            frame.sample_rate, frame.pts, frame.time_base = CLIP_RATE, self._samples, Fraction(1, CLIP_RATE)
            self._file.mux(self._audio.encode(frame))
            self._samples += block.shape[1]
