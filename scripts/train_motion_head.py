"""Train the motion heads that come with the package, on the motion of rendered pairs filmed together.

    actor-observer playhouse VARIED --together --varied --pairs 340 --seed 1610
    actor-observer playhouse PLAIN --together --pairs 64 --seed 1700 --fps 16
    python bench/motion_set.py VARIED MOTION/varied; python bench/motion_set.py PLAIN MOTION/plain
    python scripts/train_motion_head.py MOTION/varied MOTION/plain [--judge OTHER] [--out FILE]

The loss is what the heads are used for: of all lags between two random clips of a pair, and of some pairs that do not
belong together, how likely is the true one? Clips are flipped, shifted, sped up or slowed down, made noisy and robbed
of channels, and strangers walk about in a part of the picture, so that nothing of the rendered world but the timing of
motion can be learned. The trainings are short on purpose: longer ones know rendered homes better and everything else
worse. Some minutes on a GPU, hours on a CPU. `--judge` are sets that are not learned from: how often each head alone is
within a second of the truth there.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
import tyro
from torch import Tensor
from torch.nn.functional import avg_pool1d, interpolate
from tyro.conf import Positional

from actor_observer.alignment.kinds.motion_head import (
    FILE,
    HEAD_RATE,
    MotionHead,
    MotionHeads,
    motion_vectors,
    take_inputs,
)
from actor_observer.alignment.lags import correlate, lag_grid
from actor_observer.frames.motion import AMOUNTS, CELLS, COLUMNS, GRID, ROWS, Motion
from actor_observer.model.box import write_beside
from actor_observer.model.device import best_device
from actor_observer.model.pretrained import BOX

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from cuts import clip, draw_cuts
from motion_set import read_motion_set

SECONDS = (9.0, 20.0)  # of a clip
SIGMA = 0.07  # seconds: lags this near to the true one are right too
LEAST = 0.4  # of the shorter clip must overlap at a lag that is considered
STRANGER = 0.5  # how often somebody else moves in a part of the picture
SPEED = 0.22  # log of how much faster or slower both clips of a pair are played
WRONG = 3  # first-person clips of other pairs that each third-person clip is held against
Pairs = list[tuple[Tensor, Tensor]]  # (6, 24, T) of both views


@dataclass(frozen=True)
class Training:
    """One head's."""

    seed: int
    steps: int
    dropout: float = 0.1


TRAININGS = (Training(10, 530), Training(11, 480, dropout=0.25), Training(0, 1620))


def main(
    motion: Positional[tuple[Path, ...]],
    out: Path = BOX / FILE,
    judge: tuple[Path, ...] = (),
    batch: int = 32,
    learning_rate: float = 1.5e-3,
    device: str = "auto",
) -> None:
    """Train one head after the other, and write them."""
    device = best_device(device)
    pairs = [inputs(*both, device) for folder in motion for both in read_motion_set(folder, ("train", "validation"))]
    heads = []
    for training in TRAININGS:
        heads.append(train(pairs, training, batch, learning_rate, device))
        for folder in judge:
            print(f"seed {training.seed}, {folder.name}: {judged(MotionHeads(heads[-1:]), folder):.1%} within 1 s")
    for folder in judge:
        print(f"all together, {folder.name}: {judged(MotionHeads(heads), folder):.1%} within 1 s")
    stored = {name: tensor.half() for name, tensor in MotionHeads(heads).state_dict().items()}
    write_beside(out.parent, out.name, safetensors.torch.save(stored))
    print(f"written: {out.name}")


def train(pairs: Pairs, training: Training, batch: int, learning_rate: float, device: str) -> MotionHead:
    """One head, trained from nothing."""
    torch.manual_seed(training.seed)
    rng = np.random.default_rng(training.seed)
    head = MotionHead(dropout=training.dropout).to(device)
    scale = torch.nn.Parameter(torch.zeros((), device=device))
    optimiser = torch.optim.AdamW([*head.parameters(), scale], learning_rate, weight_decay=0.02)
    losses: list[float] = []
    for step in range(training.steps):
        done = step / training.steps
        for group in optimiser.param_groups:
            group["lr"] = learning_rate * min(1.0, done / 0.06 + 0.02) * 0.5 * (1 + np.cos(np.pi * done))
        third, first, lag = draw(pairs, batch, rng)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            vectors = head(spoil(third, rng), "third"), head(spoil(first, rng), "first")
        loss = lag_loss(*vectors, lag.to(device), scale.exp())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        if len(losses) % 100 == 0:
            print(f"seed {training.seed}, step {len(losses)}: loss {np.mean(losses[-100:]):.3f}", flush=True)
    return head.cpu().eval()


