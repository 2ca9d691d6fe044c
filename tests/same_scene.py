"""Two cameras on one scene, made on the spot: coloured fields that change, at any offset, rate and frame rate."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import torch
from numpy.typing import NDArray

from actor_observer.model import ActorObserverNet, NetworkConfig

CHANGE = 0.8  # seconds between two states of the scene


def scene_frames(
    seconds: float,
    fps: float,
    start: float = 0.0,  # scene time of the first frame
    rate: float = 1.0,  # seconds of the scene that pass in a second of the video
    seed: int = 0,
    size: tuple[int, int] = (64, 48),
    tint: float = 0.0,
) -> NDArray[np.uint8]:
    """Frames (T, H, W, 3) of a scene."""
    states = np.random.default_rng(seed).uniform(0, 1, (400, 3, 4, 3))
    at = (start + rate * np.arange(round(seconds * fps)) / fps) / CHANGE + 40
    low = at.astype(int)
    share = (at - low)[:, None, None, None]
    fields = (1 - share) * states[low] + share * states[low + 1]  # (T, 3, 4, 3)
    colour = np.clip(fields * (1 - tint) + tint * np.array([0.2, 0.5, 0.9]), 0, 1)
    return (colour.repeat(size[1] // 3, axis=1).repeat(size[0] // 4, axis=2) * 255).astype(np.uint8)


def write_scene(path: Path, seconds: float, fps: int, rotation: int = 0, **scene: Any) -> Path:
    """The same as a video; with a rotation, stored lying on its side as telephones do."""
    frames = scene_frames(seconds, fps, **scene)
    if rotation:
        frames = np.rot90(frames, -rotation // 90, axes=(1, 2))
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as file:
        stream: Any = file.add_stream("libx264", rate=Fraction(fps), options={"crf": "12", "preset": "ultrafast"})
        stream.height, stream.width, stream.pix_fmt, stream.gop_size = *frames.shape[1:3], "yuv420p", 12
        if rotation:
            stream.set_display_rotation(rotation)
        for frame in frames:
            file.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")))
        file.mux(stream.encode())
    return path


def plain_network(**settings: Any) -> ActorObserverNet:
    """Random features, standardised per take: they tell the scene's states apart in both views."""
    torch.manual_seed(0)
    usual: dict[str, Any] = {
        "backbone": "mobilenet_v2",
        "size": 32,
        "crop": "whole",
        "standardised": True,
        "unit_length": True,
        "heads": "shared",
        "labels": ("c000", "c001"),
    }
    return ActorObserverNet(NetworkConfig(**{**usual, **settings}), pretrained=False).eval()
