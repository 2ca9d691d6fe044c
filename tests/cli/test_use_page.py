"""What docs/use.md tells people to type works, on tiny inputs."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.features import load_embeddings
from actor_observer.pairs import read_manifest
from tiny import write_charades_ego, write_video

PAGE = (Path(__file__).parents[2] / "docs" / "use.md").read_text()
COMMANDS = re.findall(r"^    actor-observer (.*)$", PAGE, flags=re.MULTILINE)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_every_command_and_block_runs(
    model: Path, videos: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("actor_observer.model.loading.BOX", model)
    for folder in ("head-camera", "room-camera", "more"):
        (tmp_path / folder).mkdir()
    for name in ("head-camera/monday", "more/take7", "head"):
        shutil.copy(videos[0], f"{name}.mp4")
    for name, frames in (("room", 28), ("room2", 26), ("room-camera/monday", 24)):  # 12 to 14 seconds
        write_video(tmp_path / f"{name}.mp4", frames=frames, fps=2)
    write_charades_ego(tmp_path / "CharadesEgo", train=2, test=1, seconds=2, fps=4)
    assert [command.split()[0] for command in COMMANDS] == ["align", "align", "pair", "embed", "embed", "export"]
    for command in COMMANDS[:5]:  # export has a test of its own: it takes its time
        words = shlex.split(command.replace("~", str(tmp_path)))
        main([*words, "--anyway"] if "--trim" in words else words)  # nothing tells when in these videos
    assert len(list(Path("together").iterdir())) == 3
    assert sorted(path.name for path in Path("aligned").iterdir()) == ["alignment.json", "alignment.png", "anchors.csv"]
    assert Path("both.mp4").stat().st_size > 1000
    assert len(read_manifest(Path("pairs.csv")).takes) == 2
    assert sorted(load_embeddings("head.safetensors")) == ["monday", "take7"]
    assert len(load_embeddings("ego.npz")) == 9
    (block,) = BLOCKS
    exec(compile(block, "docs/use.md", "exec"), {})
