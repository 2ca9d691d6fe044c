"""Train the motion heads that come with the package, on the motion of rendered events filmed by several cameras.

    actor-observer playhouse EVENTS --events 300 --seed 2600
    python bench/motion_set.py EVENTS MOTION
    python scripts/train_motion_head.py MOTION... [--judge OTHER...] [--out FILE] [--go-on]

The loss is what the heads are used for: of all lags between two random clips of an event, and of some clips of other
events, how likely is the true one? Two clips are those of a room and a head camera, of two room cameras, or of two head
cameras. Where the truth knows in which cells of a room camera's picture the wearer is, finding them is a second loss.
Clips are spoilt (motion_clips.py), so that nothing of the rendered world but the timing of motion can be learned. The
trainings are short on purpose: longer ones know rendered homes better and everything else worse. Some minutes on a GPU,
hours on a CPU. `--go-on` starts from the heads of the box, at a fifth of the learning rate. `--judge` are sets that are
not learned from: how often each head alone is within a second of the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
import tyro
from torch import Tensor
from tyro.conf import Positional

from actor_observer.alignment.kinds.learned_motion import PEOPLE_FILE, load_heads
from actor_observer.alignment.kinds.same_people import SHARP
from actor_observer.model.box import write_beside
from actor_observer.model.device import best_device
from actor_observer.model.motion_heads import (
    HEAD_RATE,
    MotionHead,
    MotionHeads,
    Watched,
)
from actor_observer.model.pretrained import BOX
from actor_observer.model.spell_scores import SPELL, followed_scores, shared_scores, who_answers
from motion_clips import Clips, Event, draw, read_events

SIGMA = 0.07  # seconds: lags this near to the true one are right too
LEAST = 0.4  # of the shorter clip must overlap at a lag that is considered
WRONG = 3  # clips of other events that each clip is held against
WHO = 0.3  # what finding the wearer counts beside finding the lag
GO_ON = 0.2  # of the learning rate, for heads that have learned already
MORE = 0.53  # of the learning rate, in a second round
SCALES_RATE = 0.02  # learning rate of how much each kind of score counts
TELL = 25  # steps between two lines on the screen
KINDS = {("third", "first"): 0.65, ("third", "third"): 0.2, ("first", "first"): 0.15}  # how often each is drawn


@dataclass(frozen=True)
class Training:
    """One head's."""

    seed: int
    steps: int
    more: int = 0  # steps of a second round, at half the learning rate
    dropout: float = 0.1


TRAININGS = (Training(0, 615, 580), Training(12, 447, 353, dropout=0.2), Training(10, 423))


def main(
    motion: Positional[tuple[Path, ...]],
    out: Path = BOX / PEOPLE_FILE,
    judge: tuple[Path, ...] = (),
    batch: int = 32,
    learning_rate: float = 1.5e-3,
    steps: float = 1.0,  # times those of each training
    go_on: bool = False,
    only: int | None = None,  # this training alone, to train several at once
    device: str = "auto",
) -> None:
    """Train one head after the other, and write them."""
    device = best_device(device)
    before = load_heads() if go_on else None
    events = [event for folder in motion for event in read_events(folder, ("train",), device)]
    others = {folder.name: read_events(folder, device=device) for folder in judge}
    heads = []
    for number, training in enumerate(TRAININGS):
        if only is not None and number != only:
            continue
        head = MotionHead(dropout=training.dropout)
        if before is not None:
            head.load_state_dict(before.heads[number].state_dict())
        rate = learning_rate * (GO_ON if go_on else 1.0)
        for many, share in ((training.steps, 1.0), (training.more, MORE)):
            head = train(head.to(device).train(), events, training, round(many * steps), batch, share * rate)
        heads.append(head)
        report(f"seed {training.seed}", heads[-1:], others)
    report("all together", heads, others)
    stored = {name: tensor.half().cpu() for name, tensor in MotionHeads(heads).state_dict().items()}
    write_beside(out.parent, out.name, safetensors.torch.save(stored))
    print(f"written: {out.name}")


