"""Write frames as an H.264 mp4, under another name first and then renamed."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

__all__ = ["VideoWriter"]


class VideoWriter:
    """Takes frames (H, W, 3) one by one; the file appears only when all went well."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float, crf: int, preset: str, gop: int = 0) -> None:
        self.path, self.part = path, path.with_suffix(".part")
        self._file = av.open(str(self.part), "w", format="mp4")
        # Without psychovisual tricks, which cost a fifth of the bytes and add what was not drawn.
        options = {"crf": str(crf), "preset": preset, "x264-params": "psy=0", **({"g": str(gop)} if gop else {})}
        self._stream: Any = self._file.add_stream(
            "libx264", rate=Fraction(fps).limit_denominator(1000), options=options
        )
        self._stream.width, self._stream.height, self._stream.pix_fmt = size[0], size[1], "yuv420p"
        self._stream.thread_count = 1  # one process per core already; and the same bytes for the same frames

    def add(self, image: NDArray[np.uint8]) -> None:
        self._file.mux(self._stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._file.mux(self._stream.encode(None))
        self._file.close()
        if kind is None:
            self.part.replace(self.path)
        else:
            self.part.unlink(missing_ok=True)
