"""Does sound put two recordings of one event in step, and does it refuse others? Beside audalign, audio-offset-finder
and syncstart.

    python bench/sound.py [--cases 40] [--peer-cases 10] [--page]
    python bench/sound.py --hour [--page]

Recordings are made up (bench/sound_made.py): no real one at hand has sound. Weights and constants were chosen on seeds
from 10000 on; those used here are below. The peers run in environments of their own (bench/sound_peers.py), each on one
thread, as we do; every tool reads the same mp4 files, and reading them counts.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro

from actor_observer.alignment.hearing.sound import Heard, SoundMatch, hear, match_heard
from page import write_section
from sound_made import KINDS, Case, make_case
from sound_peers import PEERS, Answer, ask
from tiny_sound import match_sound, write_sounding

CLOSE = 0.02  # seconds


@dataclass(frozen=True)
class Settings:
    """How much to measure."""

    cases: int = 40  # of each kind, at 0 dB
    hard_cases: int = 6  # of each kind, in each harder row
    unrelated: int = 200
    peer_cases: int = 10  # of each kind
    hour: bool = False  # an hour against an hour instead
    seed: int = 1
    page: bool = False  # write docs/results/sound.md


Judged = tuple[Case, SoundMatch]


def main(settings: Settings) -> None:
    if settings.hour:
        with tempfile.TemporaryDirectory() as name:
            told = _hour(Path(name))
        print(told)
        if settings.page:
            write_section("sound-hour", told, "python bench/sound.py --hour --page")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = _judge(_cases(folder, settings.seed, settings.cases))
        heard = [(hear(case.third), hear(case.first)) for case, _ in plain]
        rows = [_row(f"0 dB, {kind}", [one for one in plain if one[0].kind == kind]) for kind in KINDS]
        rows.append(_row("0 dB, all", plain))
        hard = settings.seed + 1000
        for label, options in (
            ("0 dB, a head that walks 1 m to and fro", {"moves": 1.0}),
            ("-6 dB", {"noise": -6.0}),
            ("0 dB, 3-6 s shared", {"event": (15.0, 20.0), "overlap": (0.2, 0.3)}),
        ):
            hard += 1000
            rows.append(_row(label, _judge(_cases(folder, hard, settings.hard_cases, **options))))
        text = [HEAD, "\n".join([TABLE, *rows]), _refused(heard, settings)]
        text.append(_beside(plain, settings))
    told = "\n\n".join(text)
    print(told)
    if settings.page:
        write_section("sound", told, "python bench/sound.py --page")


HEAD = """**No real recording at hand has sound: these are made up.** Speech-like, kitchen-like and musical sound,
recorded twice, 15 to 40 s each, 40 to 100 % of the shorter one shared; two rooms' echoes, filters, gains, 16 to 48 kHz,
mono or stereo, clocks up to ±100 ppm off, noise as loud as the event in each (0 dB), one in four clipped, AAC at
64 kbit. Errors are of the clock in the middle of the shared stretch, with the rate found. *Sure* are those told as one
event with one offset. *In bar* are those whose error is within the 95 % half-width told. Sound takes 3 ms a metre to
reach a microphone: the half-width allows for 10 ms of it, but only the recordings of the walking head have any."""
TABLE = (
    "| recordings | pairs | within 20 ms (95 %) | median error | worst | rate: median error | sure | sure and wrong "
    "| in bar |\n|---|---|---|---|---|---|---|---|---|"
)


def _cases(folder: Path, seed: int, count: int, **options: object) -> list[Case]:
    return [make_case(folder, kind, seed + n, **options) for n in range(count) for kind in KINDS]  # type: ignore[arg-type]


def _judge(cases: Sequence[Case]) -> list[Judged]:
    found = []
    for case in cases:
        match = match_sound(case.third, case.first)
        assert match is not None
        found.append((case, match))
    return found


def _row(label: str, judged: Sequence[Judged]) -> str:
    errors = np.array([case.error(match.offset, match.rate) for case, match in judged])
    rates = np.array([abs(match.rate - case.rate) * 1e6 for case, match in judged])
    sure = np.array([match.sure for _, match in judged])
    bar = float(np.mean([error <= match.middle_error for error, (_, match) in zip(errors, judged, strict=True)]))
    cells = [
        label,
        str(len(judged)),
        _share(int((errors < CLOSE).sum()), len(errors)),
        f"{np.median(errors) * 1000:.2f} ms",
        _seconds(float(errors.max())),
        f"{np.median(rates):.1f} ppm",
        f"{sure.mean():.0%}",
        str(int((sure & (errors >= CLOSE)).sum())),
        f"{bar:.0%}",
    ]
    return "| " + " | ".join(cells) + " |"


def _share(good: int, count: int) -> str:
    """A share with its Wilson interval."""
    z, p = 1.96, good / count
    middle = (p + z * z / 2 / count) / (1 + z * z / count)
    half = z / (1 + z * z / count) * float(np.sqrt(p * (1 - p) / count + (z / 2 / count) ** 2))
    return f"{p:.1%} ({max(0.0, middle - half):.0%}-{min(1.0, middle + half):.0%})"


def _seconds(value: float) -> str:
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.1f} s"


def _refused(heard: Sequence[tuple[Heard | None, Heard | None]], settings: Settings) -> str:
    """One event's room recording against another's head recording."""
    rng = np.random.default_rng(settings.seed)
    every = [(i, j) for i in range(len(heard)) for j in range(len(heard)) if i != j]
    picked = rng.permutation(len(every))[: settings.unrelated]
    matches = []
    for place in picked:
        third, first = heard[every[place][0]][0], heard[every[place][1]][1]
        assert third and first
        matches.append(match_heard(third, first))
    likely = [match.probability for match in matches]
    return (
        f"Of {len(matches)} mismatched pairs of the same recordings, {sum(match.sure for match in matches)} were told "
        f"as one event (sure); {sum(p >= 0.5 for p in likely)} had a probability of 0.5 or more; the highest was "
        f"{max(likely):.2f}."
    )


def _beside(plain: Sequence[Judged], settings: Settings) -> str:
    """The peers on the first cases of each kind; their files, their times."""
    judged = plain[: settings.peer_cases * len(KINDS)]
    pairs = [(case.third, case.first) for case, _ in judged]
    ours = []
    for pair in pairs:
        start = time.perf_counter()
        match = match_sound(*pair)
        assert match is not None
        ours.append((Answer(match.offset, time.perf_counter() - start), match.rate))
    lines = [
        "Beside other tools, whole files, one thread each, on a machine that was busy with other work (compare "
        "times within the table only):",
        "",
        "| tool | pairs | within 20 ms (95 %) | within 100 ms | median error | seconds a pair, median (quartiles) |",
        "|---|---|---|---|---|---|",
        _peer_row("actor-observer", judged, ours),
    ]
    for name in PEERS:
        lines.append(_peer_row(name, judged, [(answer, 1.0) for answer in ask(name, pairs)]))
    return "\n".join(lines)


def _peer_row(name: str, judged: Sequence[Judged], answers: Sequence[tuple[Answer, float]]) -> str:
    errors = np.array(
        [
            np.inf if answer.offset is None else case.error(answer.offset, rate)
            for (case, _), (answer, rate) in zip(judged, answers, strict=True)
        ]
    )
    low, middle, high = statistics.quantiles([answer.seconds for answer, _ in answers], n=4)
    shares = f"{_share(int((errors < CLOSE).sum()), len(errors))} | {(errors < 0.1).mean():.1%}"
    return (
        f"| {name} | {len(errors)} | {shares} | {np.median(errors) * 1000:.2f} ms "
        f"| {middle:.2f} ({low:.2f}-{high:.2f}) |"
    )


def _hour(folder: Path) -> str:
    """An hour against an hour, 20 minutes apart, 80 ppm; in a process of its own, for its memory."""
    rate, rng = 16_000, np.random.default_rng(0)
    track = np.zeros(4800 * rate, np.float32)
    for at in rng.integers(0, len(track) - rate, 8000):
        length = int(rng.integers(rate // 20, rate // 2))
        burst = rng.standard_normal(length, np.float32) * np.exp(-np.arange(length) / (length / 5))
        track[at : at + length] += 0.1 * burst * rng.uniform(0.2, 1)
    grid = np.arange(round(3600 * rate * (1 + 80e-6))) / (1 + 80e-6) + 1200 * rate
    first = np.interp(grid[grid < len(track) - 1], np.arange(len(track)), track).astype(np.float32)
    names = [folder / "hour-third.mp4", folder / "hour-first.mp4"]
    for name, part in zip(names, (track[: 3600 * rate], first), strict=True):
        noise = 0.02 * rng.standard_normal(len(part), np.float32)
        write_sounding(name, (part + noise).clip(-1, 1), rate)
    code = (
        "import sys, time; from pathlib import Path;"
        "from actor_observer.alignment.hearing.sound import hear, match_heard;"
        "start = time.perf_counter(); match = match_heard(*(hear(Path(name)) for name in sys.argv[1:]));"
        "print(time.perf_counter() - start, time.process_time(), match.offset, match.rate, match.sure);"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    said = subprocess.run([sys.executable, "-c", code, *map(str, names)], capture_output=True, text=True, check=True)
    seconds, cpu, offset, found, sure, memory = said.stdout.split()
    true = 1 / (1 + 80e-6)
    return (
        f"An hour against an hour (40 minutes shared, 80 ppm apart): {float(seconds):.0f} s, {float(cpu):.0f} s of "
        f"them computing on one thread, with reading both files; at most {int(memory) / 2**20:.2f} GiB of memory. "
        f"Offset off by {abs(float(offset) - 1200) * 1000:.1f} ms, rate by {abs(float(found) - true) * 1e6:.2f} ppm, "
        f"{'sure' if sure == 'True' else 'not sure'}."
    )


if __name__ == "__main__":
    main(tyro.cli(Settings))
