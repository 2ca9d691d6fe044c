"""Small files with sound, for tests and benches."""

import wave
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.hearing.sound import SoundMatch, hear, match_heard

FPS = 5  # of the pictures, which show nothing
SIZE = 32


def write_sounding(
    path: Path,
    samples: NDArray[np.floating],  # (N,) or (channels, N), full scale is 1
    rate: int = 48_000,
    start: float = 0.0,  # seconds after the first frame at which the sound begins
    shown: float = 0.0,  # container time of the first frame
    codec: str = "aac",
    bit_rate: int = 64_000,
    gaps: Sequence[tuple[float, float]] = (),  # (second of the sound, seconds without stamps there)
    stretch: float = 0.0,  # by how much stamps run slower than samples
) -> Path:
    """Write a video with this sound track."""
    channels = np.atleast_2d(np.asarray(samples, np.float32))
    length = channels.shape[1] / rate + max(start, 0.0)
    with av.open(str(path), "w") as container:
        video: Any = container.add_stream("mpeg4", rate=FPS)
        video.width = video.height = SIZE
        video.pix_fmt = "yuv420p"
        sound: Any = container.add_stream(codec, rate=rate, layout="mono" if len(channels) == 1 else "stereo")
        sound.bit_rate = bit_rate
        sound.options = {"aac_coder": "fast"} if codec == "aac" else {}
        picture = np.full((SIZE, SIZE, 3), 90, np.uint8)
        for number in range(max(2, round(length * FPS))):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number + round(shown * FPS), Fraction(1, FPS)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        for at in range(0, channels.shape[1], 1024):
            part = np.ascontiguousarray(channels[:, at : at + 1024])
            block = av.AudioFrame.from_ndarray(part, format="fltp", layout=sound.layout.name)
            late = start + shown + sum(length for second, length in gaps if at / rate >= second)
            block.sample_rate, block.time_base = rate, Fraction(1, rate)
            block.pts = round(at * (1 + stretch) + late * rate)
            container.mux(sound.encode(block))
        container.mux(sound.encode())
    return path


def write_recorder(path: Path, samples: NDArray[np.floating], rate: int = 48_000, codec: str = "pcm_s16le") -> Path:
    """Write a sound file without pictures, of one channel."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate, layout="mono")
        form = {"aac": "fltp"}.get(codec, "s16")
        for at in range(0, len(samples), 1024):
            part = np.asarray(samples[None, at : at + 1024], np.float32)
            part = part if form == "fltp" else (part * 32767).astype(np.int16)
            block = av.AudioFrame.from_ndarray(np.ascontiguousarray(part), format=form, layout="mono")
            block.sample_rate, block.time_base, block.pts = rate, Fraction(1, rate), at
            container.mux(stream.encode(block))
        container.mux(stream.encode())
    return path


def write_planes(path: Path, samples: NDArray[np.floating], channels: int) -> Path:
    """Write the same sound (N,) at 48 kHz in each of many channels, as Opus, which decodes to a plane for each."""
    layout = f"{channels} channels"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libopus", rate=48_000, layout=layout, options={"mapping_family": "255"})
        stream.codec_context.format = "s16"
        for at in range(0, len(samples), 960):
            part = (samples[at : at + 960, None] * 32767).astype(np.int16).repeat(channels, axis=1)
            block = av.AudioFrame.from_ndarray(part.reshape(1, -1), format="s16", layout=layout)
            block.sample_rate, block.time_base, block.pts = 48_000, Fraction(1, 48_000), at
            container.mux(stream.encode(block))
        container.mux(stream.encode())
    return path


def write_channels(path: Path, samples: NDArray[np.floating], channels: int, rate: int = 48_000) -> Path:
    """Write a wav file that has the same sound (N,) in each of many channels."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((samples[:, None] * 32767).astype("<i2").repeat(channels, axis=1).tobytes())
    return path


def clicks(seconds: float, times: Sequence[float], rate: int = 48_000, seed: int = 0) -> NDArray[np.float32]:
    """Short bursts of noise at the given times, silence between."""
    rng = np.random.default_rng(seed)
    track = np.zeros(round(seconds * rate), np.float32)
    for time in times:
        at = round(time * rate)
        burst = 0.5 * rng.normal(size=round(0.05 * rate)) * np.exp(-np.arange(round(0.05 * rate)) / (0.01 * rate))
        track[at : at + len(burst)] += burst[: len(track) - at].clip(-1, 1)
    return track


def match_sound(third: Path, first: Path) -> SoundMatch | None:
    """Compare the sounds of two files; None where one of them has no sound track."""
    one, other = hear(third), hear(first)
    return match_heard(one, other) if one and other else None
