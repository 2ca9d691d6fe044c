"""Commands take data sets of others as they take our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actor_observer.cli.align import align
from actor_observer.cli.data import frames, inspect
from actor_observer.cli.find import index
from actor_observer.cli.use import embed
from actor_observer.features.embedding_files import load_embeddings
from actor_observer.frames import frames_at
from actor_observer.pairs import read_manifest
from actor_observer.web.data import open_data, sort_places
from lookalikes import robots, write_ego_exo, write_lerobot, write_takes


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three episodes in one file."""
    return write_lerobot(tmp_path_factory.mktemp("sets") / "v3", 3, "v3.0")


def test_inspect_embed_index_and_align(
    joined: Path, tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        inspect(joined, json=True)
    said = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0 and (said["pairs"], said["takes"]) == (3, 6)
    embed((joined,), out=tmp_path / "all.npz", look_rate=1.0, model=str(model))
    assert len(load_embeddings(tmp_path / "all.npz")) == 6
    index((joined,), "first", str(tmp_path / "index"), model=str(model), first="cam_exterior")
    assert "3 videos added" in capsys.readouterr().out
    align((joined,), out=tmp_path / "all.jsonl", model=str(model))
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [f"episode_00000{n}" for n in range(3)]


def test_frames_of_any_data_set_are_a_data_set(
    joined: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames(joined, tmp_path / "frames", size=64, workers=1)
    manifest, before = read_manifest(tmp_path / "frames"), read_manifest(joined)
    assert [(pair.id, str(pair.clock)) for pair in manifest.pairs] == [(pair.id, "0.0:0.0") for pair in before.pairs]
    for view in ("third", "first"):
        take, original = manifest.takes[f"episode_000001.{view}"], robots(3)[1][1][view]
        assert take.script == "do it" and [action.label for action in take.actions] == ["do it"]
        apart = frames_at(take, [1.0], 64).float() - frames_at(original, [1.0], 64).float()
        assert apart.abs().mean() < 4, "the same moment"


def test_the_studio_opens_each_kind(joined: Path, tmp_path: Path) -> None:
    for place in (joined, write_ego_exo(tmp_path / "ee", 1), write_takes(tmp_path / "takes", 1)):
        assert open_data(sort_places([place]).data).pairs