def lag_loss(third: Tensor, first: Tensor, lag: Tensor, scale: Tensor) -> Tensor:
    """Of all lags of vectors (B, D, T) against their own and against others' partners: the true ones (B,), in samples.

    >>> torch.manual_seed(0)  # doctest: +ELLIPSIS
    <...>
    >>> third = torch.randn(4, 8, 90); first = third[..., 20:80]
    >>> float(lag_loss(third, first, torch.full((4,), 20.0), torch.tensor(3.0))) < 1.5
    True
    """
    lags, own = every_lag(third, first)
    right = torch.exp(-0.5 * ((lags[None] - lag[:, None]) / HEAD_RATE / SIGMA).square())  # (B, L)
    right = right / right.sum(dim=1, keepdim=True).clamp(min=1e-9)
    others = [every_lag(third, first.roll(by, 0))[1] for by in range(1, WRONG + 1)]
    everything = torch.logsumexp(scale * torch.cat([own, *others], dim=1), dim=1)
    return (everything - (right * scale * own).sum(dim=1)).mean()


def judged(heads: MotionHeads, folder: Path, cuts: int = 2) -> float:
    """How often the best lag by these heads alone is within a second of the truth, on cuts of a set's pairs."""
    near = []
    for number, both in enumerate(read_motion_set(folder)):
        start, end = max(float(one.times[0]) for one in both), min(float(one.times[-1]) for one in both)
        for cut in draw_cuts(start, end, cuts, np.random.default_rng([7, number])):
            third, first = clip(both[0], *cut.third, "third"), clip(both[1], *cut.first, "first")
            lags = lag_grid(third.length, first.length, HEAD_RATE)
            vectors = [motion_vectors(heads, one.motion, one.view) for one in (third, first)]
            best = lags.offsets[correlate(vectors[0], vectors[1], lags).sum(axis=0).argmax()]
            near.append(abs(best - cut.offset) <= 1)
    return float(np.mean(near))


def inputs(third: Motion, first: Motion, device: str) -> tuple[Tensor, Tensor]:
    """Both takes over the time that they share, (6, 24, T) each."""
    start = max(float(third.times[0]), float(first.times[0]))
    end = min(float(third.times[-1]), float(first.times[-1]))
    both = []
    for moved in (third, first):
        inside = (moved.times >= start) & (moved.times < end)
        cut = Motion(moved.times[inside] - start, moved.whole[inside], moved.cells[inside], end - start)
        both.append(torch.from_numpy(take_inputs(cut)).to(device))
    return both[0], both[1]


