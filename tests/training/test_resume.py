"""Nothing is lost: killed at any moment, the same command goes on, and the log is that of a run never killed."""

import json
import os
import random
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from actor_observer import load
from actor_observer.errors import UserError
from actor_observer.pairs import Clock, Fault, read_manifest
from actor_observer.training import Recipe, train
from actor_observer.training.folder.run_folder import RunFolder
from actor_observer.training.planning.material import choose_material
from training.small import PAPER, QUICK, log_of, paper, quick, start


def lines(run: Path) -> int:
    try:
        return (run / "log.jsonl").read_bytes().count(b"\n")
    except OSError:
        return 0


@pytest.mark.parametrize(
    ("name", "settings", "kills"),
    [
        ("quick", [*QUICK, "epochs=10", "save_minutes=0.0005"], 2),
        ("paper-transfer", [*PAPER, "epochs=1", "save_minutes=0.01"], 1),
    ],
)
def test_killed_at_random_moments_the_log_equals_an_uninterrupted_runs(
    name: str, settings: list[str], kills: int, data: Path, tmp_path: Path
) -> None:
    settings = [*settings, "log_every=3"]
    whole = tmp_path / "whole"
    train(recipe(name, settings), data, whole, cache=data / "cache", device="cpu", quiet=True)
    run, rng = tmp_path / "run", random.Random()
    total, reached = lines(whole), 0
    for kill in range(kills):
        process = start(name, settings, data, run)
        count = reached + rng.randint(1, max(1, (total - reached) // (kills + 1 - kill)))
        process.wait_until(lambda count=count: lines(run) >= count)  # type: ignore[misc]
        time.sleep(rng.random() * 0.05)
        process.stop()
        reached = lines(run)
    process = start(name, settings, data, run)
    said = process.wait()
    assert process.returncode == 0, said
    keys = ("step", "epoch", "loss", "lr", "validation")
    expected = [[line.get(key) for key in keys] for line in log_of(whole)]
    assert [[line.get(key) for key in keys] for line in log_of(run)] == expected
    load(run)
    assert not list(run.glob("*.part")) or kills  # a killed write leaves at most a file that nobody reads


def recipe(name: str, settings: list[str]) -> Recipe:
    from actor_observer.training import recipe_named, with_settings

    return with_settings(recipe_named(name), settings)


def test_sigterm_saves_first_and_says_so(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    settings = [*QUICK, "epochs=400", "save_minutes=60", "validate_every=400"]
    process = start("quick", settings, data, run)
    process.wait_until(lambda: lines(run) >= 5)
    said = process.stop(signal.SIGTERM)
    assert process.returncode == 143, said
    assert "run the same command to continue" in said and "Traceback" not in said
    done = int(said.split("stopped after step ")[1].split(" ")[0])
    assert log_of(run)[-1]["step"] == done
    again = start("quick", settings, data, run)
    before = lines(run)
    again.wait_until(lambda: lines(run) >= before + 3)
    said = again.stop(signal.SIGTERM)
    assert f"resuming after step {done}" in said
    steps = [line["step"] for line in log_of(run) if "loss" in line]
    assert steps == list(range(1, len(steps) + 1)) and len(steps) > done


def test_a_finished_run_has_nothing_left_to_do(data: Path, tmp_path: Path) -> None:
    for _ in range(2):
        train(quick(), data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)
    assert len([line for line in log_of(tmp_path / "run") if "validation" in line]) == 4


def test_another_recipe_or_other_takes_are_refused_in_one_line(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(quick("epochs=1"), data, run, cache=data / "cache", device="cpu", quiet=True)
    before = (run / "log.jsonl").read_bytes()
    with pytest.raises(UserError, match="another recipe: seed is 5, there 0"):
        train(quick("epochs=1", "seed=5"), data, run, cache=data / "cache", device="cpu", quiet=True)
    from actor_observer.pairs import read_manifest

    manifest = read_manifest(data)
    fewer = manifest.without({manifest.pairs[0].first: Fault("x.mp4", "no such file", left_out=True)})
    with pytest.raises(UserError, match=r"other training takes: .* gone"):
        train(quick("epochs=1"), fewer, run, cache=data / "cache", device="cpu", quiet=True)
    assert (run / "log.jsonl").read_bytes() == before


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_an_unwritable_run_folder_is_one_line(data: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match="cannot be written"):
        train(quick(), data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)


def test_the_run_folder_holds_what_it_should(data: Path, tmp_path: Path) -> None:
    run = train(quick("epochs=1"), data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)
    names = {path.name for path in run.iterdir()}
    assert {"recipe.yaml", "run.json", "config.json", "model.safetensors", "last.safetensors", "log.jsonl"} <= names
    assert any(name.startswith("events.out.tfevents") for name in names)
    assert json.loads((run / "run.json").read_text())["threads"] == 1


def test_accumulation_equals_a_larger_batch(data: Path, tmp_path: Path) -> None:
    logs = []
    for parts in (1, 2):
        made = paper(f"accumulate={parts}", "network.balance=False", "epochs=1")
        run = train(made, data, tmp_path / str(parts), device="cpu", quiet=True)
        logs.append([line["loss"] for line in log_of(run) if "loss" in line])
    assert logs[0] == pytest.approx(logs[1], rel=1e-4)


def test_edited_labels_clocks_and_recordings_are_noticed(data: Path, tmp_path: Path) -> None:
    manifest, arguments = read_manifest(data), {"cache": data / "cache", "device": "cpu", "quiet": True}
    run = train(quick("epochs=1"), manifest, tmp_path / "run", **arguments)
    train(quick("epochs=1"), manifest, run, **arguments)  # nothing changed
    chosen = choose_material(quick(), manifest)
    take, pair = chosen.labelled[0], chosen.pairs[0]
    relabelled = {**manifest.takes, take.id: replace(take, actions=take.actions[:1])}
    shutil.copy(manifest.takes[pair.first].path, tmp_path / "moved.mp4")
    edited = bytearray((tmp_path / "moved.mp4").read_bytes())
    moved = {**manifest.takes, pair.first: replace(manifest.takes[pair.first], path=tmp_path / "moved.mp4")}
    train(quick("epochs=1"), replace(manifest, takes=moved), run, **arguments)  # the same recording elsewhere
    edited[len(edited) // 2] ^= 1
    (tmp_path / "moved.mp4").write_bytes(bytes(edited))
    shifted = tuple(replace(one, clock=Clock(((0.0, 0.1),))) if one is pair else one for one in manifest.pairs)
    for changed, what in (
        (replace(manifest, takes=relabelled), f"labels were changed since: {take.id}"),
        (replace(manifest, takes=moved), f"recordings were changed since: {pair.first}"),
        (replace(manifest, pairs=shifted), f"clocks were changed since: {pair.id}"),
    ):
        with pytest.raises(UserError, match=what):
            train(quick("epochs=1"), changed, run, **arguments)


def test_two_trainings_in_one_folder_are_refused(data: Path, tmp_path: Path) -> None:
    arguments = {"cache": data / "cache", "device": "cpu", "quiet": True}
    run = train(quick("epochs=1"), data, tmp_path / "run", **arguments)
    with RunFolder(run).locked(), pytest.raises(UserError, match="another training is writing to this folder"):
        train(quick("epochs=1"), data, run, **arguments)
    with RunFolder(tmp_path / "new").locked(), pytest.raises(UserError, match="another training"):
        train(quick("epochs=1"), data, tmp_path / "new", **arguments)
    train(quick("epochs=1"), data, run, **arguments)
