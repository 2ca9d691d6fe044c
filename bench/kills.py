"""Is anything lost or twice when a process is killed? Real processes, SIGKILL half-way, and the same command again.

    python bench/kills.py [--videos 40]

A part of `embed --shard`, the driver of `embed --on ray`, and `index --engine lance`: each is killed, a second one that
writes to the same output at the same time is refused, and at the end the output is compared with that of a run that was
left alone. (Workers and nodes of Ray, `merge`, `frames` and trainings are killed by the tests.)
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import tyro

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
os.environ.update(RAY_USAGE_STATS_ENABLED="0", OMP_NUM_THREADS="1")

from actor_observer.errors import UserError
from actor_observer.searching.engines import open_engine
from actor_observer.searching.engines.lance_index import open_lance_index
from asked import small_network
from tiny import write_video

warnings.filterwarnings("ignore", message="lancedb fork support")  # processes are started anew here
COMMAND = [sys.executable, "-c", "from actor_observer.cli import main; main()"]


def start(*arguments: object) -> subprocess.Popen[str]:
    """`actor-observer` as a process of its own."""
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen([*COMMAND, *map(str, arguments)], text=True, start_new_session=True, **quiet)  # type: ignore[call-overload]


def run(*arguments: object) -> str:
    """The command to its end; what it says."""
    running = start(*arguments)
    said, _ = running.communicate(timeout=600)
    assert running.returncode == 0, said
    return str(said)


def killed_at(done: Callable[[], int], wanted: int, *arguments: object) -> int:
    """Start the command, kill it when so much is done, and have another refused meanwhile; how much was done."""
    running, until = start(*arguments), time.monotonic() + 200
    while done() < wanted:
        assert running.poll() is None, running.communicate()[0]
        assert time.monotonic() < until, "nothing happens"
        time.sleep(0.01)
    running.send_signal(signal.SIGSTOP)  # so that it is still at work when the other comes
    other = start(*arguments)
    said = other.communicate(timeout=200)[0].strip().splitlines()[-1]
    assert other.returncode == 2 and "another process is writing" in said, said
    running.kill()
    running.communicate()
    print(f"    killed after {done()}; meanwhile a second one: {said.split(': ', 2)[-1]}", flush=True)
    return done()


def embed_killed(folder: Path, videos: Path, name: str, *more: object) -> None:
    """`embed` alone, and killed and resumed: the same bytes."""
    model, out = folder / "model", folder / f"{name}.safetensors"
    common = ("embed", videos, "--view", "first", "--model", model, "--device", "cpu")
    alone = [one for one in more if one not in ("--on", "ray")]
    run(*common, "--out", folder / f"{name}-alone.safetensors", *alone)
    parts = out.with_name(f"{out.name}.parts")
    done = killed_at(lambda: len([*parts.glob("v*.safetensors")]), 3, *common, "--out", out, *more)
    said = run(*common, "--out", out, *more).strip()
    same = out.read_bytes() == (folder / f"{name}-alone.safetensors").read_bytes()
    print(f"    again: {said.split(': ', 1)[-1]}; the same bytes as a run left alone: {same}", flush=True)
    assert same and f"({done} of them were done before)" in said


def append_killed(folder: Path, videos: Path) -> None:
    """`index --engine lance`, killed and resumed: every video once, with all its moments."""
    out = folder / "moments"
    common = ("index", videos, "--view", "first", "--model", folder / "model", "--device", "cpu", "--engine", "lance")
    some = folder / "some"
    some.mkdir()
    for video in sorted(videos.iterdir())[:3]:
        shutil.copy2(video, some)
    run(common[0], some, *common[2:], "--out", out)  # an index to append to

    def listed() -> int:
        try:
            return len(open_engine(out).videos)
        except UserError:
            return 0

    def begun() -> int:
        return len([*(out / "moments.lance" / "data").glob("*")])  # files of moments

    before = begun()
    patched = COMMAND[2].replace("from", "from actor_observer.searching import lance_append as a; a.EVERY = 0; from", 1)
    COMMAND[2] = patched  # each video is a commit of its own
    killed_at(begun, before + 3, *common, "--out", out)
    print(f"    {listed()} videos listed, files of moments: {begun()}", flush=True)
    run(*common, "--out", out)
    index = open_lance_index(out)
    names = [entry.video for entry in index.videos]
    rows = index.moments.count_rows()
    print(f"    again: {len(names)} videos, {len(set(names))} different, {rows} moments of {len(index)}", flush=True)
    assert len(names) == len(set(names)) == len([*videos.iterdir()]) + 3 and rows == len(index)


def main(videos: int = 40) -> None:
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small_network().save_pretrained(folder / "model")
        video = write_video(folder / "videos" / "v00.mp4", frames=160, fps=4)
        for number in range(1, videos):
            shutil.copy(video, video.with_name(f"v{number:02d}.mp4"))
        print("a part of a job: embed --shard 1/2", flush=True)
        embed_killed(folder, video.parent, "part", "--shard", "1/2")
        print("an append: index --engine lance", flush=True)
        append_killed(folder, video.parent)
        print("the driver of a cluster: embed --on ray", flush=True)
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        os.environ["RAY_ADDRESS"] = cluster.address
        try:
            embed_killed(folder, video.parent, "driver", "--on", "ray")
        finally:
            cluster.shutdown()


if __name__ == "__main__":
    tyro.cli(main)