def train(
    head: MotionHead, events: Sequence[Event], training: Training, steps: int, batch: int, learning_rate: float
) -> MotionHead:
    """One head, trained from what it is."""
    torch.manual_seed(training.seed)
    rng, device = np.random.default_rng(training.seed), head.sharp.device.type
    scales = torch.nn.Parameter(torch.zeros(5, device=device))  # of the whole picture for each kind, of anybody in it
    groups = [{"params": [*head.parameters()], "most": learning_rate}, {"params": [scales], "most": SCALES_RATE}]
    optimiser = torch.optim.AdamW(groups, learning_rate, weight_decay=0.02)
    losses: list[list[float]] = []
    for step in range(steps):
        done = step / steps
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * min(1.0, done / 0.06 + 0.02) * 0.5 * (1 + np.cos(np.pi * done))
        clips = None
        while clips is None:  # a set may lack cameras of some views
            kind = int(rng.choice(len(KINDS), p=[*KINDS.values()]))
            clips = draw(events, [*KINDS][kind], batch, rng)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            one, other = (head(inputs, view) for inputs, view in zip(clips.inputs, clips.views, strict=True))
        loss, found = lag_loss(head, one, other, clips, scales.exp(), kind)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        losses.append([kind, float(loss.detach()), found])
        if (step + 1) % TELL == 0:
            recent = np.array(losses[-TELL:])
            said = [
                f"{'-'.join(names)} {recent[recent[:, 0] == number, 1].mean():.3f}"
                for number, names in enumerate(KINDS)
                if (recent[:, 0] == number).any()
            ]
            who = np.nanmean(recent[:, 2]) if np.isfinite(recent[:, 2]).any() else float("nan")
            print(f"seed {training.seed}, step {step + 1}: loss {', '.join(said)}; wearer found {who:.2f}", flush=True)
    return head.eval()


def lag_loss(
    head: MotionHead, one: Watched, other: Watched, clips: Clips, scales: Tensor, kind: int
) -> tuple[Tensor, float]:
    """How unlikely the true lags are among all, of a clip's own partner and of others; and how often who was right."""
    lags = curves(head, one, other, clips.views, scales, kind, 0)[0]
    right = torch.exp(-0.5 * ((lags[None] - clips.lag[:, None]) / HEAD_RATE / SIGMA).square())  # (B, L)
    right = right / right.sum(dim=1, keepdim=True).clamp(min=1e-9)
    held = [curves(head, one, other, clips.views, scales, kind, by)[1] for by in range(WRONG + 1)]
    loss = torch.zeros((), device=right.device)
    for one_kind in zip(*held, strict=True):  # each learns by itself: together, one would do the other's work
        everything = torch.logsumexp(torch.cat(one_kind, dim=1), dim=1)
        loss = loss + (everything - (right * one_kind[0]).sum(dim=1)).mean()
    if clips.wearer is None:
        return loss, float("nan")
    shares = who_answers(one.cells, other.asks, clips.lag.round().long(), head.sharp.exp())  # (B, K, C)
    there = wearer_at(clips, shares.shape[1])  # (B, K, C)
    seen = there.any(dim=2)
    if not seen.any():
        return loss, float("nan")
    missed = -(shares * there).sum(dim=2).clamp(min=1e-6).log()
    found = there.gather(2, shares.argmax(dim=2, keepdim=True))[seen].float().mean()
    return loss + WHO * missed[seen].mean(), float(found)


