"""How sure a palm detector is that a frame shows a hand."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from torch import Tensor
from torch.nn import functional

from actor_observer.answers.hands.palm_model import palm_model
from actor_observer.errors import missing_extra

__all__ = ["Detector", "PalmDetector", "letterbox"]

SIDE = 192  # pixels that the model sees


class Detector(Protocol):
    """Anything that looks for hands."""

    def __call__(self, frames: Iterable[Tensor]) -> NDArray[np.float64]:
        """How sure it is of a hand in each frame, uint8 (3, H, W), from 0 to 1."""


class PalmDetector:
    """MediaPipe's palm detector (full), which scores 2016 places of a frame; the best of them counts."""

    def __init__(self, path: str | Path | None = None) -> None:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        try:
            from ai_edge_litert.interpreter import Interpreter
        except ImportError as error:
            raise missing_extra("looking for hands", "hands") from error
        self._model: Any = Interpreter(str(path or palm_model()), num_threads=1)
        self._model.allocate_tensors()
        self._input = self._model.get_input_details()[0]["index"]
        outputs = self._model.get_output_details()
        self._scores = next(one["index"] for one in outputs if one["shape"][-1] == 1)  # (1, 2016, 1)

    def __call__(self, frames: Iterable[Tensor]) -> NDArray[np.float64]:
        return np.array([self._one(frame) for frame in frames], dtype=np.float64)

    def _one(self, frame: Tensor) -> float:
        self._model.set_tensor(self._input, letterbox(frame).permute(1, 2, 0)[None].numpy())
        self._model.invoke()
        best = float(self._model.get_tensor(self._scores).max())
        return float(expit(best))


def letterbox(frame: Tensor, side: int = SIDE) -> Tensor:
    """A frame, uint8 (3, H, W), from 0 to 1 in the middle of a black square, in its own shape.

    >>> import torch
    >>> seen = letterbox(torch.full((3, 48, 96), 255, dtype=torch.uint8))
    >>> seen.shape, seen[0, :, 0].unique().tolist(), round(float(seen.mean()), 2)
    (torch.Size([3, 192, 192]), [0.0, 1.0], 0.5)
    """
    height, width = frame.shape[1:]
    scale = side / max(height, width)
    size = max(1, round(height * scale)), max(1, round(width * scale))
    small = functional.interpolate(frame[None].float() / 255, size, mode="bilinear", antialias=True)[0].clamp(0, 1)
    up, left = (side - size[0]) // 2, (side - size[1]) // 2
    return functional.pad(small, (left, side - size[1] - left, up, side - size[0] - up))
