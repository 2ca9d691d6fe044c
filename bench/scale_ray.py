"""What handing videos to a Ray cluster costs, against embedding them plainly on the same cores of one machine.

Each number of cores gets a process of its own, pinned to them with everything it starts: the plain command, the driver,
the workers and Ray's own servers. Ray would run its workers at a low priority (nice 15), which on a machine with other
work is most of the difference; here they have the same as the plain command. Rounds take turns after a first one that
starts the workers, and both must give the same bytes.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import torch
from rich.table import Table

from actor_observer.cluster.on_ray import extract_on_ray
from actor_observer.features.embed_videos import embed_videos, find_videos, unopened
from actor_observer.features.models import open_model
from actor_observer.playhouse import MINI

Cost = tuple[float, float]  # seconds by the clock, and of cores


@dataclass(frozen=True)
class Turns:
    """What one number of cores took."""

    connected: float  # seconds until the driver was connected
    first: float  # seconds by the clock of the first round on the cluster, in which the workers start
    plain: list[Cost]
    there: list[Cost]


def compare_ray(videos: int, rounds: int) -> Table:
    """A row for each way; ratios are between the two of a round."""
    title = f"{videos} videos, {rounds} rounds in turns, on the same cores"
    columns = ("embedding", "median (s)", "min - max (s)", "against plain", "in each round", "core seconds")
    table = Table(*columns, "connected in (s)", "first round: longer by (s)", title=title)
    for cores in range(1, min(2, os.cpu_count() or 1) + 1):
        with ProcessPoolExecutor(1, get_context("spawn"), pinned, (cores,)) as alone:
            seen = alone.submit(take_turns, cores, videos, rounds).result()
        clock = [there[0] / plain[0] for plain, there in zip(seen.plain, seen.there, strict=True)]
        work = statistics.median(there[1] / plain[1] for plain, there in zip(seen.plain, seen.there, strict=True))
        plain, there = ([seconds for seconds, _ in costs] for costs in (seen.plain, seen.there))
        table.add_row(f"plain, cores: {cores}", *spread(plain))
        ratio, ratios = f"{statistics.median(clock):.2f}x", f"{min(clock):.2f} - {max(clock):.2f}"
        starting = f"{seen.first - statistics.median(there):.1f}"
        name = f"Ray, nodes of one core: {cores}"
        table.add_row(name, *spread(there), ratio, ratios, f"{work:.2f}x", f"{seen.connected:.1f}", starting)
    return table


def spread(seconds: list[float]) -> tuple[str, str]:
    return f"{statistics.median(seconds):.1f}", f"{min(seconds):.1f} - {max(seconds):.1f}"


def pinned(cores: int) -> None:
    """In a new process, before it starts anything: use so many cores only."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")


def take_turns(cores: int, videos: int, rounds: int) -> Turns:
    """Embed rendered videos plainly and on a cluster of nodes of a core each."""
    import ray
    from ray.cluster_utils import Cluster

    torch.set_num_threads(cores)
    takes = unopened(dict([*find_videos([MINI / "videos"]).items()][:videos]), "third")
    network = open_model(None, None)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(cores - 1):
        cluster.add_node(num_cpus=1)
    start = time.perf_counter()
    ray.init(address=cluster.address, log_to_driver=False)
    connected = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as name:
        one, other = Path(name) / "plain.safetensors", Path(name) / "there.safetensors"
        plain = partial(embed_videos, network, takes, one, device="cpu")
        there = partial(embed_videos, network, takes, other, device="cpu", extract=partial(extract_on_ray, "ray"))
        first = timed(there)[0]
        turns = [(timed(plain), timed(there)) for _ in range(rounds)]
        assert one.read_bytes() == other.read_bytes(), "the cluster's numbers are not those of one process"
    ray.shutdown()
    cluster.shutdown()
    return Turns(connected, first, [plain for plain, _ in turns], [there for _, there in turns])


def timed(work: Callable[[], object]) -> Cost:
    start, before = time.perf_counter(), core_seconds()
    work()
    return time.perf_counter() - start, core_seconds() - before


def core_seconds() -> float:
    """What this process and all that it started have used of cores: Ray's servers and workers, too."""
    parents, used = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        process = int(path.parent.name)
        parents[process], used[process] = int(told[1]), (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    def ours(process: int) -> bool:
        return process == os.getpid() or (process in parents and ours(parents[process]))

    return sum(seconds for process, seconds in used.items() if ours(process))
