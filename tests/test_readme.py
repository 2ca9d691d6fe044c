"""What the README tells people to type works, on tiny inputs."""

import re
import shlex
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.model.loading import load
from actor_observer.model.pretrained import BOX
from actor_observer.playhouse.filming.render import check_drawing
from tiny import write_charades_ego, write_video

PAGE = (Path(__file__).parents[1] / "README.md").read_text()
COMMANDS = re.findall(r"^    actor-observer (.*)$", PAGE, flags=re.MULTILINE)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
SMALL = {  # what makes a command small: everything else is as the README has it
    "train": "--device cpu --set network.backbone=mobilenet_v2 init=random size=32 epochs=2 batch=4 moments=6 "
    "look_rate=1 labelled_apart= validate_every=1 quads_per_pair=20",
    "evaluate": "--device cpu",
    "report": "--device cpu",
    "reproduce": "--device cpu --set network.backbone=mobilenet_v2 size=32 decode=36 workers=0 batch=4",
    "playhouse": "--pairs 1 --size 64x48 --fps 1",
}
WRITES = {
    "align": ("aligned/alignment.json", "aligned/alignment.png", "aligned/anchors.csv", "both.mp4"),
    "pair": ("pairs.csv",),
    "train": ("runs/first/model.safetensors", "runs/first/recipe.yaml"),
    "report": ("runs/first/report.html",),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything the README names."""
    folder = tmp_path_factory.mktemp("readme")
    write_charades_ego(folder / "DATA", train=8, test=2, seconds=13, fps=4)
    for name in ("room-camera", "head-camera"):
        (folder / name).mkdir()
    for number, name in enumerate(("room", "head", "room-camera/monday", "head-camera/monday")):
        write_video(folder / f"{name}.mp4", frames=56 + number, fps=4)  # 14 seconds, and no two alike
    return folder


@pytest.fixture
def there(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(place)
    monkeypatch.setenv("ACTOR_OBSERVER_CACHE", str(place / "cache"))
    monkeypatch.setattr("actor_observer.training.trial.STEPS", 2)  # that are timed for a plan
    monkeypatch.setattr("actor_observer.pictures.figures.parts.save.DPI", 60)
    return place


def test_the_readme_has_both_kinds() -> None:
    assert {"align", "search", "train", "evaluate", "playhouse"} <= {command.split()[0] for command in COMMANDS}
    assert len(BLOCKS) >= 2


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command: str, there: Path) -> None:
    verb = command.split()[0]
    if verb == "playhouse":
        pytest.importorskip("mujoco")
        try:
            check_drawing()
        except UserError as error:
            pytest.skip(str(error))
    main([*shlex.split(command.replace("--pairs 20", "")), *SMALL.get(verb, "").split()])
    assert [name for name in WRITES.get(verb, ()) if not (there / name).is_file()] == []


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_runs(block: str, there: Path) -> None:
    exec(compile(block, "README.md", "exec"), {})


def test_the_model_in_the_box_loads_and_is_small() -> None:
    network = load()
    assert network.config.label_names and network.classifier is not None
    assert sum(path.stat().st_size for path in BOX.iterdir()) <= 12_000_000
    assert (BOX / "README.md").is_file()
