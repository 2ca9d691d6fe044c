"""Draw the contact sheet of docs/playhouse.md: actions in both views, and what spoils a frame.

python scripts/playhouse_sheet.py docs/playhouse/contact-sheet.jpg
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse import PairPlan, TakePlan, plan_set, render_frames
from actor_observer.playhouse.acting.scripting.actions import ACTIONS
from actor_observer.playhouse.acting.spells import strength
from actor_observer.playhouse.record import filming_of
from actor_observer.playhouse.set_plan import performance_of

matplotlib.use("Agg")
from matplotlib import pyplot as plt

Image = NDArray[np.uint8]
VERBS = (
    *("take", "drink", "pour", "eat", "cook", "wash", "medicine", "wipe", "pane", "spray", "sweep", "fold"),
    *("read", "text", "talk", "type", "write", "look", "hug", "watch", "shoes", "switch", "mirror", "window"),
    *("open", "close", "sit", "walk"),
)
SPELLS = (
    ("third", "hidden"),
    ("third", "out"),
    ("third", "exposure"),
    ("first", "away"),
    ("first", "blur"),
    ("first", "exposure"),
)


def clear(take: TakePlan, times: NDArray[np.float64]) -> bool:
    """Whether no spell touches these times of a take."""
    return all(float(strength(spell, take.moments(times)).max()) < 0.02 for spell in filming_of(take).spells)


def moments(pair: PairPlan, step: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Two moments of an action, in third-person and first-person seconds, if both views are clear then."""
    performance = performance_of(pair.third)
    rows = [i for i, phase in enumerate(performance.phases) if phase.step == step]
    start, end = performance.ends[rows[0]], performance.ends[rows[-1] + 1]
    third = start + np.array([0.42, 0.72]) * (end - start)
    first = pair.clock().to_first(third)
    return (third, first) if clear(pair.third, third) and clear(pair.first, first) else None


def action_strips(pairs: tuple[PairPlan, ...]) -> dict[str, Image]:
    """For each verb one example: two frames of the room camera and the corresponding two of the head camera."""
    found: dict[str, Image] = {}
    for verb in VERBS:
        options = [(pair, i) for pair in pairs for i, step in enumerate(pair.third.script.steps) if step.verb == verb]
        for pair, number in options:
            times = moments(pair, number)
            if times is not None:
                strips = [
                    render_frames(take, at).images for take, at in zip((pair.third, pair.first), times, strict=True)
                ]
                name = ACTIONS[pair.third.script.steps[number].label].name
                found[name] = np.concatenate([image for strip in strips for image in strip], axis=1)
                break
    return found


def spoilt_frames(pairs: tuple[PairPlan, ...]) -> dict[str, Image]:
    """One frame for each way in which a frame can be spoilt."""
    found: dict[str, Image] = {}
    for view, cause in SPELLS:
        for pair in pairs:
            take = pair.third if view == "third" else pair.first
            spells = [spell for spell in filming_of(take).spells if spell.cause == cause]
            if spells:
                middle = (spells[0].start + spells[0].end) / 2
                found[f"{view}: {cause}"] = render_frames(take, np.array([middle])).images[0]
                break
    return found


def main(path: Path) -> None:
    pairs = plan_set(pairs=160, seed=21, different=(), tempo="steady").pairs
    strips, spoilt = action_strips(pairs), spoilt_frames(pairs)
    rows = -(-len(strips) // 2)
    figure, axes = plt.subplots(rows + 2, 2, figsize=(16, 1.72 * (rows + 1.6)), height_ratios=[*[1] * rows, 0.15, 1.1])
    for axis, (name, image) in zip(axes[:rows].flat, strips.items(), strict=False):
        axis.imshow(image)
        axis.set_title(name, fontsize=9, pad=2)
    last = np.concatenate(list(spoilt.values()), axis=1)
    for axis in axes.flat:
        axis.axis("off")
    wide = figure.add_subplot(axes[0, 0].get_gridspec()[rows + 1, :])
    wide.imshow(last)
    wide.axis("off")
    wide.set_title("   |   ".join(spoilt), fontsize=9, pad=2)
    figure.tight_layout(pad=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80, pil_kwargs={"quality": 58, "optimize": True})
    print(f"{path}: {path.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/playhouse/contact-sheet.jpg"))
