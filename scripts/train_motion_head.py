"""Train the motion heads that come with the package, on the motion of rendered events filmed by several cameras.

    actor-observer playhouse EVENTS --events 300 --seed 2600
    python bench/motion_set.py EVENTS MOTION
    python scripts/train_motion_head.py MOTION... [--judge OTHER...] [--out FILE] [--go-on]

The loss is what the heads are used for: of all lags between two random clips of an event, and of some clips of other
events, how likely is the true one? Two clips are those of a room and a head camera, of two room cameras, or of two head
cameras. Where the truth knows in which cells of a room camera's picture the wearer is, finding them is a second loss.
Clips are spoilt (motion_clips.py), so that nothing of the rendered world but the timing of motion can be learned. Some
minutes on a GPU, hours on a CPU. `--go-on` starts from the heads of the box, at a fifth of the learning rate. `--judge`
are sets that are not learned from: how often each head alone is within a second of the truth.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
import tyro
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tyro.conf import Positional

from actor_observer.alignment.kinds.learned_motion import PEOPLE_FILE, load_heads
from actor_observer.model.box import write_beside
from actor_observer.model.device import best_device
from actor_observer.model.motion_heads import (
    HEAD_RATE,
    MotionHead,
    MotionHeads,
    Watched,
)
from actor_observer.model.pretrained import BOX
from actor_observer.model.spell_scores import SPELL, followed_scores, over_areas, shared_scores, who_answers
from actor_observer.pairs.manifest import View
from motion_clips import Clips, Event, draw, read_events

SIGMA = 0.07  # seconds: lags this near to the true one are right too
LEAST = 0.4  # of the shorter clip must overlap at a lag that is considered
WRONG = 3  # clips of other events that each clip is held against
WHO = 0.3  # what finding the wearer counts beside finding the lag
GO_ON = 0.2  # of the learning rate, for heads that have learned already
AVERAGED = 0.998  # a head is the mean of what it was in its last 500 steps or so: it then hangs less on the last ones
BATCH_JUDGED = 16
SCALES_RATE = 0.02  # learning rate of how much each kind of score counts
TELL = 25  # steps between two lines on the screen
# How often each is drawn.
KINDS: dict[tuple[View, View], float] = {
    ("third", "first"): 0.65,
    ("third", "third"): 0.2,
    ("first", "first"): 0.15,
}
CURVES = [
    *[(*views, name) for views in KINDS for name in ("whole", "same")],
    ("third", "first", "anybody"),
]  # kinds of scores


@dataclass(frozen=True)
class Training:
    """One head's."""

    seed: int
    steps: int
    dropout: float = 0.1


TRAININGS = tuple(Training(seed, 5000) for seed in (0, 1, 2))


def main(
    motion: Positional[tuple[Path, ...]],
    out: Path = BOX / PEOPLE_FILE,
    judge: tuple[Path, ...] = (),
    batch: int = 32,
    learning_rate: float = 1.5e-3,
    steps: float = 1.0,  # times those of each training
    minutes: float | None = None,  # no more than fit into this time, for each head
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
        heads.append(train(head.to(device), events, training, round(training.steps * steps), batch, rate, minutes))
        report(f"seed {training.seed}", heads[-1:], others)
    report("all together", heads, others)
    stored = {name: tensor.half().cpu() for name, tensor in MotionHeads(heads).state_dict().items()}
    write_beside(out.parent, out.name, safetensors.torch.save(stored))
    print(f"written: {out.name}")


def train(
    head: MotionHead,
    events: Sequence[Event],
    training: Training,
    steps: int,
    batch: int,
    learning_rate: float,
    minutes: float | None = None,
) -> MotionHead:
    """One head, trained from what it is: the mean of what it was on the way."""
    torch.manual_seed(training.seed)
    rng, device = np.random.default_rng(training.seed), head.sharp.device.type
    averaged = AveragedModel(head, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED))
    scales = torch.nn.Parameter(torch.zeros(len(CURVES), device=device))  # what each kind of score counts
    groups = [{"params": [*head.parameters()], "most": learning_rate}, {"params": [scales], "most": SCALES_RATE}]
    optimiser = torch.optim.AdamW(groups, learning_rate, weight_decay=0.02)
    torch.backends.cudnn.benchmark = True  # what cuDNN takes without looking is several times as slow backwards
    head.train()
    told: list[tuple[str, Tensor, Tensor]] = []
    begun, step, done = time.monotonic(), 0, 0.0
    while done < 1:
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * min(1.0, done / 0.06 + 0.02) * 0.5 * (1 + np.cos(np.pi * done))
        clips = None
        while clips is None:  # a set may lack cameras of some views
            views = [*KINDS][int(rng.choice(len(KINDS), p=[*KINDS.values()]))]
            clips = draw(events, views, batch, rng)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            one, other = (head(inputs, view) for inputs, view in zip(clips.inputs, clips.views, strict=True))
        losses, found = lag_losses(head, one, other, clips, scales.exp())
        optimiser.zero_grad()
        sum(losses.values(), torch.zeros((), device=device)).backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        averaged.update_parameters(head)
        told += [(f"{'-'.join(views)} {name}", loss.detach(), found) for name, loss in losses.items()]
        step += 1
        if step % TELL == 0:
            tell(f"seed {training.seed}, step {step}", told)
            told = []
        done = max(step / steps, (time.monotonic() - begun) / (60 * minutes) if minutes else 0.0)
    head.load_state_dict(averaged.module.state_dict())
    return head.eval()


