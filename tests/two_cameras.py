"""Two cameras on one event, made on the spot: somebody moves now and then, in a room and before a head that turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WIDTH, HEIGHT = 96, 72
RATE = 16_000  # samples of sound a second
QUIET = 0.003  # of full scale: the noise of a microphone


@dataclass(frozen=True)
class Event:
    """What happens: moves that begin and end at random times, and a knock at the beginning of each."""

    starts: Array  # (N,) seconds
    ends: Array
    seed: int

    def where(self, times: Array, salt: int, reach: float = 26.0) -> Array:
        """Places (T, 2) in pixels of something that moves when the event does, each way its own by `salt`."""
        places = np.random.default_rng([self.seed, salt]).uniform(-reach, reach, (len(self.starts) + 1, 2))
        share = (times[:, None] - self.starts) / (self.ends - self.starts)  # (T, N)
        eased = 0.5 - 0.5 * np.cos(np.pi * np.clip(share, 0, 1))
        return places[0] + eased @ np.diff(places, axis=0)

    def knocks(self, start: float, seconds: float, salt: int) -> NDArray[np.float32]:
        """The sound of it from `start` on: a burst of noise for each move, a microphone's own noise beneath."""
        own = np.random.default_rng([self.seed, 77, salt])
        track = QUIET * own.normal(size=round(seconds * RATE))
        length = RATE // 4
        for number, time in enumerate(self.starts):
            rng = np.random.default_rng([self.seed, 5, number])
            burst = 0.3 * rng.normal(size=length) * np.exp(-np.arange(length) / (0.05 * RATE))
            at = round((time - start) * RATE)
            low, high = max(0, at), min(len(track), at + length)
            if high > low:
                track[low:high] += burst[low - at : high - at]
        return track.clip(-1, 1).astype(np.float32)


def random_event(seconds: float, seed: int = 0, pause: float = 0.8) -> Event:
    """Moves of 0.2 to 0.7 s from second −10 on, with pauses between them."""
    rng = np.random.default_rng(seed)
    count = round((seconds + 20) / (0.45 + pause)) + 20
    lasting, pauses = rng.uniform(0.2, 0.7, count), rng.exponential(pause, count)
    starts = -10 + np.cumsum(pauses + lasting) - lasting
    return Event(starts, starts + lasting, seed)


def event_times(seconds: float, fps: float, start: float = 0.0, rate: float = 1.0) -> Array:
    """Event time of each frame of a video."""
    return start + rate * np.arange(round(seconds * fps)) / fps


def third_frames(event: Event, times: Array, size: tuple[int, int] = (WIDTH, HEIGHT)) -> NDArray[np.uint8]:
    """The room (T, H, W): it stands still, and somebody moves in it."""
    return _frames(event, times, np.zeros((len(times), 2)), salt=1, size=size)


def first_frames(event: Event, times: Array, size: tuple[int, int] = (WIDTH, HEIGHT)) -> NDArray[np.uint8]:
    """From the head (T, H, W): a hand moves when the event does, and the head turns as it likes."""
    rng = np.random.default_rng([event.seed, 9])
    waves = rng.uniform(0.05, 0.4, (8, 1)), rng.uniform(0, 6, (8, 1)), rng.uniform(-3, 3, (8, 2))
    turned = np.einsum("wt,wd->td", np.sin(2 * np.pi * waves[0] * times + waves[1]), waves[2])  # (T, 2)
    return _frames(event, times, turned, salt=2, size=size)


def _frames(event: Event, times: Array, camera: Array, salt: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    rng = np.random.default_rng([event.seed, 3, salt])
    room, body = _texture(rng, 240), _texture(rng, 40)
    scale = size[0] / WIDTH
    frames = np.empty((len(times), size[1], size[0]), np.uint8)
    for number, (place, turned) in enumerate(zip(event.where(times, salt), camera, strict=True)):
        picture = cv2.getRectSubPix(room, (WIDTH, HEIGHT), (120 + turned[0], 120 + turned[1])).astype(np.float32)
        move = np.array([[1, 0, WIDTH / 2 - 13 + place[0]], [0, 1, HEIGHT / 2 - 13 + 0.7 * place[1]]])
        mask = cv2.warpAffine(np.ones((26, 26), np.float32), move, (WIDTH, HEIGHT))
        shown = cv2.warpAffine(body[:26, :26].astype(np.float32), move, (WIDTH, HEIGHT))
        picture += mask * (shown - picture) + rng.normal(0, 1.5, picture.shape)
        small = picture if scale == 1 else cv2.resize(picture, size)
        frames[number] = small.clip(0, 255)
    return frames


def _texture(rng: np.random.Generator, side: int) -> NDArray[np.uint8]:
    noise = cv2.GaussianBlur(rng.normal(size=(side, side)), (0, 0), 2.0)
    return (128 + 45 * noise / noise.std()).clip(0, 255).astype(np.uint8)


def write_frames(
    path: Path,
    frames: NDArray[np.uint8],  # (T, H, W)
    fps: float,
    stamps: Sequence[float] | None = None,  # seconds, for a variable rate
    sound: NDArray[np.float32] | None = None,  # (N,) at 16 kHz
    gop: int = 40,
    rotation: int = 0,  # stored lying on its side, as telephones do
) -> Path:
    """Write grey frames, and sound beside them, as a video file."""
    frames = np.ascontiguousarray(np.rot90(frames, -rotation // 90, axes=(1, 2)))
    with av.open(str(path), "w") as file:
        stream: Any = file.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = frames.shape[2], frames.shape[1], "yuv420p", gop
        stream.options = {"crf": "20", "preset": "ultrafast"}
        stream.codec_context.time_base = Fraction(1, 9000)
        if rotation:
            stream.set_display_rotation(rotation)
        track: Any = file.add_stream("aac", rate=RATE, layout="mono") if sound is not None else None
        for number, frame in enumerate(frames):
            picture = av.VideoFrame.from_ndarray(frame, format="gray")
            at = stamps[number] if stamps is not None else number / fps
            picture.pts, picture.time_base = round(9000 * at), Fraction(1, 9000)
            file.mux(stream.encode(picture))
        file.mux(stream.encode())
        if sound is not None:
            for at in range(0, len(sound), 1024):
                block = av.AudioFrame.from_ndarray(sound[None, at : at + 1024].copy(), format="fltp", layout="mono")
                block.sample_rate, block.pts, block.time_base = RATE, at, Fraction(1, RATE)
                file.mux(track.encode(block))
            file.mux(track.encode())
    return path
