"""Run a backbone on decoded frames: those on screen once, in batches, and in clips where it sees clips."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.features.look import Look
from actor_observer.features.passes.clips import Clips, clips_for
from actor_observer.features.passes.replay import Replayed
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.fold import for_inference

__all__ = [
    "Features",
    "Places",
    "Read",
    "Run",
    "distinct",
    "phi_at",
    "phi_of_frames",
    "precision_of",
    "runner",
    "start",
]

CHUNK = 64  # frames in one forward pass with CUDA
BATCH = 16  # and without: they should fit a CPU's cache
SPARSE = 16  # pixels apart: frames that differ nearly always do so here too
CLIP_FRAMES = 256  # frames of clips in one forward pass with CUDA

Features = NDArray[np.float32]  # (T, D)
Places = NDArray[np.int64]  # (T,) which of the different frames is seen at each time
Run = Callable[[Tensor], Tensor]  # frames (N, 3, H, W) to φ (N, D), or clips (N, F, 3, H, W) to (N, S, D)
Read = Callable[[NDArray[np.float64]], Tensor]  # the frames (T, 3, H, W) on screen at times


def phi_of_frames(backbone: Backbone, look: Look, frames: Tensor, device: torch.device) -> Features:
    """Features (T, D) of decoded frames. A GPU takes many at once, in bfloat16.

    A frame that stays on screen (a video of fewer frames a second than are looked at) is embedded once.
    """
    return start(runner(backbone, device), look, *distinct(frames), device)()


def phi_at(
    backbone: Backbone, look: Look, read: Read, times: NDArray[np.float64], length: float, device: str | torch.device
) -> Features:
    """Features (T, D) at some times, which rise, of what `read` gives the frames of: as `extract` has them.

    A still picture is a video of no length.
    """
    device = torch.device(device)
    fast = for_inference(backbone, device)
    if not backbone.clip.moving:
        return phi_of_frames(fast, look, read(times), device)
    run = runner(fast, device)
    found = [
        start(run, look, *distinct(read(clips.times)), device, clips)()
        for _, clips in clips_for(backbone.clip, length, times)
    ]
    return np.concatenate(found)


def precision_of(device: str | torch.device) -> str:
    """The precision of the numbers on a device; part of the cache's key.

    >>> precision_of("cpu")
    'float32'
    """
    return "bfloat16" if torch.device(device).type == "cuda" else "float32"


def runner(backbone: Backbone, device: torch.device) -> Run:
    """What runs a backbone that was made ready for a device.

    >>> runner(torch.nn.Identity(), torch.device("cpu"))(1)
    1
    """
    return Replayed(backbone) if device.type == "cuda" else backbone


def distinct(frames: Tensor) -> tuple[Tensor, Places]:
    """Frames without consecutive duplicates, and each frame's place among the rest.

    >>> distinct(torch.tensor([4, 4, 7]).view(3, 1, 1, 1))[1].tolist()
    [0, 0, 1]
    """
    some = frames[:, :, ::SPARSE, ::SPARSE]
    fresh = torch.ones(len(frames), dtype=torch.bool)
    fresh[1:] = (some[1:] != some[:-1]).flatten(1).any(dim=1)
    for alike in (~fresh).nonzero().flatten().tolist():
        fresh[alike] = not torch.equal(frames[alike], frames[alike - 1])
    return frames if fresh.all() else frames[fresh], (fresh.cumsum(dim=0) - 1).numpy()


@torch.inference_mode()
def start(
    run: Run, look: Look, frames: Tensor, place: Places, device: torch.device, clips: Clips | None = None
) -> Callable[[], Features]:
    """Set the device to work on frames; what is returned waits for φ (T, D) of all places, or of the clips' moments.

    NumPy puts it together: torch would ask all cores for help, and those decode.
    """
    batches = _frames(look, frames, device) if clips is None else _clips(look, frames, place[clips.frames], device)
    if device.type != "cuda":
        phi = np.concatenate([run(batch).float().cpu().numpy() for batch in batches])
        return lambda: phi[place] if clips is None else clips.read(phi)
    host, done = [], torch.cuda.Event()
    with torch.cuda.device(device):  # whose stream the event is recorded in
        for batch in batches:
            found = run(batch)
            host.append(torch.empty(found.shape, pin_memory=True).copy_(found, non_blocking=True))
        done.record()

    def wait() -> Features:
        done.synchronize()
        phi = np.concatenate([some.numpy() for some in host])
        return phi[place] if clips is None else clips.read(phi)

    return wait


def _frames(look: Look, frames: Tensor, device: torch.device) -> Iterator[Tensor]:
    cuda = device.type == "cuda"
    for some in frames.split(CHUNK if cuda else BATCH):
        yield look.of(some.to(device, non_blocking=cuda)).contiguous(memory_format=torch.channels_last)


def _clips(look: Look, frames: Tensor, place: NDArray[np.int64], device: torch.device) -> Iterator[Tensor]:
    """Clips (N, F, 3, H, W) of frames that are each taken to the device once; `place` (W, F) says which."""
    cuda = device.type == "cuda"
    seen, held = look.of(frames.to(device, non_blocking=cuda)), torch.from_numpy(place).to(device)
    for some in held.split(max(1, (CLIP_FRAMES if cuda else BATCH) // held.shape[1])):
        yield seen[some]
