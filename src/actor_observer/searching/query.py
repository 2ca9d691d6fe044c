"""A query: words, a picture or a moment of a video, and its vector as the index's model sees it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError
from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.features.at_time import parse_at
from actor_observer.features.look import Look
from actor_observer.features.running import Read, phi_at
from actor_observer.features.see import NO_TIMES, Pixels, Video, channels_first, open_take, reader_of
from actor_observer.frames.at import frames_at
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import View
from actor_observer.pairs.probe import MOST_PIXELS, VIDEO_SUFFIXES
from actor_observer.pairs.window import file_of
from actor_observer.searching.moment_times import times_around

__all__ = ["AskedFor", "Query", "ask_for", "check_query", "embed_query", "is_words", "phi_of_query"]

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
_FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF")

Vector = NDArray[np.float32]
Query = str | Path | Pixels | tuple[Video, float]  # words, a picture, "VIDEO@TIME", or (video, time)


@dataclass(frozen=True)
class AskedFor:
    """A query that has been read: a picture to show, and frames for the network."""

    name: str
    picture: Tensor  # (3, H, W) uint8, at its own size
    read: Read  # gives the frames (T, 3, h, w) at times of its take; a picture's at any time
    times: NDArray[np.float64] | None = None  # (T,) seconds: itself and those around it; None: a picture without a take
    place: int = 0  # which of the times it is
    length: float = 0.0  # of its take, in seconds

    @property
    def frames(self) -> Tensor:
        """What a network that sees frames one by one is shown, (T, 3, h, w) uint8."""
        return self.read(np.zeros(1) if self.times is None else self.times)


def is_words(query: Query) -> bool:
    """Whether a query is words: no picture, no moment of a video, and nothing that looks like a file.

    >>> is_words("pours water"), is_words("room.mp4@12.5"), is_words("room.mp4@-3"), is_words("photo.jgp"), is_words("")
    (True, False, False, False, True)
    """
    if not isinstance(query, str) or re.search(r"@[-+]?[\w.,:]*$|#t=|\.[A-Za-z]\w{0,4}$", query):
        return False
    # os.path says no, too, of what is too long for a path
    return not query.strip() or not (os.path.exists(query) or re.fullmatch(r"\S*[/\\]\S*", query))  # noqa: PTH110


def ask_for(query: Query, look: Look, fps: float | None = None, in_take: bool = True) -> AskedFor:
    """Read a query at the size and rate of an index. `fps` is for pixels or a folder of frames that are a video.

    `in_take`: also read the frames of its take around it.

    >>> ask_for("no-such.jpg", Look(size=144))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.jpg: no such file
    >>> ask_for(np.zeros((40, 60, 3), dtype=np.uint8), Look(size=20)).frames.shape
    torch.Size([1, 3, 20, 30])
    """
    if isinstance(query, tuple):
        return _of_video(*query, look, fps, in_take)
    if isinstance(query, (np.ndarray, Tensor)):
        picture = channels_first(torch.as_tensor(query)[None])
        return AskedFor("a picture", picture[0], reader_of(picture, 1.0, look.decode_size))
    path = Path(query)
    if path.suffix.lower() in PICTURES:
        picture = read_picture(path)
        return AskedFor(str(path), picture, reader_of(picture[None], 1.0, look.decode_size))
    if file_of(path).suffix.lower() in VIDEO_SUFFIXES or path.is_dir():
        raise UserError(f"{path}: a video; say which moment of it, in seconds: {path}@12.5")
    if "@" not in str(query):
        kinds = ", ".join(suffix.removeprefix(".") for suffix in PICTURES)
        raise UserError(f"{path}: neither a picture ({kinds}), nor a moment of a video (VIDEO@TIME), nor words")
    return _of_video(*parse_at(str(query)), look, fps, in_take)


def read_picture(path: Path) -> Tensor:
    """A picture as uint8 (3, H, W), upright as its camera says."""
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    try:
        with Image.open(path, formats=_FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise UserError(f"{path}: {picture.width}x{picture.height} pixels are too many")
            upright = ImageOps.exif_transpose(picture).convert("RGB")
            return torch.from_numpy(np.array(upright)).permute(2, 0, 1)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        reason = "not a picture that can be read" if isinstance(error, UnidentifiedImageError) else str(error)
        raise UserError(f"{path}: {reason}") from None


def _of_video(video: Video, time: float, look: Look, fps: float | None, in_take: bool) -> AskedFor:
    if isinstance(video, (np.ndarray, Tensor)):
        return _of_pixels(video, time, look, fps, in_take)
    take = open_take(video, "third", fps)  # the view does not matter here
    name = f"{take.path}@{time:g}"
    refuse_late(name, time, take.length)
    times, place = times_around(take.length, look.look_rate, time) if in_take else (np.array([time]), 0)
    read = partial(frames_at, take, size=look.decode_size)
    return AskedFor(name, frames_at(take, [time])[0], read, times, place, take.length)


def _of_pixels(pixels: Pixels, time: float, look: Look, fps: float | None, in_take: bool) -> AskedFor:
    if fps is None or not fps > 0:
        raise ValueError(NO_TIMES)
    frames = channels_first(pixels)
    name, length = f"pixels@{time:g}", len(frames) / fps
    refuse_late(name, time, length)
    times, place = times_around(length, look.look_rate, time) if in_take else (np.array([time]), 0)
    picture = frames[min(int(time * fps + 1e-6), len(frames) - 1)]
    return AskedFor(name, picture, reader_of(frames, fps, look.decode_size), times, place, length)


def refuse_late(name: str, time: float, length: float) -> None:
    """Refuse a time that is not in the video."""
    if time < 0:
        raise UserError(f"{name}: a time before the video's start")
    if not time <= length + 0.005:  # what is printed is rounded
        raise UserError(f"{name}: the video ends at {length:.2f} s")


def check_query(query: Query) -> None:
    """Refuse what cannot be a query before anything slow is done.

    >>> check_query("room.mp4@abc")
    Traceback (most recent call last):
    actor_observer.errors.UserError: room.mp4@abc: 'abc' is not a time in seconds; write it as in room.mp4@12.5
    """
    if isinstance(query, (str, Path)) and Path(query).suffix.lower() not in PICTURES and "@" in str(query):
        path, _ = parse_at(str(query))
        if not file_of(path).exists():
            raise UserError(f"{path}: no such file")


def phi_of_query(network: ActorObserverNet, asked: AskedFor, look: Look, device: str = "cpu") -> NDArray[np.float32]:
    """The backbone's features (T, D) of a query's frames."""
    times = np.zeros(1) if asked.times is None else asked.times
    return phi_at(network.backbone, look, asked.read, times, asked.length, device)


@torch.inference_mode()
def embed_query(network: ActorObserverNet, asked: AskedFor, view: View, phi: NDArray[np.float32]) -> Vector:
    """The vector (D,) of a query, from φ of its frames.

    For a network that sees each frame within its take, a moment of a video is seen within the minute around it; a
    picture alone is seen against the mean of the training takes of its view.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False).eval()
    >>> look = Look(size=32)
    >>> asked = ask_for(np.zeros((40, 60, 3), dtype=np.uint8), look)
    >>> embed_query(network, asked, "third", phi_of_query(network, asked, look)).shape
    (512,)
    """
    heads = network.video_softmax.log_sum
    features = torch.from_numpy(phi).to(heads)  # (T, D)
    if asked.times is None:
        if network.config.standardised:
            raise UserError(
                f"{asked.name}: frozen features are compared within a take, and a picture has none; "
                "ask with VIDEO@TIME, or use a trained model"
            )
        seen = network.alone(features, view)
    else:
        seen = network.in_take(features, torch.as_tensor(asked.times).to(heads))[asked.place :][:1]
    return np.asarray(network.embed(seen, view).features[0].float().cpu().numpy())
