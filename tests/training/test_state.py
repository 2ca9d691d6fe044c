"""Small parts: learning rates, checkpoints, the log, the run's folder."""

import errno
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from actor_observer.errors import UserError
from actor_observer.pairs import read_manifest
from actor_observer.training import Optimiser, as_yaml
from actor_observer.training.folder.checkpoint import LAST, Progress, load_checkpoint, read_progress, save_checkpoint
from actor_observer.training.folder.log import RunLog
from actor_observer.training.folder.run_folder import RunFolder
from actor_observer.training.optimise import learning_rate, make_optimiser
from actor_observer.training.planning.material import choose_material
from training.small import quick


def test_the_papers_rate_falls_tenfold_every_three_epochs() -> None:
    rates = [learning_rate(Optimiser(), number, 10, 90) for number in range(90)]
    assert rates[:30] == [3e-5] * 30
    assert rates[30:60] == pytest.approx([3e-6] * 30)
    assert rates[60:] == pytest.approx([3e-7] * 30)


def test_a_cosine_rises_then_falls_to_nothing() -> None:
    settings = Optimiser(lr=1.0, schedule="cosine", warmup=5)
    rates = [learning_rate(settings, number, 10, 100) for number in range(101)]
    assert rates[0] < rates[2] < rates[4] and rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[100] == pytest.approx(0)


def trained(kind: str, steps: int, layer: nn.Module | None = None) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    layer = layer or nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    optimiser = make_optimiser(Optimiser(kind=kind, lr=0.1, weight_decay=0.1), layer, torch.device("cpu"))  # type: ignore[arg-type]
    return more(layer, optimiser, steps)


def more(layer: nn.Module, optimiser: torch.optim.Optimizer, steps: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    for _ in range(steps):
        optimiser.zero_grad()
        layer(torch.ones(5, 3)).square().mean().backward()
        optimiser.step()
    return layer, optimiser


@pytest.mark.parametrize("kind", ["sgd", "adamw"])
def test_a_checkpoint_brings_back_weights_and_momentum(tmp_path: Path, kind: str) -> None:
    save_checkpoint(tmp_path, Progress(3, 0.5, 2), *trained(kind, 3))
    assert read_progress(tmp_path) == Progress(3, 0.5, 2)
    other, optimiser = trained(kind, 0, nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)))
    load_checkpoint(tmp_path, other, optimiser)
    more(other, optimiser, 2)
    expected, _ = trained(kind, 5)
    assert all(torch.equal(a, b) for a, b in zip(other.parameters(), expected.parameters(), strict=True))


def test_a_full_disk_is_one_line_and_the_last_checkpoint_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layer, optimiser = trained("sgd", 1)
    save_checkpoint(tmp_path, Progress(1), layer, optimiser)
    before = (tmp_path / LAST).read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match=r"No space left on device.*the checkpoint of step 1 is kept"):
        save_checkpoint(tmp_path, Progress(2), layer, optimiser)
    assert (tmp_path / LAST).read_bytes() == before
    assert os.listdir(tmp_path) == [LAST]  # noqa: PTH208


def test_what_is_no_checkpoint_is_one_line(tmp_path: Path) -> None:
    (tmp_path / LAST).write_bytes(b"half a file")
    with pytest.raises(UserError, match="delete it to start anew"):
        read_progress(tmp_path)


def test_the_log_drops_what_lies_past_the_checkpoint_and_half_lines(tmp_path: Path) -> None:
    lines = [json.dumps({"step": step, "loss": step / 3}) + "\n" for step in (1, 2, 2, 3, 4)]
    (tmp_path / "log.jsonl").write_text("".join(lines) + '{"step": 5, "lo')
    with RunLog(tmp_path, step=2) as log:
        log.write({"step": 3, "loss": 0.1})
    assert (tmp_path / "log.jsonl").read_text() == "".join(lines[:3]) + '{"step": 3, "loss": 0.1}\n'


def test_a_folder_belongs_to_one_recipe_and_one_set_of_takes(tmp_path: Path, data: Path) -> None:
    recipe, manifest = quick(), read_manifest(data)
    material = choose_material(recipe, manifest)
    folder = RunFolder(tmp_path / "run")
    folder.start(recipe, material)
    folder.check_recipe(recipe)
    folder.check_recipe(quick("save_minutes=1", "workers=3"))  # change no number
    folder.check_takes(material)
    assert folder.threads() == torch.get_num_threads()
    with pytest.raises(UserError, match=r"another recipe: optimiser\.lr is 0\.5, there 0\.001; seed is 7, there 0;"):
        folder.check_recipe(quick("seed=7", "optimiser.lr=0.5"))
    gone = {manifest.pairs[0].third: None}
    fewer = replace(
        manifest,
        takes={id: take for id, take in manifest.takes.items() if id not in gone},
        pairs=tuple(pair for pair in manifest.pairs if pair.third not in gone),
    )
    with pytest.raises(UserError, match=f"other training takes: 2 gone .{manifest.pairs[0].third}"):
        folder.check_takes(choose_material(recipe, fewer))


def test_an_unwritable_folder_is_one_line(tmp_path: Path, data: Path) -> None:
    (tmp_path / "file").touch()
    recipe = quick()
    with pytest.raises(UserError, match="cannot be written"):
        RunFolder(tmp_path / "file" / "run").start(recipe, choose_material(recipe, read_manifest(data)))


def test_no_pickle_is_ever_loaded() -> None:
    assert "pickle" not in Path(sys.modules["actor_observer.training.folder.checkpoint"].__file__ or "").read_text()


def test_a_run_made_before_settings_were_renamed_is_resumed(tmp_path: Path) -> None:
    text = as_yaml(quick()).replace("\nlook_rate:", "\nframe_rate:").replace("\nanchor_rate:", "\nrate:")
    assert "\nrate:" in text and "\nframe_rate:" in text
    (tmp_path / "recipe.yaml").write_text(text)
    RunFolder(tmp_path).check_recipe(quick())
    with pytest.raises(UserError, match="look_rate is"):
        RunFolder(tmp_path).check_recipe(quick("look_rate=1.5"))


def test_a_flipped_bit_in_a_checkpoint_is_noticed(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, Progress(3, 0.5, 2), *trained("sgd", 3))
    content = bytearray((tmp_path / LAST).read_bytes())
    for place in (-3, content.index(b"best_step")):  # a weight; the progress
        flipped = bytearray(content)
        flipped[place if place < 0 else place + 13] ^= 1
        (tmp_path / LAST).write_bytes(bytes(flipped))
        with pytest.raises(UserError, match=r"damaged|not a checkpoint"):
            read_progress(tmp_path)
            load_checkpoint(tmp_path, *trained("sgd", 0))
    (tmp_path / LAST).write_bytes(bytes(content))
    load_checkpoint(tmp_path, *trained("sgd", 0))
