"""What handing videos to a Ray cluster costs, against embedding them plainly, on one machine."""

from __future__ import annotations

import os
import statistics
import time
from functools import partial
from pathlib import Path

import torch
from rich.table import Table

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray
from ray.cluster_utils import Cluster

from actor_observer.cluster.on_ray import extract_on_ray
from actor_observer.features.embed_videos import embed_videos, find_videos, unopened
from actor_observer.features.models import open_model
from actor_observer.playhouse import MINI

ROUNDS = 3


def compare_ray(folder: Path, videos: int) -> Table:
    """Embedding rendered videos plainly and on a cluster, in turns; one torch thread everywhere."""
    torch.set_num_threads(1)
    found = dict([*find_videos([MINI / "videos"]).items()][:videos])
    network, takes = open_model(None, None), unopened(found, "third")
    title = f"{len(takes)} videos, {ROUNDS} rounds in turns"
    table = Table("embedding", "median (s)", "min - max (s)", "against plain in the same round", title=title)

    def timed(name: str, **more: object) -> float:
        start = time.perf_counter()
        embed_videos(network, takes, folder / f"{name}.safetensors", device="cpu", **more)  # type: ignore[arg-type]
        return time.perf_counter() - start

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False)
    plain, there = partial(timed, "plain"), partial(timed, "ray", extract=partial(extract_on_ray, "ray"))
    for nodes in (1, 2):
        if nodes == 2:
            cluster.add_node(num_cpus=1)
        there()  # workers start, and get the network
        turns = [(plain(), there()) for _ in range(ROUNDS)]
        same = (folder / "ray.safetensors").read_bytes() == (folder / "plain.safetensors").read_bytes()
        assert same, "the cluster's numbers are not those of one process"
        for name, place in (("plain", 0), (f"Ray, {nodes} x 1 core", 1)):
            own = [turn[place] for turn in turns]
            ratio = statistics.median(turn[place] / turn[0] for turn in turns)
            table.add_row(name, f"{statistics.median(own):.1f}", f"{min(own):.1f} - {max(own):.1f}", f"{ratio:.2f}x")
    ray.shutdown()
    cluster.shutdown()
    return table
