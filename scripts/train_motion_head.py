"""Train the motion head that comes with the package, on the motion of rendered pairs filmed together.

    actor-observer playhouse VARIED --together --varied --pairs 170 --seed 500
    python bench/motion_set.py VARIED MOTION
    python scripts/train_motion_head.py MOTION [--out src/actor_observer/box/motion.safetensors]

The loss is what the head is used for: of all lags between two random clips of a pair, how likely is the true one? Clips
are flipped, shifted, made noisy and robbed of channels, and strangers are put into one half of the picture, so that
nothing of the rendered world but the timing of motion can be learned. A minute on a GPU, some ten on a CPU.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
import tyro
from torch import Tensor
from tyro.conf import Positional

from actor_observer.alignment.kinds.motion_head import FILE, HEAD_RATE, MotionHead, take_inputs
from actor_observer.frames.motion import CELLS, COLUMNS, GRID, ROWS, Motion
from actor_observer.model.pretrained import BOX

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from motion_set import read_motion_set

SECONDS = (9.0, 20.0)  # of a clip
SIGMA = 0.07  # seconds: lags this near to the true one are right too
LEAST = 0.4  # of the shorter clip must overlap at a lag that is considered
STRANGER = 0.3  # how often somebody else moves in half of the picture
MAPS = len(CELLS) * GRID  # rows of the inputs that are cells


def main(
    motion: Positional[Path],
    out: Path = BOX / FILE,
    steps: int = 2000,
    batch: int = 32,
    learning_rate: float = 2e-3,
    seed: int = 0,
    device: str = "cuda" if torch.cuda.is_available() else "cpu",
) -> None:
    """Train and write."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    pairs = [inputs(*both, device) for both in read_motion_set(motion, ("train", "validation"))]
    head, scale = MotionHead().to(device), torch.nn.Parameter(torch.zeros((), device=device))
    optimiser = torch.optim.AdamW([*head.parameters(), scale], learning_rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, learning_rate, total_steps=steps)
    losses = []
    for step in range(steps):
        third, first, lag = draw(pairs, batch, rng)
        lags, scores = every_lag(head(spoil(third, rng), "third"), head(spoil(first, rng), "first"))
        apart = (lags[None] - lag.to(device)[:, None]) / HEAD_RATE  # (B, L)
        right = torch.exp(-0.5 * (apart / SIGMA).square())
        right = right / right.sum(dim=1, keepdim=True).clamp(min=1e-9)
        loss = -(right * torch.log_softmax(scale.exp() * scores, dim=1)).sum(dim=1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(float(loss.detach()))
        if (step + 1) % (steps // 8) == 0:
            print(f"step {step + 1}: loss {np.mean(losses[-100:]):.3f}", flush=True)
    safetensors.torch.save_file({name: tensor.cpu() for name, tensor in head.state_dict().items()}, out)
    print(f"written: {out.name}")


def inputs(third: Motion, first: Motion, device: str) -> tuple[Tensor, Tensor]:
    """Both takes over the time that they share, (103, T) each."""
    start = max(float(third.times[0]), float(first.times[0]))
    end = min(float(third.times[-1]), float(first.times[-1]))
    both = []
    for moved in (third, first):
        inside = (moved.times >= start) & (moved.times < end)
        cut = Motion(moved.times[inside] - start, moved.whole[inside], moved.cells[inside], end - start)
        both.append(torch.from_numpy(take_inputs(cut)).to(device))
    return both[0], both[1]


def draw(pairs: list[tuple[Tensor, Tensor]], batch: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Clips of pairs, (B, 103, T) of each view, that overlap by half at least; and the true lag of each (B,)."""
    lengths = [round(rng.uniform(*SECONDS) * HEAD_RATE) for _ in range(2)]
    long_enough = [pair for pair in pairs if min(one.shape[1] for one in pair) >= max(lengths)]
    third: list[Tensor] = []
    first: list[Tensor] = []
    lag: list[int] = []
    while len(lag) < batch:
        pair = long_enough[rng.integers(len(long_enough))]
        most = min(one.shape[1] for one in pair)
        starts = [int(rng.integers(0, most - length + 1)) for length in lengths]
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        if min(ends) - max(starts) < 0.5 * min(lengths):
            continue
        clip = pair[0][:, starts[0] : ends[0]]
        if rng.random() < STRANGER:
            clip = with_stranger(clip, long_enough[rng.integers(len(long_enough))][0], rng)
        third.append(clip)
        first.append(pair[1][:, starts[1] : ends[1]])
        lag.append(starts[1] - starts[0])
    return torch.stack(third), torch.stack(first), torch.tensor(lag)


def with_stranger(clip: Tensor, other: Tensor, rng: np.random.Generator) -> Tensor:
    """A clip with another take's motion in the left or the right half of the picture."""
    length, clip = clip.shape[1], clip.clone()
    start = int(rng.integers(0, other.shape[1] - length + 1))
    other = other[:, start : start + length]
    half = slice(0, COLUMNS // 2) if rng.random() < 0.5 else slice(COLUMNS // 2, COLUMNS)
    cells, others = (one[:MAPS].view(len(CELLS), ROWS, COLUMNS, length) for one in (clip, other.clone()))
    cells[:, :, half] = others[:, :, half]
    clip[MAPS:] = torch.maximum(clip[MAPS:], other[MAPS:])
    return clip


def spoil(clips: Tensor, rng: np.random.Generator) -> Tensor:
    """Flip, shift, scale, add noise, drop channels: (B, 103, T) to the same."""
    count, device = len(clips), clips.device
    cells = clips[:, :MAPS].reshape(count, len(CELLS), ROWS, COLUMNS, -1)
    flipped = cells.flip(3).clone()
    flipped[:, CELLS.index("right")] *= -1
    flip = torch.from_numpy(rng.random(count) < 0.5).to(device)
    cells = torch.where(flip[:, None, None, None, None], flipped, cells)
    if rng.random() < 0.5:
        cells = torch.roll(cells, int(rng.integers(-2, 3)), 3)
    clips = torch.cat([cells.reshape(count, MAPS, -1), clips[:, MAPS:]], dim=1)
    clips = clips * (1 + 0.3 * torch.randn(count, clips.shape[1], 1, device=device))
    noise = torch.from_numpy(rng.uniform(0.1, 1.2, (count, 1, 1))).float().to(device)
    kept = torch.rand(count, clips.shape[1], 1, device=device) > 0.5 * torch.rand(count, 1, 1, device=device)
    return (clips + noise * torch.randn_like(clips)) * kept


def every_lag(third: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
    """Lags (L,) in samples, and the correlation (B, L) of vectors (B, D, T) at each, over the root of the overlap."""
    ahead, behind = third.shape[2], first.shape[2]
    size = 1 << (ahead + behind - 1).bit_length()
    product = (torch.fft.rfft(third, size) * torch.fft.rfft(first, size).conj()).sum(dim=1)
    lags = torch.arange(1 - behind, ahead, device=third.device)
    overlap = (lags + behind).clamp(max=ahead) - lags.clamp(min=0)
    enough = overlap >= LEAST * min(ahead, behind)
    lags, overlap = lags[enough], overlap[enough]
    return lags, torch.fft.irfft(product, size)[:, lags % size] / (overlap * third.shape[1]).sqrt()


if __name__ == "__main__":
    tyro.cli(main)
