"""Whole runs: what stops them, where they start, what they never read, and that noise teaches nothing."""

import errno
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer import load
from actor_observer.errors import UserError
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.pairs import Clock, Manifest, Pair, Take, read_manifest
from actor_observer.training import recipe_named, run, train, with_settings
from actor_observer.training.objectives.contrast import Contrast
from actor_observer.training.planning.material import choose_material
from actor_observer.training.start import make_network
from forked import Forked, listing_what_is_opened
from training.small import NETWORK, log_of, paper, quick


def test_a_loss_that_is_no_number_stops_with_the_step_and_the_takes(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = Contrast.losses, []

    def poisoned(*arguments):
        found = original(*arguments)
        calls.append(1)
        return found._replace(loss=found.loss * float("nan")) if len(calls) == 4 else found

    monkeypatch.setattr(Contrast, "losses", poisoned)
    with pytest.raises(UserError, match=r"the loss of step 4 is nan; its batch has the takes CT0.* is kept"):
        train(quick("epochs=8"), data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)
    from actor_observer.training.folder.checkpoint import read_progress

    kept = read_progress(tmp_path / "run")
    assert kept is not None and kept.step == 3 // steps_per_epoch(data) * steps_per_epoch(data)
    assert all(np.isfinite(value.numpy()).all() for value in load(tmp_path / "run").state_dict().values())


def steps_per_epoch(data: Path) -> int:
    return len(choose_material(quick(), read_manifest(data)).pairs) // 4


def test_a_full_disk_in_mid_run_is_one_line_and_the_run_goes_on_later(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["actor_observer.training.folder.checkpoint"]
    original, calls = module.write_whole, []

    def filling(path: Path, content: bytes) -> None:
        calls.append(path)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        original(path, content)

    monkeypatch.setattr(module, "write_whole", filling)
    arguments = (quick(), data, tmp_path / "run")
    with pytest.raises(UserError, match="No space left on device"):
        train(*arguments, cache=data / "cache", device="cpu", quiet=True)
    train(*arguments, cache=data / "cache", device="cpu", quiet=True)
    whole = train(quick(), data, tmp_path / "whole", cache=data / "cache", device="cpu", quiet=True)
    assert log_of(tmp_path / "run") == log_of(whole)


def test_a_take_that_cannot_be_read_is_named_and_left_out(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = read_manifest(data)
    lost = next(pair for pair in manifest.pairs if pair.split == "train" and pair.same_person).first
    takes = {**manifest.takes, lost: replace(manifest.takes[lost], path=tmp_path / "gone.mp4")}
    broken = replace(manifest, takes=takes)
    for made in (quick("epochs=1"), paper("epochs=1")):
        out = tmp_path / made.objective
        train(made, broken, out, cache=data / "cache", device="cpu")
        assert "gone.mp4: no such file (left out)" in capsys.readouterr().out
        assert log_of(out)


def test_the_paper_pretrains_on_labels_and_starts_from_that(data: Path, tmp_path: Path) -> None:
    settings = [*NETWORK, "epochs=1", "batch=12", "decode=36", "workers=0", "look_rate=1", "optimiser.lr=0.001"]
    settings += ["anchor_rate=1", "optimiser.heads=1"]
    classifier = with_settings(recipe_named("paper-classifier"), settings)
    first = train(classifier, data, tmp_path / "first", device="cpu", quiet=True)
    assert {"loss", "classification"} <= log_of(first)[0].keys()
    assert 0 <= log_of(first)[-1]["validation"] <= 1
    second = paper(f"init={first}")
    network, notes = make_network(second, choose_material(second, read_manifest(data)))
    assert notes == [f"backbone and classifier from {first}"]
    for name, value in load(first).backbone.state_dict().items():
        assert torch.equal(value, network.backbone.state_dict()[name])
    with pytest.raises(UserError, match="has the backbone mobilenet_v2"):
        wrong = paper(f"init={first}", "network.backbone=resnet18")
        make_network(wrong, choose_material(wrong, read_manifest(data)))


def test_the_truth_is_never_read(data: Path, tmp_path: Path) -> None:
    (data / "truth").mkdir(exist_ok=True)
    (data / "truth" / "clocks.csv").write_text("id,clock\n")
    settings = ["--set", *NETWORK, "epochs=1", "batch=4", "look_rate=1", "labelled_apart="]
    arguments = ["train", "quick", "--data", str(data), "--out", str(tmp_path / "run"), "--cache", str(tmp_path)]
    process = Forked(listing_what_is_opened, [*arguments, *settings])
    said = process.wait()
    assert process.returncode == 0, said
    opened = [line.removeprefix("opened ") for line in said.splitlines() if line.startswith("opened ")]
    assert any(path.startswith(str(data / "videos")) for path in opened)
    assert not [path for path in opened if "truth" in path.split("/")]


def test_the_classifier_is_fitted_to_the_embedding_that_stays_and_only_once(data: Path, tmp_path: Path) -> None:
    plain, fitted = (
        train(quick(f"refit={refit}"), data, tmp_path / refit, cache=data / "cache", device="cpu", quiet=True)
        for refit in ("false", "true")
    )
    beside, anew = load(plain).eval(), load(fitted).eval()
    for name, value in beside.state_dict().items():
        changed = not torch.equal(anew.state_dict()[name], value)
        assert changed == name.startswith("classifier."), name
    labelled = choose_material(quick(), read_manifest(data)).labelled
    right = []
    for network in (beside, anew):
        phi, _ = FeatureCache(data / "cache").features(
            network.config.backbone, network.backbone, labelled, Look.of_network(network.config, 1.0)
        )
        seen = embed_features(network, phi)
        scores, named = zip(*(labels_of(take, seen[take.id], network.config.labels) for take in labelled), strict=True)
        right.append(np.concatenate(scores)[np.concatenate(named)].mean())
    assert right[1] > right[0] + 0.1  # the share that it gives to actions which are going on
    before = (fitted / "model.safetensors").stat().st_mtime_ns
    train(quick("refit=true"), data, fitted, cache=data / "cache", device="cpu", quiet=True)
    assert (fitted / "model.safetensors").stat().st_mtime_ns == before


def labels_of(take: Take, seen: TakeEmbedding, labels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Class probabilities (T, C) and which classes are going on (T, C)."""
    on = np.zeros((len(seen.times), len(labels)), dtype=bool)
    for action in take.actions:
        on[(seen.times >= action.start) & (seen.times <= action.end), labels.index(action.label)] = True
    assert seen.scores is not None
    return np.asarray(seen.scores), on


def noise(pairs: int, frames: int, size: int) -> tuple[Manifest, Embeddings]:
    """Pairs whose views have nothing to do with each other; first-person frames even know their place in time."""
    rng = np.random.default_rng(0)
    takes, made, found = {}, [], {}
    for number in range(pairs):
        ids = f"{number}", f"{number}EGO"
        split = "train" if number < pairs * 0.6 else "validation"
        for id, view in zip(ids, ("third", "first"), strict=True):
            takes[id] = Take(id, view, Path(id), float(frames), split=split)
            features = rng.standard_normal((frames, size)).astype(np.float32)
            features[:, 0] = np.linspace(-3, 3, frames) if view == "first" else 0
            found[id] = TakeEmbedding(view, np.arange(frames) + 0.5, features)
        made.append(Pair(ids[0], *ids, Clock.scaled(frames, frames), split=split))
    return Manifest(takes, tuple(made)), Embeddings(found)


@pytest.mark.parametrize("objective", ["triplet", "contrast"])
def test_noise_teaches_the_shared_head_nothing(objective: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, phi = noise(pairs=100, frames=30, size=512)
    monkeypatch.setattr(run, "_features", lambda *_: (phi, {}))
    settings = [f"objective={objective}", "network.backbone=resnet18", "init=random", "look_rate=1", "epochs=4"]
    settings += ["labelled_share=0", "batch=30", "moments=10", "network.projection_hidden=0", "validate_every=4"]
    made = with_settings(recipe_named("quick"), settings)
    out = train(made, manifest, tmp_path / "run", device="cpu", quiet=True)
    score = log_of(out)[-1]["validation"]
    # 40 videos × 100 quads × 2 directions; quads of a video share frames, so the spread is wider than of coin flips
    assert abs(score - 0.5) < 0.035, score
