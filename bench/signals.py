"""Signals against cameras and against each other, cut at random: how often right, how near, how sure; beside a rival.

    python bench/signals.py KINOVA GYRO [--cuts 8] [--dry]

Writes its section of docs/results/signals.md, unless `--dry`. KINOVA: as in bench/signal_sets.py; only its test part is
used, and nothing is fitted here. GYRO: what bench/gyro_set.py made of test homes. The cuts are those of bench/cuts.py:
at least 60 % of the shorter clip is shared. Strangers are signals of other episodes of the same task. The error is that
of the clock at the middle of the signal; brackets are 95 % intervals over episodes. The rival is the plain correlation:
the logarithm of the speed against that of the optical flow, standardised, at every lag, with a parabola through the
best.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.kinds.treatments import resampled, standardised
from actor_observer.alignment.recordings.recording import Recording, Source, open_signal
from actor_observer.signals import make_signal
from actor_observer.signals.amounts import amount
from align_events import over_events
from cuts import draw_cuts
from known_cuts import TwoClips
from page import write_section
from signal_sets import Episode, clip_signal, kinova, rendered

Array = NDArray[np.float64]
HEAD = (
    "| recordings | within 0.05 s (%) | within 0.1 s (%) | median (s) | about its own delay (s) | *in step* (%) "
    "| right when said | strangers *in step* | error bar covers (%) |\n|---|---|---|---|---|---|---|---|---|"
)
NAMES: dict[str, dict[Source, str]] = {  # what the recordings of a set are called
    "joints": {"first": "wrist camera", "third": "outside camera", "signal": "a made-up IMU on the arm"},
    "gyroscope on a head": {"first": "its camera", "third": "room camera", "signal": "another on it"},
}
RIGHT = 0.1  # seconds: what counts as right when *in step* is said
LEAST = 0.2  # of the shorter recording is shared at any lag of the rival


@dataclass(frozen=True)
class Told:
    """One cut, and what was said of it."""

    event: int
    off: float | None  # seconds, signed; None: a stranger
    sure: bool
    error: float = 0.0


def main(
    kinova_folder: Positional[Path], gyro: Positional[Path], cuts: int = 8, seed: int = 11, dry: bool = False
) -> None:
    """Cut, compare, count, print, write."""
    lines = [HEAD]
    print(HEAD)
    sets = {"joints": kinova(kinova_folder, "test"), "gyroscope on a head": rendered(gyro, "test")}
    for name, episodes in sets.items():
        for source, title in NAMES[name].items():
            drawn = draw(episodes, source, cuts, seed)
            begun = time.perf_counter()
            told = [ours(cut) for cut in drawn]
            took = (time.perf_counter() - begun) / len(drawn)
            plain = [rival(cut) for cut in drawn if cut.truth is not None]
            for who, found in ((f"{name}, {title}", told), ("plain correlation", plain)):
                lines.append(f"| {who} | " + " | ".join(row(found)) + " |")
                print(lines[-1], flush=True)
            print(f"<!-- {len(plain)} cuts, {took:.2f} s a comparison -->", flush=True)
    lines += ["", drifting()]
    print("\n".join(lines[-2:]))
    if not dry:
        write_section("signals", "\n".join(lines), f"python bench/signals.py KINOVA GYRO --cuts {cuts}")


def draw(episodes: Sequence[Episode], source: Source, cuts: int, seed: int) -> list[TwoClips]:
    """So many cuts of every episode, each with its own signal and with that of another episode."""
    found = []
    for number, episode in enumerate(episodes):
        rng = np.random.default_rng([seed, number, len(source)])
        for cut in draw_cuts(0.0, episode.end, cuts, rng):
            one = clip_signal(episode, source, cut.third, 1)
            found.append(TwoClips(number, one, clip_signal(episode, "signal", cut.first, 0), cut.offset))
            away = episodes[(number + 1 + int(rng.integers(len(episodes) - 1))) % len(episodes)]
            strange = draw_cuts(0.0, away.end, 1, rng)[0]
            found.append(TwoClips(number, one, clip_signal(away, "signal", strange.first, 0), None))
    return found


def ours(cut: TwoClips) -> Told:
    """By `align`'s own comparison."""
    found = Comparer().compare(cut.one, cut.other)
    middle = found.other.length / 2
    off = None if cut.truth is None else found.belief.to_one(middle) - middle - cut.truth
    return Told(cut.event, off, found.verdict == "in step", found.error)


