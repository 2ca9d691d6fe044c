"""How do the engines of an index compare, and what does a Ray cluster cost?

    python bench/scale.py [--moments 100000] [--dimension 256] [--queries 50] [--ray]

One table of every engine on the same moments: build time, size on disk, time of a query (one at a time, warm),
recall of the ten nearest against comparing all. Moments are those of `bench/search.py`: made up, in clusters; give
`--index DIR` to measure an index of real embeddings instead. With `--ray`: embedding tiny videos plainly and through a
Ray cluster on this machine, one node and two.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from actor_observer.searching.convert import EngineName, convert, open_engine
from actor_observer.searching.engine import Engine, Filter
from actor_observer.searching.flat_index import FlatIndex, open_index
from search import make_index

TOP = 10
ENGINES: tuple[EngineName, ...] = ("flat", "faiss", "lance")

Answers = list[set[tuple[str, float]]]


def ask(engine: Engine, queries: NDArray[np.float32]) -> tuple[Answers, list[float]]:
    """The ten nearest moments of each query, and the seconds that each took; the first warms up and is not counted."""
    answers, seconds = [], []
    for query in queries:
        start = time.perf_counter()
        near = engine.nearest(query, Filter(), TOP)
        seconds.append(time.perf_counter() - start)
        answers.append({(one.entry.video, one.time) for one in near})
    return answers, seconds[1:]


def size_of(folder: Path) -> int:
    """Bytes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def compare_engines(flat: FlatIndex, folder: Path, queries: NDArray[np.float32]) -> Table:
    """A row for each engine."""
    exact, _ = ask(flat, queries)
    title = f"{len(flat)} moments x {flat.head.dimension}, {len(queries) - 1} queries, top {TOP}"
    table = Table("engine", "build (s)", "on disk (MB)", "p50 (ms)", "min - max (ms)", "recall", title=title)
    for name in ENGINES:
        start = time.perf_counter()
        place = flat.folder if name == "flat" else folder / name
        if name != "flat":
            convert(flat.folder, place, name)
        built = time.perf_counter() - start
        answers, seconds = ask(open_engine(place), queries)
        recall = np.mean([len(found & wanted) / len(wanted) for found, wanted in zip(answers, exact, strict=True)])
        spread = f"{1000 * min(seconds):.1f} - {1000 * max(seconds):.1f}"
        middle = f"{1000 * statistics.median(seconds):.1f}"
        table.add_row(name, f"{built:.1f}", f"{size_of(place) / 1e6:.0f}", middle, spread, f"{recall:.3f}")
    return table


def measure_ray(folder: Path, videos: int) -> Table:
    """Seconds to embed tiny videos: plainly, and on a cluster of this machine with one node and with two."""
    import ray
    from ray.cluster_utils import Cluster

    from actor_observer.cluster.on_ray import extract_on_ray
    from actor_observer.features.embed_videos import embed_videos, find_videos, unopened
    from actor_observer.features.models import open_model
    from actor_observer.pairs import ROBOTS

    found = dict([*find_videos([ROBOTS / "videos"]).items()][:videos])
    network, takes = open_model(None, None), unopened(found, "third")
    table = Table("embedding", "seconds", "against plain", title=f"{len(takes)} videos")

    def timed(name: str, **more: object) -> float:
        start = time.perf_counter()
        embed_videos(network, takes, folder / f"{name}.safetensors", device="cpu", **more)  # type: ignore[arg-type]
        return time.perf_counter() - start

    timed("warm-up")
    plain = timed("plain")
    table.add_row("plain", f"{plain:.1f}", "1.00x")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False)
    for nodes in (1, 2):
        if nodes == 2:
            cluster.add_node(num_cpus=1)
        timed(f"warm-up{nodes}", extract=partial(extract_on_ray, "ray"))
        seconds = timed(f"ray{nodes}", extract=partial(extract_on_ray, "ray"))
        same = (folder / f"ray{nodes}.safetensors").read_bytes() == (folder / "plain.safetensors").read_bytes()
        assert same, "the cluster's numbers are not those of one process"
        table.add_row(f"Ray, {nodes} x 1 core", f"{seconds:.1f}", f"{seconds / plain:.2f}x")
    ray.shutdown()
    cluster.shutdown()
    return table


def main(
    moments: int = 100_000,
    dimension: int = 256,
    queries: int = 50,
    index: Path | None = None,
    ray: bool = False,
    videos: int = 16,
) -> None:
    console = Console(width=110)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if ray:
            console.print(measure_ray(folder, videos))
            return
        flat = open_index(index) if index else make_index(folder / "flat", moments, dimension)
        rng = np.random.default_rng(1)
        chosen = np.sort(rng.choice(len(flat), min(queries + 1, len(flat)), replace=False))
        near = flat.vectors[chosen] + rng.normal(size=(len(chosen), flat.head.dimension), scale=0.02)
        console.print(compare_engines(flat, folder, near.astype(np.float32)))


if __name__ == "__main__":
    tyro.cli(main)
