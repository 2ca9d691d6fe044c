"""`reproduce`: all of the paper at toy size, killed and continued, alone and under torchrun."""

import json
from pathlib import Path

import pytest
import torch
import yaml

from actor_observer import load
from actor_observer.errors import UserError
from actor_observer.model.backbones.resnet import ResNet
from actor_observer.model.saved_recipe import LATER, recipe_of
from actor_observer.pairs import read_manifest
from actor_observer.paper.reproduce import Reproduction
from actor_observer.paper.stages import claim, run_stages
from actor_observer.training import as_yaml
from forked import PATIENCE, Forked
from paper.entry import small
from paper.toy import QUICK, WHOLE, command_for, under_torchrun

NAMES = ("classifier", "transfer")


def job(data: Path, out: Path, quick: bool = True, settings: list[str] = QUICK, **more: object) -> Reproduction:
    return Reproduction(data, out, quick, settings, cache=data / "cache", device="cpu", **more)


def test_killed_twice_and_finished_by_two_processes(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    runs, arguments = out / "runs", command_for(data, out, "--quick", "--set", *QUICK)
    marks: dict[Path, int] = {}
    for place in (runs / "classifier" / "last.safetensors", runs / "transfer" / "last.safetensors"):
        process = Forked(small, arguments)
        process.wait_until(place.exists)  # in the middle of a training
        process.stop()
        assert process.returncode == -9
        marks |= {path: path.stat().st_mtime_ns for path in (out / "done").glob("*.json")}
    both = under_torchrun(2, arguments)
    said, _ = both.communicate(timeout=PATIENCE)
    assert both.returncode == 0, said
    assert said.count("train-transfer: ") == said.count("resuming after step ") == 1  # only the first speaks
    assert "train-classifier: " not in said and len(marks) >= 4
    assert {path: path.stat().st_mtime_ns for path in marks} == marks  # what was done stayed as it was
    for run in runs.iterdir():
        steps = [json.loads(line)["step"] for line in (run / "log.jsonl").read_text().splitlines() if "loss" in line]
        assert steps == list(range(1, len(steps) + 1))

    page = (out / "paper.html").read_text()
    assert "http" not in page.replace("http://www.w3.org", "")  # it needs nothing else
    assert all(figure in page for figure in ("96.8", "5.20", "25.9", "Table 3: recognition"))
    assert len(list((out / "pictures").glob("*.png"))) == 6
    assert "as published" in (out / "tables.md").read_text()
    tables = json.loads((out / "tables.json").read_text())
    rows = tables["paper-1"]["rows"]
    assert rows["Same person, choose 5 % · paper"]["ActorObserverNet"] == 0.968
    for line in ("ours, as published", "ours, fair", "ours, as published, x thrown away"):
        assert 0 <= rows[f"Same person, choose 5 % · {line}"]["ActorObserverNet"]["value"] <= 1
    assert tables["paper-2"]["rows"]["Different persons · ours, fair: every moment"]["ActorObserverNet"]["value"] > 0
    assert tables["paper-3"]["rows"]["First person, zero-shot · ours, fair"]["Charades"]["value"] > 0
    hands = tables["paper-hands"]["rows"]
    assert hands["First person · paper"] == {"highest weight": 0.68, "lowest weight": 0.15, "any weight": None}
    assert 0 < hands["First person · ours, by exact truth"]["any weight"] < 1


def test_the_whole_recipes_train_too(data: Path, tmp_path: Path) -> None:
    whole = job(data, tmp_path / "out", quick=False, settings=WHOLE)
    trainings = [stage for stage in whole.stages() if stage.name in ("train-classifier", "train-transfer")]
    run_stages(trainings, whole.folder)
    assert recipe_of(whole.runs / "transfer")["init"] == str(whole.runs / "classifier")
    assert load(whole.runs / "transfer").config.heads == "shared"
    assert not torch.equal(*(load(whole.runs / name).backbone.state_dict()["features.0.0.weight"] for name in NAMES))


def test_another_job_in_the_folder_is_one_line(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = job(data, out)
    claim(first.folder, first.identity())
    with pytest.raises(UserError, match=r"holds another job \(quick is False, there True\); use another --out"):
        job(data, out, quick=False, settings=WHOLE).run()


def test_a_folder_that_an_earlier_version_began_is_gone_on_with(data: Path, tmp_path: Path) -> None:
    ours = job(data, tmp_path)
    texts = {}
    for training in ours.trainings.every:
        settings = yaml.safe_load(as_yaml(training.recipe))
        texts[training.name] = yaml.safe_dump({name: value for name, value in settings.items() if name not in LATER})
    (tmp_path / "reproduce.json").write_text(json.dumps(ours.identity() | {"recipes": texts}))
    claim(ours.folder, ours.identity())
    texts["transfer"] = texts["transfer"].replace("seed: 0", "seed: 1")
    (tmp_path / "reproduce.json").write_text(json.dumps(ours.identity() | {"recipes": texts}))
    with pytest.raises(UserError, match=r"another job \(recipes\.transfer\.seed is 0, there 1\); use another --out$"):
        claim(ours.folder, ours.identity())


def test_a_batch_that_cannot_be_shared_is_found_before_anything_runs(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(
        UserError, match=r"classifier: a batch of .* cannot be split evenly into 1 parts on 3 processes"
    ):
        job(data, tmp_path / "out").run()
    assert not (tmp_path / "out").exists()


def test_a_published_classifier_takes_the_place_of_training_one(data: Path, tmp_path: Path) -> None:
    classes = len(read_manifest(data).classes)
    torch.save({"state_dict": ResNet("resnet18", classes=classes).state_dict()}, tmp_path / "theirs.pth")
    settings = [*WHOLE, "network.backbone=resnet18"]
    given = job(data, tmp_path / "out", quick=False, settings=settings, checkpoint=tmp_path / "theirs.pth")
    first = given.stages()[0]
    assert first.what.startswith("read ")
    run_stages([first], given.folder)
    found = load(given.runs / "classifier")
    assert found.config.backbone == "resnet18" and len(found.config.labels) == classes
    assert recipe_of(given.runs / "classifier")["objective"] == "classification"