def rival(cut: TwoClips) -> Told:
    """Plain correlation over all lags that leave enough shared."""
    rate = 15.0
    a, b = (standardised(np.log1p(_amount(one, rate))) for one in (cut.one, cut.other))
    sums = np.correlate(a, b, "full")
    lags = np.arange(-len(b) + 1, len(a))
    shared = np.minimum(len(a), lags + len(b)) - np.maximum(0, lags)
    scores = np.where(shared >= LEAST * min(len(a), len(b)), sums / np.maximum(shared, 1), -np.inf)
    at = int(scores.argmax())
    shift = 0.0
    if 0 < at < len(scores) - 1 and np.isfinite(scores[at - 1 : at + 2]).all():
        before, here, after = scores[at - 1 : at + 2]
        shift = 0.5 * (before - after) / min(before - 2 * here + after, -1e-12)
    return Told(cut.event, float(lags[at] + shift) / rate - (cut.truth or 0.0), False)


def _amount(recording: Recording, rate: float) -> Array:
    if recording.signal is not None:
        return amount(recording.signal, recording.signal.groups[0], "speed", rate)
    moved = recording.motion
    flow = np.hypot(moved.of("camera"), moved.of("residual"))
    return resampled(moved.times, 100 * flow, moved.length, rate)  # about pixels a frame


def row(told: Sequence[Told]) -> list[str]:
    """The figures of some cuts."""
    own = [one for one in told if one.off is not None]
    strangers = [one for one in told if one.off is None]
    off = np.array([one.off for one in own], float)
    events, said = [one.event for one in own], [one for one in own if one.sure]
    delay = float(np.median(off))
    right = sum(abs(one.off or 0.0) <= RIGHT for one in said)
    covered = np.mean([abs(one.off or 0.0) <= one.error for one in said]) if said else np.nan
    return [
        over_events([*(np.abs(off) <= 0.05)], events),
        over_events([*(np.abs(off) <= 0.1)], events),
        f"{np.median(np.abs(off)):.4f}",
        f"{np.median(np.abs(off - delay)):.4f} about {delay:+.4f}",
        over_events([one.sure for one in own], events) if strangers else "–",
        f"{right} of {len(said)}" if strangers else "–",
        f"{sum(one.sure for one in strangers)} of {len(strangers)}" if strangers else "–",
        f"{100 * covered:.0f}" if said else "–",
    ]


def drifting(seconds: float = 1200.0, drift: float = 80e-6, count: int = 10) -> str:
    """Two IMUs for twenty minutes whose clocks run apart: is the drift found?"""
    off, rates = [], []
    for number in range(count):
        rng = np.random.default_rng([12, number])
        at = np.arange(0, seconds, 0.01)
        true = np.stack([np.convolve(rng.normal(size=len(at)), np.hanning(31), "same") for _ in range(3)], 1)
        true *= (np.convolve(rng.random(len(at)) < 0.002, np.hanning(200), "same") + 0.05)[:, None]
        start = float(rng.uniform(5, 60))
        own = np.arange(0, seconds - 2 * start, 1 / 123)
        moved = np.stack([np.interp(start + own * (1 + drift), at, column) for column in true.T], 1)
        noise = 0.1 * true.std()
        both = [
            make_signal(at, {"gyro": true + rng.normal(0, noise, true.shape)}),
            make_signal(own, {"gyro": moved + rng.normal(0, noise, moved.shape)}),
        ]
        found = Comparer().compare(open_signal(both[0]), open_signal(both[1])).belief
        middle = own[-1] / 2
        off.append(abs(found.to_one(middle) - start - middle * (1 + drift)))
        rates.append(abs(found.rate - 1 - drift))
    return (
        f"Two IMUs at 100 and 123 a second for {seconds / 60:.0f} minutes, clocks {1e6 * drift:.0f} ppm apart ({count} "
        f"made-up pairs): median error {1000 * np.median(off):.1f} ms at the middle, {1e6 * np.median(rates):.0f} ppm."
    )


if __name__ == "__main__":
    tyro.cli(main)
