"""Embed any video: a file, a folder of frames, or an array of pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import TakeError, UserError
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.look import Look
from actor_observer.features.on_disk.fingerprints import content_hash, size_and_date
from actor_observer.features.running import Read, phi_at
from actor_observer.frames.augmenting.resample import centre_view
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.video import fit
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.frame_files import CHARADES_FRAME_RATE, frame_files, holds_frames, stated_rate
from actor_observer.pairs.manifest import Fault, Take, View
from actor_observer.pairs.probe import FRAME_SUFFIXES
from actor_observer.pairs.window import file_of, stem_of, window_of
from actor_observer.sampling.windows import frame_times

__all__ = [
    "LOOK_RATE",
    "NO_TIMES",
    "Pixels",
    "Video",
    "channels_first",
    "check_look_rate",
    "length_of",
    "open_take",
    "opened",
    "reader_of",
    "resized",
    "same_video",
    "see",
    "see_frames",
    "see_phi",
]

Pixels = NDArray[np.uint8] | Tensor  # (T, 3, H, W) or (T, H, W, 3), uint8
Video = str | Path | Take | Pixels  # what functions accept as a video
NO_TIMES = "pixels carry no times: say how many frames a second they are (fps=…)"
LOOK_RATE = 6.0  # frames a second: the published alignment's


def check_look_rate(look_rate: float) -> None:
    """Refuse a look rate that no video can be read at.

    >>> check_look_rate(float("nan"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: nan frames a second: give a rate above zero, up to 1000
    """
    if not 0 < look_rate <= 1000:
        raise UserError(f"{look_rate:g} frames a second: give a rate above zero, up to 1000")


def open_take(video: str | Path | Take, view: View, fps: float | None = None) -> Take:
    """Open a file or a folder of frames as a take, with its true length.

    A folder's frames are `fps` a second, or as its `fps.txt` says, or 24 as in Charades.

    >>> open_take("no-such.mp4", "third")
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    if isinstance(video, Take):
        return video
    path = Path(video)
    if fps is not None and not 0 < fps < float("inf"):
        raise UserError(f"fps {fps:g}: give the frames a second of a folder of frames, a number above zero")
    frame_rate = None
    if holds_frames(path):
        frame_rate = fps or stated_rate(path) or CHARADES_FRAME_RATE
        length = len(frame_files(path)) / frame_rate
    else:
        still = path.is_file() and path.stat().st_size and path.suffix.lower() in FRAME_SUFFIXES
        index = None if still else index_video(path)
        if index is None or len(index.times) < 2:
            raise TakeError(path, "a single picture, not a video")
        length = index.end
    return Take(stem_of(path), view, path, length, frame_rate=frame_rate)


def opened(video: Video, view: View, fps: float | None = None) -> Video:
    """A video that can be used several times and is opened once: files and folders as takes, pixels as they are.

    >>> opened(Take("a", "third", Path("a.mp4"), 3.0), "third").length
    3.0
    """
    return video if isinstance(video, (np.ndarray, Tensor)) else open_take(video, view, fps)


def length_of(video: Video, view: View, fps: float | None = None) -> float:
    """The length of a video in seconds.

    >>> length_of(np.zeros((12, 8, 8, 3), dtype=np.uint8), "third", fps=4.0)
    3.0
    """
    if isinstance(video, (np.ndarray, Tensor)):
        if fps is None or not fps > 0:
            raise ValueError(NO_TIMES)
        return len(video) / fps
    return open_take(video, view, fps).length


def same_video(one: object, other: object) -> bool:
    """Whether two paths are the same recording, or copies of it.

    >>> same_video(__file__, __file__), same_video(__file__, "no-such.mp4")
    (True, False)
    """
    if not isinstance(one, (str, Path)) or not isinstance(other, (str, Path)):
        return False
    if window_of(Path(one)) != window_of(Path(other)):
        return False
    paths = file_of(Path(one)), file_of(Path(other))
    try:
        if paths[0].samefile(paths[1]):
            return True
        alike = paths[0].is_file() and size_and_date(paths[0])[0] == size_and_date(paths[1])[0]
        return alike and content_hash(paths[0]) == content_hash(paths[1])
    except (OSError, TakeError):
        return False  # reported where it is opened


def see(
    network: ActorObserverNet,
    video: Video,
    view: View,
    look_rate: float = LOOK_RATE,
    fps: float | None = None,
    device: str = "auto",
    part: Callable[[float], object] = lambda share: None,
) -> TakeEmbedding:
    """Embeddings, weights and class probabilities of one video. Memory does not grow with a file's length.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)
    >>> seen = see(network, torch.zeros((12, 3, 32, 48), dtype=torch.uint8), "first", look_rate=3.0, fps=6.0)
    >>> seen.times.round(2).tolist(), seen.features.shape
    ([0.17, 0.5, 0.83, 1.17, 1.5, 1.83], (6, 512))

    Args:
        network: what `load` gives.
        video, view, look_rate, fps, part: as for `recognise`.
        device: as for `align`.
    """
    return embed_features(network, {"video": see_phi(network, video, view, look_rate, fps, device, part)})["video"]


def see_phi(
    network: ActorObserverNet,
    video: Video,
    view: View,
    look_rate: float = LOOK_RATE,
    fps: float | None = None,
    device: str = "auto",
    part: Callable[[float], object] = lambda share: None,
) -> TakeEmbedding:
    """As `see`, before the heads: the backbone's features."""
    look, where = Look.of_network(network.config, look_rate), best_device(device)
    if isinstance(video, (np.ndarray, Tensor)):
        return _see_pixels(network, video, view, look, fps, where)
    take = open_take(video, view, fps)
    [(_, found)] = extract(network.backbone, [take], look, where, part=part)
    if isinstance(found, Fault):
        raise TakeError(found.path, found.what)
    return found


def see_frames(
    network: ActorObserverNet, frames: Tensor, times: NDArray[np.float64], view: View, device: str = "auto"
) -> TakeEmbedding | None:
    """φ of frames (T, 3, H, W) that were decoded before at the size of the network's look; None if it sees clips."""
    if network.backbone.clip.moving:
        return None
    look = Look.of_network(network.config, LOOK_RATE)  # whose rate decides nothing here
    phi = phi_at(network.backbone, look, lambda _: frames, times, float(times[-1]), best_device(device))
    return TakeEmbedding(view, times, phi)


def _see_pixels(
    network: ActorObserverNet, pixels: Pixels, view: View, look: Look, fps: float | None, device: str
) -> TakeEmbedding:
    """φ of frames that are already in memory."""
    frames = channels_first(pixels)
    if fps is None or not fps > 0:
        raise ValueError(NO_TIMES)
    length = len(frames) / fps
    times = frame_times(length, look.look_rate)
    phi = phi_at(network.backbone, look, reader_of(frames, fps, look.decode_size), times, length, device)
    return TakeEmbedding(view, times, phi)


def reader_of(frames: Tensor, fps: float, size: int) -> Read:
    """What gives the frames on screen at times, of frames (T, 3, H, W) in memory, with a short side of `size`.

    >>> reader_of(torch.zeros((2, 3, 40, 60), dtype=torch.uint8), 1.0, 20)(np.array([0.5, 1.5, 9.0])).shape
    torch.Size([3, 3, 20, 30])
    """
    return lambda times: resized(
        frames[torch.from_numpy((times * fps + 1e-6).astype(np.int64)).clamp(max=len(frames) - 1)], size
    )


def resized(frames: Tensor, size: int) -> Tensor:
    """Frames (T, 3, H, W) with a short side of `size`, made a few at a time.

    >>> resized(torch.zeros((2, 3, 40, 60), dtype=torch.uint8), 20).shape
    torch.Size([2, 3, 20, 30])
    """
    shape = fit(frames.shape[2], frames.shape[3], size)
    return torch.cat([centre_view(some, shape).mul(255).round().to(torch.uint8) for some in frames.split(8)])


def channels_first(pixels: Pixels) -> Tensor:
    """Frames as uint8 (T, 3, H, W), whichever way round they came.

    >>> channels_first(np.zeros((5, 40, 60, 3), dtype=np.uint8)).shape
    torch.Size([5, 3, 40, 60])
    """
    frames = torch.as_tensor(pixels if isinstance(pixels, Tensor) else np.ascontiguousarray(pixels))
    if (
        frames.ndim != 4
        or frames.dtype != torch.uint8
        or not len(frames)
        or 3 not in (frames.shape[1], frames.shape[3])
    ):
        shape = " x ".join(map(str, frames.shape))
        raise ValueError(f"frames are uint8 (T, 3, H, W) or (T, H, W, 3), not {frames.dtype} {shape}")
    return frames if frames.shape[1] == 3 else frames.permute(0, 3, 1, 2)