def draw(pairs: Pairs, batch: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Clips of pairs, (B, 6, 24, T) of each view, that overlap by half at least; and the true lag of each (B,)."""
    speed = float(np.exp(rng.uniform(-SPEED, SPEED))) if rng.random() < 0.6 else 1.0
    played = [round(rng.uniform(*SECONDS) * HEAD_RATE) for _ in range(2)]
    lengths = [round(length * speed) for length in played]
    long_enough = [pair for pair in pairs if min(one.shape[2] for one in pair) >= max(lengths)]
    third: list[Tensor] = []
    first: list[Tensor] = []
    strangers: list[Tensor] = []
    lag: list[float] = []
    while len(lag) < batch:
        pair = long_enough[rng.integers(len(long_enough))]
        most = min(one.shape[2] for one in pair)
        starts = [int(rng.integers(0, most - length + 1)) for length in lengths]
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        if min(ends) - max(starts) < 0.5 * min(lengths):
            continue
        third.append(pair[0][..., starts[0] : ends[0]])
        first.append(pair[1][..., starts[1] : ends[1]])
        lag.append((starts[1] - starts[0]) / speed)
        other = long_enough[rng.integers(len(long_enough))][0]
        at = int(rng.integers(0, other.shape[2] - lengths[0] + 1))
        strangers.append(other[..., at : at + lengths[0]])
    seen = with_strangers(torch.stack(third), torch.stack(strangers)), torch.stack(first)
    resized = [
        interpolate(one.flatten(1, 2), size=length, mode="linear").unflatten(1, one.shape[1:3])
        for one, length in zip(seen, played, strict=True)
    ]
    return resized[0], resized[1], torch.tensor(lag)


def with_strangers(clips: Tensor, others: Tensor) -> Tensor:
    """Half of the clips (B, 6, 24, T) with another take's motion added to the left or the right of the picture."""
    count, device = len(clips), clips.device
    column = torch.arange(GRID, device=device) % COLUMNS
    edge = torch.randint(1, COLUMNS, (count, 1), device=device)
    there = torch.where(torch.rand(count, 1, device=device) < 0.5, column < edge, column >= edge)
    there = there & (torch.rand(count, 1, device=device) < STRANGER)
    gain = 0.7 * torch.randn(count, 1, 1, 1, device=device)
    others = flipped(others, torch.rand(count, device=device) < 0.5)
    amounts = torch.logaddexp(clips[:, :AMOUNTS], others[:, :AMOUNTS] + gain)
    own, added = (one[:, AMOUNTS:].clamp(-6, 6).sinh() for one in (clips, others))
    both = torch.cat([amounts, torch.asinh(own + added * gain.exp())], dim=1)
    return torch.where(there[:, None, :, None], both, clips)


def flipped(clips: Tensor, which: Tensor) -> Tensor:
    """Some clips (B, 6, 24, T) left for right."""
    other = clips.unflatten(2, (ROWS, COLUMNS)).flip(3).flatten(2, 3).clone()
    other[:, CELLS.index("right")] *= -1
    return torch.where(which[:, None, None, None], other, clips)


def spoil(clips: Tensor, rng: np.random.Generator) -> Tensor:
    """Flip, shift, raise the floor, add noise, smooth, drop: (B, 6, 24, T) to the same."""
    count, device = len(clips), clips.device

    def uniform(*shape: int) -> Tensor:
        return torch.rand(count, *shape, device=device)

    def normal(*shape: int) -> Tensor:
        return torch.randn(count, *shape, device=device)

    clips = flipped(clips, uniform() < 0.5)
    for axis, most, often in ((3, 2, 0.5), (2, 1, 0.3)):  # columns, rows
        if rng.random() < often:
            by = int(rng.integers(-most, most + 1))
            clips = torch.roll(clips.unflatten(2, (ROWS, COLUMNS)), by, axis).flatten(2, 3)
    amounts, signed = clips[:, :AMOUNTS], clips[:, AMOUNTS:]
    length, noisy = clips.shape[3], 0.8 * uniform(1, 1, 1)
    # Noise of sensors and codecs is a floor under every amount: it hides small movements and leaves large ones.
    floor = 5 * uniform(1, 1, 1) - 3.5 + 0.5 * normal(AMOUNTS, GRID, 1) + 0.15 * normal(AMOUNTS, GRID, length)
    amounts = torch.where(uniform(1, 1, 1) < 0.6, torch.logaddexp(amounts, floor), amounts)
    amounts = amounts * (1 + 0.2 * normal(AMOUNTS, 1, 1)) + 0.3 * normal(AMOUNTS, GRID, 1)
    amounts = amounts + 0.7 * noisy * normal(AMOUNTS, GRID, length)
    amounts = amounts + 0.3 * uniform(1, 1, 1) * normal(AMOUNTS, 1, length)  # flicker of the whole picture
    signed = signed * (0.5 + uniform(1, 1, 1)) + noisy * normal(len(CELLS) - AMOUNTS, GRID, length)
    clips = torch.cat([amounts, signed], dim=1)
    if rng.random() < 0.3:  # as if the camera had taken fewer frames
        side = int(rng.integers(1, 3))
        smooth = avg_pool1d(clips.flatten(0, 1), 2 * side + 1, 1, side, count_include_pad=False)
        clips = smooth.unflatten(0, (count, len(CELLS)))
    kept = (uniform(len(CELLS), 1, 1) > 0.15) & (uniform(1, GRID, 1) > 0.15 * uniform(1, 1, 1))
    return torch.where(kept, clips, clips.mean(dim=3, keepdim=True))


def every_lag(third: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
    """Lags (L,) in samples, and the correlation (B, L) of vectors (B, D, T) at each, over the root of the overlap."""
    third, first = third.float(), first.float()
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
