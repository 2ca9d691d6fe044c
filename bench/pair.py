"""Does `pair` find which head recording belongs to which room recording, among strangers on both sides?

    python bench/pair.py DATA... [--recordings 30 20] [--strangers 5 5] [--rounds 3] [--cache DIR] [--write]

DATA are sets of synchronous pairs with clocks, such as bench/event_set.py makes; of an event that several cameras
filmed one pair is taken. So many recordings a side are cut at random (bench/cuts.py); some on either side have no
partner there. Every third pair of a set comes first, as partners: bench/calibrate_align.py leaves these out of a real
set. Each round cuts anew; intervals are Clopper and Pearson's over recordings. `--write` puts the table into
docs/results/alignment.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.alignment.cameras.partners import Partners, find_partners
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.sight import Sight
from actor_observer.console import counted, progress
from actor_observer.errors import UserError
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.features import FeatureCache, Look, TakeEmbedding
from actor_observer.features.models import open_model
from actor_observer.features.on_disk.kept import default_cache
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import LOOK_RATE
from actor_observer.frames.motion import Motion
from actor_observer.pairs import Pair, read_manifest
from cuts import clip, draw_cuts, part
from page import write_section

RIGHT = 0.5  # seconds: a clock this near is right
HEAD = (
    "| recordings | evidence | right partner (%) | false partners | in step, right partner (%) | "
    "in step, false partners | of these clocks, within 0.5 s (%) |\n|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, eq=False)
class Known:
    """A pair whose clock is known: motion and φ of both takes, each in its own seconds."""

    pair: Pair
    motion: tuple[Motion, Motion]
    phi: tuple[TakeEmbedding, TakeEmbedding]


@dataclass(frozen=True, eq=False)
class Round:
    """What was found in one round, and the truth."""

    thirds: Sequence[Recording]
    firsts: Sequence[Recording]
    offsets: dict[int, float]  # place of a partner on both sides -> the true offset
    found: Sequence[Partners]

    def rows(self) -> list[tuple[int, int, Partners]]:
        return [(self.thirds.index(one.third), self.firsts.index(one.first), one) for one in self.found]


def main(
    data: Positional[tuple[Path, ...]],
    recordings: tuple[int, ...] = (30, 20),  # a side, of each set
    strangers: tuple[int, ...] = (5, 5),  # among them
    rounds: int = 3,
    cache: Path | None = None,
    write: bool = False,
) -> None:
    """Cut, pair, count."""
    lines = [HEAD]
    for folder, count, strange in zip(data, recordings, strangers, strict=True):
        pairs = read_set(folder, count + strange, cache or default_cache())
        name = folder.parent.name if folder.is_file() else folder.name
        for evidence, network in (("all", open_model(None)), ("motion", None)):
            with progress(f"{name}: {evidence}", rounds) as step:
                done = []
                for seed in range(rounds):
                    done.append(
                        one_round(pairs, count - strange, strange, Comparer(Sight(network) if network else None), seed)
                    )
                    step()
            lines.append(f"| {name}: {count} + {count}, {strange} strangers on each side | {evidence} | {row(done)} |")
            print("\n".join(lines[-1:] if len(lines) > 2 else lines), flush=True)
    if write:
        blind = " and ".join(f"{100 / count:.1f}" for count in recordings)
        about = f"Cut at random, {counted(rounds, 'time')}. Partners drawn by lot are right in {blind} %."
        text = f"## Which recordings belong together\n\n{about}\n\n" + "\n".join(lines)
        sets = " ".join(folder.parent.name + "/pairs.csv" if folder.is_file() else folder.name for folder in data)
        counts = " ".join(map(str, recordings)), " ".join(map(str, strangers))
        command = f"bench/pair.py {sets} --recordings {counts[0]} --strangers {counts[1]} --rounds {rounds} --write"
        print(write_section("pair", text, command))


def read_set(folder: Path, count: int, cache: Path) -> list[Known]:
    """Motion and φ of so many pairs of a set."""
    manifest, network = read_manifest(folder), open_model(None)
    takes = manifest.takes
    once = {(takes[pair.third].script, takes[pair.third].subject): pair for pair in reversed(manifest.pairs)}
    pairs = [*reversed(once.values())]  # one of each event, where several cameras filmed it
    order = [*pairs[::3], *(pair for place, pair in enumerate(pairs) if place % 3)]
    if len(order) < count:
        raise UserError(f"{folder}: {count} pairs are needed, it has {len(order)} of different events")
    chosen = order[:count]
    looked_at = [takes[id] for pair in chosen for id in (pair.third, pair.first)]
    look = Look.of_network(network.config, LOOK_RATE)
    with progress(f"{folder}: features", len(looked_at)) as step:
        store = FeatureCache(cache)
        phi, faults = store.features(network.config.backbone, network.backbone, looked_at, look, "cpu", step)
    for fault in faults.values():
        raise UserError(f"{fault}: mend or remove it first")
    found = []
    with progress(f"{folder}: motion", len(chosen)) as step:
        for pair in chosen:
            third, first = (kept_motion(takes[id], cache) for id in (pair.third, pair.first))
            found.append(Known(pair, (third, first), (phi[pair.third], phi[pair.first])))
            step()
    return found


def one_round(pairs: Sequence[Known], partners: int, strangers: int, comparer: Comparer, seed: int) -> Round:
    """Partners in the same place on both sides, then strangers: one camera of some pairs, the other of others."""
    thirds, firsts, offsets = [], [], {}
    for number, known in enumerate(pairs[: partners + 2 * strangers]):
        clock, rng = known.pair.clock, np.random.default_rng([11, seed, number])
        (cut,) = draw_cuts(*clock.overlap(known.motion[0].length, known.motion[1].length), 1, rng)
        own = clock.to_first(cut.first[0]), clock.to_first(cut.first[1])
        if number < partners + strangers:
            thirds.append(clip(known.motion[0], *cut.third, "third"))
            if comparer.sight:
                comparer.sight.remember(thirds[-1], part(known.phi[0], *cut.third))
        if number < partners or number >= partners + strangers:
            firsts.append(clip(known.motion[1], *own, "first"))
            if comparer.sight:
                comparer.sight.remember(firsts[-1], part(known.phi[1], *own))
        if number < partners:
            offsets[number] = cut.offset
    return Round(thirds, firsts, offsets, find_partners(thirds, firsts, comparer))


def row(rounds: Sequence[Round]) -> str:
    """The figures of one set."""
    partners = len(rounds[0].offsets)
    cells = []
    for sure in (False, True):
        right, false, near = np.zeros(partners), 0, np.zeros((partners, 2))
        for one in rounds:
            for third, first, found in one.rows():
                if sure and found.verdict != "in step":
                    continue
                if third != first or third not in one.offsets:
                    false += 1
                    continue
                right[third] += 1 / len(rounds)
                near[third] += abs(found.found.belief.offset - one.offsets[third]) <= RIGHT, 1
        spread = share_interval(right * len(rounds), np.full(partners, len(rounds)))
        named = false + round(float(right.sum()) * len(rounds))
        cells += [spread.percent(), f"{false} of {named}"]
    good, all_of = near.sum(axis=0)
    return " | ".join([*cells, f"{good / all_of:.0%}".rstrip("%") if all_of else "none"])


if __name__ == "__main__":
    tyro.cli(main)