def curves(
    head: MotionHead, one: Watched, other: Watched, views: tuple[str, str], scales: Tensor, kind: int, by: int
) -> tuple[Tensor, list[Tensor]]:
    """All lags (L,), and the logits (B, L) by the whole picture and by anybody in it, of partners `by` places on."""
    lags, whole = every_lag(one.whole[views[1]], other.whole[views[0]].roll(by, 0))
    found = [scales[kind] * whole]
    if views == ("third", "first"):
        anybody = followed_scores(one.cells, other.asks.roll(by, 0), as_range(lags), head.sharp.exp())
        found.append(scales[3] * anybody.sum(dim=1))
    elif views == ("third", "third"):
        anybody = shared_scores(one.cells, other.cells.roll(by, 0), as_range(lags), torch.tensor(SHARP))
        found.append(scales[4] * anybody.sum(dim=1))
    return lags, found


def wearer_at(clips: Clips, spells: int) -> Tensor:
    """In which cells the wearer mostly is, in each spell of the head camera: (B, K, C)."""
    assert clips.wearer is not None  # (B, C, T), in the room camera's samples
    length = clips.wearer.shape[2]
    times = torch.arange(spells * SPELL, device=clips.lag.device)[None] + clips.lag.round().long()[:, None]  # (B, S)
    inside = (times >= 0) & (times < length)
    index = times.clamp(0, length - 1)[:, None].expand(-1, clips.wearer.shape[1], -1)
    there = clips.wearer.gather(2, index) * inside[:, None]
    return there.unflatten(2, (spells, SPELL)).mean(dim=3).transpose(1, 2) > 0.4


def every_lag(third: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
    """Lags (L,) in samples, and the correlation (B, L) of vectors (B, D, T) at each, over the root of the overlap."""
    third, first = third.float(), first.float()
    ahead, behind = third.shape[2], first.shape[2]
    size = 1 << (ahead + behind - 1).bit_length()
    product = (torch.fft.rfft(third, size) * torch.fft.rfft(first, size).conj()).sum(dim=1)
    least = math.ceil(LEAST * min(ahead, behind))
    lags = torch.arange(least - behind, ahead - least + 1, device=third.device)
    overlap = (lags + behind).clamp(max=ahead) - lags.clamp(min=0)
    summed = torch.fft.irfft(product, size).roll(behind - least, -1)[:, : len(lags)]
    return lags, summed / (overlap * third.shape[1]).sqrt()


def as_range(lags: Tensor) -> range:
    """Lags (L,) that follow each other."""
    return range(int(lags[0]), int(lags[-1]) + 1)


@torch.no_grad()
def report(title: str, heads: Sequence[MotionHead], others: dict[str, list[Event]], count: int = 128) -> None:
    """How often the best lag by these heads alone is within a second of the truth, by the whole picture and by who."""
    for name, events in others.items():
        said = []
        for views in KINDS:
            rng = np.random.default_rng(7)
            whole: list[bool] = []
            who: list[bool] = []
            while len(whole) < count:
                clips = draw(events, views, 16, rng, spoilt=False)
                if clips is None:
                    break
                curves = []
                for head in heads:
                    one, other = (head(inputs, view) for inputs, view in zip(clips.inputs, views, strict=True))
                    lags, pooled = every_lag(one.whole[views[1]], other.whole[views[0]])
                    anybody = torch.zeros_like(pooled)
                    if views == ("third", "first"):
                        anybody = followed_scores(one.cells, other.asks, as_range(lags), head.sharp.exp()).sum(dim=1)
                    elif views == ("third", "third"):
                        anybody = shared_scores(one.cells, other.cells, as_range(lags), torch.tensor(SHARP)).sum(dim=1)
                    curves.append((pooled, anybody))
                for both, kept in ((0, whole), (1, who)):
                    total = sum((one[both] for one in curves), torch.zeros_like(curves[0][0]))
                    kept += ((lags[total.argmax(dim=1)] - clips.lag).abs() <= HEAD_RATE).tolist()
            if whole:
                said.append(f"{'-'.join(views)} {np.mean(whole):.0%} / {np.mean(who):.0%}")
        print(f"{title}, {name}: within 1 s, whole picture / anybody: {', '.join(said)}", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
