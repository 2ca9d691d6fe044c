"""What the motion heads alone say of clips of a room and a head camera, and what they would if they knew the wearer.

    python bench/heads_alone.py MOTION [--splits validation] [--clips 256]

MOTION is a set of rendered events that bench/motion_set.py made. Clips of 9 to 20 s are drawn as those are that the
heads learn from, none of them spoilt. Printed is how often the best lag is within a second of the truth, by each kind
of score alone, added up over the heads; by "anybody" where only those cells of the room camera's picture count in which
the wearer truly is: what finding the wearer costs is the difference; and by laying both middles on each other, unseen.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
import tyro
from torch import Tensor
from torch.nn.functional import avg_pool1d, pad
from tyro.conf import Positional

from actor_observer.alignment.kinds.learned_motion import load_heads
from actor_observer.errors import UserError
from actor_observer.model.motion_heads import HEAD_RATE, MotionHead
from actor_observer.model.spell_scores import SPELL, above_usual, each_spell, every_answer

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from motion_clips import draw, read_events
from train_motion_head import as_range, curves

BATCH = 16
THERE = 0.3  # of a spell that the wearer is in a cell
NOWHERE = -1e9


@torch.no_grad()
def main(motion: Positional[Path], splits: tuple[str, ...] = ("validation",), clips: int = 256, seed: int = 7) -> None:
    """Draw, compare, count."""
    loaded, events, rng = load_heads(), read_events(motion, splits), np.random.default_rng(seed)
    if loaded is None or not events:
        raise UserError(f"{motion}: no events of {' or '.join(splits)}")
    heads = [head for head in loaded.heads if isinstance(head, MotionHead)]
    near: dict[str, list[bool]] = {}
    for _ in range(max(1, clips // BATCH)):
        drawn = draw(events, ("third", "first"), BATCH, rng, spoilt=False)
        if drawn is None or drawn.wearer is None:
            raise UserError(f"{motion}: clips share too little, or nobody knows where the wearer is")
        total: dict[str, Tensor] = {}
        for head in heads:
            one, other = (head(inputs, view) for inputs, view in zip(drawn.inputs, drawn.views, strict=True))
            lags, found = curves(head, one, other, drawn.views, 1)
            known = known_scores(one.cells, other.asks, as_range(lags), head.sharp.exp(), drawn.wearer)
            for kind, (scores,) in {**found, "anybody, the wearer known": known[None]}.items():
                total[kind] = total[kind] + scores if kind in total else scores
        third, first = (inputs.shape[-1] for inputs in drawn.inputs)
        best = {kind: lags[scores.argmax(dim=1)] for kind, scores in total.items()}
        best["both middles together"] = torch.full_like(drawn.lag, (third - first) / 2)
        for kind, lag in best.items():
            near.setdefault(kind, []).extend(((lag - drawn.lag).abs() <= HEAD_RATE).tolist())
    print(f"{len(events)} events; best lag within a second of the truth:")
    for kind, hits in near.items():
        print(f"{kind}: {np.mean(hits):.1%} of {len(hits)}")


def known_scores(cells: Tensor, asks: Tensor, lags: range, sharp: Tensor, wearer: Tensor) -> Tensor:
    """As the sum of `followed_scores` over spells, of the cells in which the wearer is at each lag alone: (B, L)."""
    share = avg_pool1d(pad(wearer.float(), (SPELL, SPELL)), SPELL, 1)  # (B, C, T): of the spell that begins there
    found: list[Tensor] = []
    for answers, own, inside in each_spell(every_answer(cells, asks, sharp), cells.shape[3], lags):
        at = torch.arange(lags.start, lags.stop) + len(found) * SPELL + SPELL
        there = share[:, :, at.clamp(0, share.shape[2] - 1)] > THERE  # (B, C, L)
        told = answers.index_select(2, own).masked_fill(~there, NOWHERE)
        cells_there = there.sum(dim=1)
        mean = torch.logsumexp(told, dim=1) - cells_there.clamp(min=1).log()
        found.append(above_usual(torch.where(cells_there > 0, mean, 0.0), inside))
    return torch.stack(found).sum(dim=0)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except (UserError, OSError) as error:
        sys.exit(str(error))