def tell(title: str, told: Sequence[tuple[str, Tensor, Tensor]]) -> None:
    """The mean losses of some steps, and how often the wearer was found."""
    by_name: dict[str, list[float]] = {}
    for name, loss, _ in told:
        by_name.setdefault(name, []).append(float(loss))
    who = torch.stack([found for _, _, found in told]).nanmean()
    said = ", ".join(f"{name} {np.mean(losses):.3f}" for name, losses in sorted(by_name.items()))
    print(f"{title}: {said}; wearer found {float(who):.2f}", flush=True)


def lag_losses(
    head: MotionHead, one: Watched, other: Watched, clips: Clips, scales: Tensor
) -> tuple[dict[str, Tensor], Tensor]:
    """How unlikely the true lags are among all, of a clip's own partner and of others; and how often who was right.

    Each kind of score learns by itself: together, one would do the other's work.
    """
    lags, found = curves(head, one, other, clips.views, WRONG + 1)
    right = torch.exp(-0.5 * ((lags[None] - clips.lag[:, None]) / HEAD_RATE / SIGMA).square())  # (B, L)
    right = right / right.sum(dim=1, keepdim=True).clamp(min=1e-9)
    losses = {}
    for name, scores in found.items():  # (M, B, L)
        scores = scores * scales[CURVES.index((*clips.views, name))]
        everything = torch.logsumexp(scores.transpose(0, 1).flatten(1), dim=1)
        losses[name] = (everything - (right * scores[0]).sum(dim=1)).mean()
    nobody = torch.full((), float("nan"), device=right.device)
    if clips.wearer is None:
        return losses, nobody
    shares = who_answers(one.cells, other.asks, clips.lag.round().long(), head.sharp.exp())  # (B, K, C)
    there = wearer_at(clips, shares.shape[1])  # (B, K, C)
    seen = there.any(dim=2)
    count = seen.sum().clamp(min=1)
    missed = -(shares * there).sum(dim=2).clamp(min=1e-6).log()
    losses["who"] = WHO * (missed * seen).sum() / count
    hits = there.gather(2, shares.argmax(dim=2, keepdim=True))[..., 0] & seen
    return losses, torch.where(seen.any(), hits.sum() / count, nobody)


def curves(
    head: MotionHead, one: Watched, other: Watched, views: tuple[View, View], many: int
) -> tuple[Tensor, dict[str, Tensor]]:
    """All lags (L,), and the scores (M, B, L) of each kind, of partners up to `many` - 1 places on in the batch."""

    def held(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        return torch.cat([first] * many), torch.cat([second.roll(by, 0) for by in range(many)])

    lags, whole = every_lag(*held(one.whole[views[1]], other.whole[views[0]]))
    shift, found = as_range(lags), {"whole": whole}
    if views == ("third", "first"):
        asks = torch.cat([other.asks.roll(by, 0) for by in range(many)])
        found["anybody"] = followed_scores(one.cells, asks, shift, head.sharp.exp()).sum(dim=1)
    # Areas first: they are a sixteenth of the cells.
    same = held(over_areas(one.cells.float()), over_areas(other.cells.float()))
    found["same"] = shared_scores(*same, shift, head.alike.exp()).sum(dim=1)
    return lags, {name: scores.unflatten(0, (many, -1)) for name, scores in found.items()}


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
    """How often the best lag by these heads alone is within a second of the truth, by each kind of score."""
    for name, events in others.items():
        said = []
        for views in KINDS:
            rng = np.random.default_rng(7)
            near: dict[str, list[bool]] = {}
            for _ in range(count // BATCH_JUDGED):
                clips = draw(events, views, BATCH_JUDGED, rng, spoilt=False)
                if clips is None:
                    break
                total: dict[str, Tensor] = {}
                for head in heads:
                    one, other = (head(inputs, view) for inputs, view in zip(clips.inputs, views, strict=True))
                    lags, found = curves(head, one, other, views, 1)
                    total = {kind: total.get(kind, 0) + scores[0] for kind, scores in found.items()}
                for kind, scores in total.items():
                    off = (lags[scores.argmax(dim=1)] - clips.lag).abs()
                    near.setdefault(kind, []).extend((off <= HEAD_RATE).tolist())
            if near:
                said.append(
                    f"{'-'.join(views)} " + ", ".join(f"{kind} {np.mean(hits):.0%}" for kind, hits in near.items())
                )
        print(f"{title}, {name}, within 1 s: {'; '.join(said)}", flush=True)


if __name__ == "__main__":
    tyro.cli(main)
