"""What docs/search.md tells people to type works, on tiny inputs."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from actor_observer.cli import main
from tiny import write_video

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text()
COMMANDS = re.findall(r"^    actor-observer (.*)$", PAGE, flags=re.MULTILINE)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_every_command_and_block_runs(
    model: Path,
    videos: list[Path],
    hf_networks: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("actor_observer.pictures.figures.weight_curve")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("actor_observer.model.loading.BOX", model)
    (tmp_path / "head-camera").mkdir()
    for name in ("monday", "tuesday", "head", "head-camera/monday"):
        shutil.copy(videos[0], f"{name}.mp4")
    write_video(tmp_path / "room.mp4", frames=28, fps=2)  # 14 seconds
    assert [command.split()[0] for command in COMMANDS] == [
        *("index", "search", "index", "search", "search"),
        *("recognise", "recognise", "select"),
    ]
    for command in COMMANDS:
        main(shlex.split(command.replace("hf:openai/clip-vit-base-patch32", f"hf:{hf_networks('CLIP')}")))
    assert {"sheet.jpg"} < {path.name for path in (tmp_path / "found").iterdir()}
    assert "weight.png" in {path.name for path in (tmp_path / "best").iterdir()}
    shutil.rmtree("moments")
    assert len(BLOCKS) == 3
    for block in BLOCKS:
        exec(compile(block, "docs/search.md", "exec"), {})
    assert re.search(r"/(mon|tues)day\.mp4 \d+\.5 \d", capsys.readouterr().out)
