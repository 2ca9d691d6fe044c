"""`evaluate`: a run's folder, and anybody's embeddings, judged the same way."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.evaluate import evaluate_runs
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.features import Embeddings, TakeEmbedding, load_embeddings, save_embeddings
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import read_manifest
from tiny import write_charades_ego, write_csv, write_video


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_charades_ego(tmp_path_factory.mktemp("data"), train=4, test=3, seconds=14, fps=2)


def embeddings_of(data: Path, splits: tuple[str, ...] = ("train", "test")) -> Embeddings:
    """Embeddings that know the time, and nothing else."""
    takes = {}
    for id, take in read_manifest(data).takes.items():
        if take.split in splits:
            times = (np.arange(28) + 0.5) / 2
            takes[id] = TakeEmbedding(take.view, times, np.stack([times, times**2 / 9, np.sin(times)], axis=1))
    return Embeddings(takes)


def test_a_run_stands_beside_its_rivals(data: Path, tmp_path: Path) -> None:
    classes = tuple(read_manifest(data).classes)
    config = NetworkConfig(backbone="resnet18", size=32, crop="whole", heads="shared", labels=classes)
    ActorObserverNet(config, pretrained=False).save_pretrained(tmp_path / "run")
    (tmp_path / "run" / "recipe.yaml").write_text("name: mine\nfrozen: true\ninit: random\n")
    verdict = evaluate_runs([tmp_path / "run"], JudgedData(data, cache=tmp_path / "cache", device="cpu", look_rate=2.0))
    fair = verdict.tables["correspondence-fair-same"]
    names = ("frozen features, by margin", "frozen features, standardised, by margin", "clock (uses time), by margin")
    assert {*names, "ridge map, by margin", "mine, by selector", "mine, by margin"} <= fair.rows.keys()
    assert "mine, first person (zero-shot)" in verdict.tables["recognition"].rows
    assert "correspondence-fair-different" in verdict.tables


def test_scores_of_other_actions_than_the_datas_are_not_judged(data: Path, tmp_path: Path) -> None:
    on = JudgedData(data, cache=tmp_path / "cache", device="cpu", say=(said := list[str]()).append)
    classes = len(read_manifest(data).classes)
    for many in (classes, classes + 1):
        scored = {
            id: TakeEmbedding(take.view, take.times, take.features, scores=np.full((len(take.times), many), 0.1))
            for id, take in embeddings_of(data).items()
        }
        save_embeddings(Embeddings(scored), tmp_path / "theirs.npz")
        tables = evaluate_runs([tmp_path / "theirs.npz"], on).tables
        assert ("recognition" in tables) == (many == classes) and "correspondence-fair-same" in tables
    assert said == [f"note: theirs.npz scores {many} actions, these data name {classes}: not judged"]


def test_names_are_judged_in_the_order_of_the_data_and_only_where_all_are_known(data: Path, tmp_path: Path) -> None:
    classes = tuple(read_manifest(data).classes)
    on = JudgedData(data, cache=tmp_path / "cache", device="cpu", look_rate=2.0, say=(said := list[str]()).append)

    def rows(name: str, labels: tuple[str, ...], order: list[int]) -> dict[str, object]:
        config = NetworkConfig(backbone="resnet18", size=32, crop="whole", heads="shared", labels=labels)
        torch.manual_seed(0)
        network = ActorObserverNet(config, pretrained=False)
        assert network.classifier is not None
        with torch.no_grad():
            network.classifier.weight[:] = torch.linspace(-1, 1, len(classes) + 1)[order][:, None]
        network.save_pretrained(tmp_path / name)
        (tmp_path / name / "recipe.yaml").write_text("name: mine\nfrozen: true\ninit: random\n")
        found = evaluate_runs([tmp_path / name], on).tables.get("recognition")
        return {} if found is None else {row: cells[0] for row, cells in found.rows.items()}

    few = list(range(len(classes)))
    assert rows("a", classes, few) == rows("b", classes[::-1], few[::-1]) != {} and not said
    assert rows("c", (*classes, "another"), [*few, len(few)]) != {}  # knows more
    assert rows("d", classes[1:], few[1:]) == {} and "does not know all actions" in said[-1]


def test_anybodys_embeddings_are_judged_the_same_way(data: Path, tmp_path: Path) -> None:
    theirs = embeddings_of(data)
    for suffix in ("npz", "safetensors"):
        save_embeddings(theirs, tmp_path / f"theirs.{suffix}")
        read = load_embeddings(tmp_path / f"theirs.{suffix}")
        assert all(np.array_equal(read[id].features, theirs[id].features) for id in theirs)
    rows = evaluate_runs([tmp_path / "theirs.npz"], JudgedData(data)).tables["correspondence-fair-same"].rows
    assert rows["theirs, by margin"][0].value == 1.0
    assert "ridge map, by margin" in rows
    save_embeddings(embeddings_of(data, ("test",)), tmp_path / "few.npz")
    rows = evaluate_runs([tmp_path / "few.npz"], JudgedData(data)).tables["correspondence-fair-same"].rows
    assert list(rows) == ["chance", IN_PROPORTION, "few, by margin", "few, takes exchanged"]  # nothing to fit rivals on
    assert rows["few, takes exchanged"][0].value == 1.0  # they know the time alone, and the table shows it


def test_pairs_that_chose_something_are_named_when_they_are_judged(data: Path, tmp_path: Path) -> None:
    save_embeddings(embeddings_of(data, ("test",)), tmp_path / "few.npz")
    pair = next(pair for pair in read_manifest(data).of("test").pairs)
    (data / "used.json").write_text(json.dumps({pair.id: ["a threshold"]}))
    said: list[str] = []
    try:
        evaluate_runs([tmp_path / "few.npz"], JudgedData(data, say=said.append))
    finally:
        (data / "used.json").unlink()
    assert any("1 of these pairs were used for choosing before (a threshold)" in line for line in said)


def test_phases_are_measured_where_the_data_has_them(tmp_path: Path) -> None:
    rows = []
    for number in range(6):
        for view in ("third", "first"):
            write_video(tmp_path / f"{number}.{view}.mp4", frames=24, fps=2)
        phases = "begin 0 4;middle 4 8;end 8 12"
        split = "train" if number < 3 else "test"
        named = {"id": str(number), "third": f"{number}.third.mp4", "first": f"{number}.first.mp4"}
        rows.append(named | {"phases": phases, "split": split, "subject": f"s{number}"})
    write_csv(tmp_path / "pairs.csv", rows, ["id", "third", "first", "phases", "split", "subject"])
    save_embeddings(embeddings_of(tmp_path), tmp_path / "theirs.npz")
    table = evaluate_runs([tmp_path / "theirs.npz"], JudgedData(tmp_path)).tables["phases"]
    alike, theirs = (
        dict(zip(table.columns, table.rows[row], strict=True)) for row in ("chance (all frames alike)", "theirs")
    )
    assert theirs["f1 third to first"] > 0.9 > alike["f1 third to first"]
    assert theirs["tau"] > 0.9 and alike["tau"] == pytest.approx(0.0)
    assert theirs["progression"] is not None


def test_several_stand_side_by_side_with_one_set_of_rivals(data: Path, tmp_path: Path) -> None:
    for name in ("a/ours.npz", "b/ours.npz"):
        save_embeddings(embeddings_of(data), tmp_path / name)
    verdict = evaluate_runs([tmp_path / "a/ours.npz", tmp_path / "b/ours.npz"], JudgedData(data))
    rows = verdict.tables["correspondence-fair-same"].rows
    by_margin = [name for name in rows if name.endswith(", by margin")]
    assert sum(name.startswith("ridge map") for name in by_margin) == 1
    assert sum(name.startswith("ours") and "standardised" not in name for name in by_margin) == 2


def test_embeddings_of_other_takes_are_one_clear_line(data: Path, tmp_path: Path) -> None:
    save_embeddings(embeddings_of(data, ("train",)), tmp_path / "train.npz")
    with pytest.raises(UserError, match="none of its takes belongs to the test split"):
        evaluate_runs([tmp_path / "train.npz"], JudgedData(data))


def test_the_command_writes_tables(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_embeddings(embeddings_of(data), tmp_path / "theirs.npz")
    shares = ["--far-share", "0.5", "--moment-share", "0.25"]
    main(["evaluate", str(tmp_path / "theirs.npz"), "--data", str(data), "--out", str(tmp_path / "out"), *shares])
    assert "Correspondence, fair protocol, same person" in capsys.readouterr().out
    written = json.loads((tmp_path / "out" / "tables.json").read_text())
    assert (written["protocol"]["far_share"], written["protocol"]["moment_share"]) == (0.5, 0.25)
    tables = written["tables"]
    assert tables["alignment-fair-same"]["rows"]["theirs"]["every moment, median"]["value"] == 0.0


def test_one_broken_take_is_left_out_with_a_line(data: Path, tmp_path: Path) -> None:
    broken = tmp_path / "data"
    shutil.copytree(data, broken)
    lost = next(pair for pair in read_manifest(broken).of("test").pairs if pair.same_person).first
    whole = (broken / "videos" / f"{lost}.mp4").read_bytes()
    (broken / "videos" / f"{lost}.mp4").write_bytes(whole[: len(whole) // 2])
    config = NetworkConfig(backbone="resnet18", size=32, crop="whole", heads="shared")
    ActorObserverNet(config, pretrained=False).save_pretrained(tmp_path / "run")
    (tmp_path / "run" / "recipe.yaml").write_text("name: mine\nfrozen: true\ninit: random\n")
    lines: list[str] = []
    judged = JudgedData(broken, cache=tmp_path / "cache", device="cpu", look_rate=2.0, say=lines.append)
    verdict = evaluate_runs([tmp_path / "run"], judged)
    assert [lost in line and "left out" in line for line in lines] == [True]
    assert "mine, by margin" in verdict.tables["correspondence-fair-same"].rows
