"""Runs that began with an earlier version go on as they began."""

import json
from pathlib import Path

import pytest
import safetensors.torch
import yaml

from actor_observer.disk.sealed_json import read_json
from actor_observer.errors import UserError
from actor_observer.model.pretrained import CHECKSUM, checksum, read_tensors
from actor_observer.model.saved_recipe import LATER
from actor_observer.training import Recipe, as_yaml, recipe_named, train, with_settings
from actor_observer.training.folder.checkpoint import LAST, save_checkpoint
from actor_observer.training.folder.run_folder import RunFolder
from training.small import log_of, quick

BEFORE = Path(__file__).parent / "recipe_of_an_old_run.yaml"  # quick, as it was saved with a run in those days


def changed(name: str, *settings: str) -> Recipe:
    return with_settings(recipe_named(name), settings)


def test_a_setting_that_came_since_says_what_was_done_before(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_bytes(BEFORE.read_bytes())
    (note,) = RunFolder(tmp_path).check_recipe(recipe_named("quick"))
    assert note.endswith("they count as what was done then: alone 0.0, keep best")
    with pytest.raises(
        UserError, match=r"keep is last, there best; use another --out, or continue with --set keep=best$"
    ):
        RunFolder(tmp_path).check_recipe(changed("quick", "keep=last"))


def test_a_recipe_whose_values_are_others_now_says_how_to_continue(tmp_path: Path) -> None:
    old = yaml.safe_load(as_yaml(recipe_named("paper-classifier")))
    old["optimiser"] |= {"lr": 3e-5, "drop_every": 3, "heads": 1.0}
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump({**old, "epochs": 9, "labelled_apart": ["clip", "subject"]}))
    with pytest.raises(UserError, match=r"\(and 2 more\); use another --out, or continue with --set ") as refusal:
        RunFolder(tmp_path).check_recipe(recipe_named("paper-classifier"))
    settings = str(refusal.value).partition("--set ")[2].split(" ")
    assert RunFolder(tmp_path).check_recipe(changed("paper-classifier", *settings)) == []


def test_a_run_of_another_recipe_is_not_continued_by_setting_all_that_differs(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_bytes(BEFORE.read_bytes())
    with pytest.raises(UserError, match=r"name is end-to-end, there quick; .* more\); use another --out$"):
        RunFolder(tmp_path).check_recipe(recipe_named("end-to-end"))


def test_an_old_run_goes_on_and_ends_as_one_that_was_never_stopped(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def go(run: str) -> Path:
        return train(quick(), data, tmp_path / run, cache=data / "cache", device="cpu")

    def until_the_second_epoch(*state) -> None:  # type: ignore[no-untyped-def]
        save_checkpoint(*state)
        if state[1].step >= 2:
            raise KeyboardInterrupt

    whole = go("whole")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("actor_observer.training.loop.save_checkpoint", until_the_second_epoch)
        go("run")
    as_written_then(tmp_path / "run")
    capsys.readouterr()
    run = go("run")
    said = capsys.readouterr().out
    assert "note: this run began before" in said and "resuming after step 2 of 4" in said
    assert log_of(run) == log_of(whole)
    for name in (LAST, "model.safetensors"):
        ours, theirs = (read_tensors(folder / name)[0] for folder in (run, whole))
        assert ours.keys() == theirs.keys() and all(ours[key].equal(theirs[key]) for key in ours)


def as_written_then(run: Path) -> None:
    """Take back what has come since: settings, and the seals of files."""
    settings = yaml.safe_load((run / "recipe.yaml").read_text())
    (run / "recipe.yaml").write_text(yaml.safe_dump({key: settings[key] for key in settings if key not in LATER}))
    (run / "run.json").write_text(json.dumps(read_json((run / "run.json").read_bytes()), indent=1) + "\n")
    for name, entry in ((LAST, "progress"), ("model.safetensors", "config")):
        tensors, told = read_tensors(run / name)
        tensors = {key: tensor.clone() for key, tensor in tensors.items()}
        plain = {entry: told[entry], CHECKSUM: checksum(tensors, told[entry])}
        (run / name).write_bytes(safetensors.torch.save(tensors, plain))
