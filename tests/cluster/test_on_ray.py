"""On a Ray cluster of two real nodes: the result is that of one process, also when a worker or a node is killed."""

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actor_observer.alignment.align_set import align_set
from actor_observer.cli import main
from actor_observer.cluster.on_ray import connect, extract_on_ray, for_each_on_ray
from actor_observer.errors import UserError
from actor_observer.features.embed_videos import embed_videos, find_videos, unopened
from actor_observer.pairs import Fault, read_manifest
from actor_observer.playhouse.filming.render import check_drawing
from actor_observer.playhouse.make import make
from actor_observer.playhouse.record import Recording
from same_scene import plain_network, write_scene
from tiny import write_charades_ego

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    for number in range(5):
        write_scene(folder / f"v{number}.mp4", 3, fps=4, seed=number)
    (folder / "v3bad.mp4").write_bytes(b"not a video")
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of a core each; the second is killed by a test."""
    from ray.cluster_utils import Cluster

    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", RAY_worker_niceness="0")
    node = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
    made = Cluster(initialize_head=True, connect=False, head_node_args=node)
    made.second = made.add_node(num_cpus=1, object_store_memory=80 << 20)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def test_a_node_is_killed_half_way_and_the_result_is_that_of_one_process(
    cluster: Any, videos: Path, tmp_path: Path
) -> None:
    network, takes = plain_network(), unopened(find_videos([videos]), "first")
    alone = embed_videos(network, takes, tmp_path / "alone.safetensors", device="cpu")
    assert sum(node["Alive"] for node in ray.nodes()) == 2
    seen = []

    def each() -> None:
        seen.append(1)
        if len(seen) == 2:
            cluster.remove_node(cluster.second, allow_graceful=False)

    on_ray = partial(extract_on_ray, "ray")
    there = embed_videos(network, takes, tmp_path / "there.safetensors", device="cpu", each=each, extract=on_ray)
    assert (tmp_path / "there.safetensors").read_bytes() == (tmp_path / "alone.safetensors").read_bytes()
    assert (there.takes, there.faults) == (5, alone.faults)
    assert "v3bad.mp4" in str(there.faults[0])
    assert len(seen) == 6
    assert not cluster.second.any_processes_alive()


def test_a_worker_that_is_killed_once_is_replaced_and_one_that_always_is_gives_a_fault(
    cluster: Any, tmp_path: Path
) -> None:
    def work(item: str) -> str:
        mark = tmp_path / item
        if item == "always" or (item == "once" and not mark.exists()):
            mark.write_text("was here")
            os.kill(os.getpid(), signal.SIGKILL)
        return item.upper()

    found = [*for_each_on_ray("ray", work, ["once", "always", "a"], retries=1)]
    assert found[0] == "ONCE" and found[2] == "A"
    assert isinstance(found[1], Fault) and "always: lost with its worker" in str(found[1])


def test_pairs_are_aligned_as_in_one_process(cluster: Any, tmp_path: Path) -> None:
    write_charades_ego(tmp_path / "data", train=1, test=1, seconds=2, fps=4)
    manifest, network = read_manifest(tmp_path / "data"), plain_network()
    align_set(network, manifest, tmp_path / "alone.jsonl", device="cpu")
    align_set(network, manifest, tmp_path / "there.jsonl", device="cpu", for_each=partial(for_each_on_ray, "ray"))
    assert (tmp_path / "there.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_a_set_is_rendered_as_in_one_process_and_the_same_call_resumes(cluster: Any, tmp_path: Path) -> None:
    try:
        check_drawing()
    except UserError as error:
        pytest.skip(str(error))
    settings: dict[str, Any] = {"size": (32, 32), "fps": 1.0, "seconds": (10.0, 12.0), "quiet": True}
    handed: list[str] = []

    def elsewhere(work: Any, takes: Any) -> Iterator[Any]:
        def noted() -> Iterator[Any]:
            for take in takes:
                handed.append(take.id)
                yield take

        return for_each_on_ray("ray", work, noted(), on_gpu=False)

    there = make(tmp_path / "there", pairs=1, seed=3, for_each=elsewhere, **settings)
    make(tmp_path / "alone", pairs=1, seed=3, for_each=map, **settings)
    alone = {path.relative_to(tmp_path / "alone"): path for path in (tmp_path / "alone").rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path / "there") for path in (tmp_path / "there").rglob("*") if path.is_file()} == {
        *alone
    }
    for name, path in alone.items():  # drawing in software is not the same to the last bit, so neither are videos
        assert name.suffix == ".mp4" or path.read_bytes() == (tmp_path / "there" / name).read_bytes(), name
    assert there.takes == len(handed) == 3 and there.frames > 0
    lost = handed[1]
    (tmp_path / "there" / "truth" / f"{lost}.npz").unlink()  # as after a kill between a take's two files
    again = make(tmp_path / "there", pairs=1, seed=3, for_each=elsewhere, **settings)
    assert handed[3:] == [lost] and 0 < again.frames < there.frames


def test_takes_whose_workers_keep_dying_are_named_after_the_others_are_kept(tmp_path: Path) -> None:
    def some(work: Any, takes: Any) -> Iterator[Any]:
        for number, take in enumerate(takes):
            recording = Recording(frames=1, video=b"a video", truth=b"its truth")
            yield Fault(take.id, "lost with its worker each time (NodeDiedError)") if number else recording

    with pytest.raises(
        UserError, match=r"^2 takes not recorded; .*: lost with its worker.*; the same command goes on$"
    ):
        make(tmp_path / "set", pairs=1, seed=3, quiet=True, for_each=some)
    assert len([*(tmp_path / "set" / "videos").iterdir()]) == 1
    assert not (tmp_path / "set" / "classes.txt").exists()  # not a finished set


def test_a_mistake_in_the_work_ends_the_job_with_one_line(cluster: Any) -> None:
    def work(item: int) -> int:
        return 1 // item

    with pytest.raises(UserError, match="0: failed on the cluster"):
        [*for_each_on_ray("ray", work, [1, 0])]


@pytest.mark.parametrize(
    ("on", "address", "line"),
    [
        ("ray", "", "no Ray cluster on this machine: start one"),
        ("ray", "127.0.0.1:1", "no Ray cluster at 127.0.0.1:1: start one"),
        ("ray://127.0.0.1:1", "", "no Ray cluster at ray://127.0.0.1:1: start one"),
    ],
)
def test_a_cluster_that_is_not_there_is_one_line(
    on: str,
    address: str,
    line: str,
    videos: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", address)

    def nothing(**_: object) -> None:
        assert not address and on == "ray", "Ray would wait for minutes"
        raise ConnectionError("Could not find any running Ray instance")

    monkeypatch.setattr(ray, "init", nothing)
    video, out = str(videos / "v0.mp4"), str(tmp_path / "x")
    for command in (
        ["embed", video, "--view", "first", "--out", f"{out}.safetensors"],
        ["index", video, "--view", "first", "--out", out],
        ["playhouse", out],
    ):
        with pytest.raises(SystemExit) as stop:
            main([*command, "--on", on])
        assert stop.value.code == 2
        (told,) = capsys.readouterr().err.strip().splitlines()
        assert line in told
    assert not Path(out).exists()


def test_another_version_of_ray_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)

    def other(**_: object) -> None:
        raise RuntimeError("Version mismatch: The cluster was started with:\n    Ray: 2.1.0\n    Python: 3.9.0")

    monkeypatch.setattr(ray, "init", other)
    monkeypatch.setattr("actor_observer.cluster.on_ray._knock", lambda address: None)
    with pytest.raises(UserError, match=r"ray://head:10001: it runs another version of Ray or Python \(.*2\.1\.0"):
        connect("ray://head:10001")
