"""Write an mp4 that any browser plays: H.264, AAC, its index at the front, nothing half written left behind."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.frames.audio.sound_clip import CLIP_RATE, Block

__all__ = ["writing_mp4"]


@contextlib.contextmanager
def writing_mp4(
    path: Path,
    fps: Fraction,
    sound: Iterator[Block] | None = None,
    channels: int = 0,
    crf: int = 20,  # quality: lower is better
) -> Iterator[Callable[[NDArray[np.uint8]], None]]:
    """Gives a function that adds a picture (H, W, 3), of even height and width; the sound follows by itself.

    >>> with writing_mp4(Path(__file__) / "a.mp4", Fraction(5)) as add:
    ...     add(np.zeros((16, 16, 3), np.uint8))
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...a.mp4: cannot be written (...)
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with av.open(str(part), "w", format="mp4", options={"movflags": "+faststart"}) as file:
            writer = _Writer(file, fps, sound, channels, crf)
            yield writer.add
            writer.finish()
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


class _Writer:
    """The streams of one file; sound is written as far as the pictures are."""

    def __init__(self, file: Any, fps: Fraction, sound: Iterator[Block] | None, channels: int, crf: int) -> None:
        self._file, self._fps, self._pictures, self._samples = file, fps, 0, 0
        self._sound = sound if sound is not None and channels else None
        options = {"crf": str(crf), "preset": "veryfast"}
        self._video: Any = file.add_stream("libx264", rate=fps, options=options)
        self._video.pix_fmt = "yuv420p"
        self._audio: Any = None
        if self._sound is not None:
            self._layout = "mono" if channels == 1 else "stereo"
            self._audio = file.add_stream("aac", rate=CLIP_RATE, layout=self._layout)
            self._audio.bit_rate = 96_000 * channels

    def add(self, picture: NDArray[np.uint8]) -> None:
        if not self._pictures:
            self._video.height, self._video.width = picture.shape[:2]
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts, frame.time_base = self._pictures, 1 / self._fps
        self._file.mux(self._video.encode(frame))
        self._pictures += 1
        self._listen(float(self._pictures / self._fps))

    def finish(self) -> None:
        self._file.mux(self._video.encode(None))
        if self._audio is not None:
            self._file.mux(self._audio.encode(None))

    def _listen(self, until: float) -> None:
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
