"""Parts put together are what one run makes, in any order; what is missing or does not belong is named."""

import json
import random
import shutil
from pathlib import Path

import pytest

from actor_observer.cli import main
from actor_observer.cluster.merge import merge
from actor_observer.errors import UserError
from actor_observer.features import load_embeddings
from actor_observer.playhouse.filming.render import check_drawing
from actor_observer.playhouse.make import make
from actor_observer.shards import Shard
from same_scene import write_scene
from tiny import write_charades_ego


@pytest.fixture(scope="module")
def model(scene_model: Path) -> Path:
    return scene_model


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    for number in range(5):
        write_scene(folder / f"v{number}.mp4", 3, fps=4, seed=number)
    (folder / "bad.mp4").write_bytes(b"not a video")
    return folder


def run(*arguments: object, code: int = 0) -> None:
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stop:
        assert stop.code == code
    else:
        assert code == 0


def content(place: Path) -> dict[str, bytes]:
    """Every file of a result, without the lock, which is empty."""
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    return {file.name: file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def embedded(model: Path, videos: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The videos embedded by one run."""
    out = tmp_path_factory.mktemp("embedded") / "whole.safetensors"
    run("embed", videos, "--view", "first", "--model", model, "--out", out, code=3)
    return out.read_bytes()


@pytest.mark.parametrize("shards", [1, 3, 8])
def test_embeddings_are_those_of_one_run(
    model: Path, videos: Path, embedded: bytes, tmp_path: Path, shards: int
) -> None:
    command = ("embed", videos, "--view", "first", "--model", model)
    parts = [tmp_path / f"part{number}.safetensors" for number in range(1, shards + 1)]
    for number, part in enumerate(parts, start=1):  # the bad video is the first item, so of the first part
        run(*command, "--out", part, "--shard", f"{number}/{shards}", code=3 if number == 1 else 0)
    random.Random(shards).shuffle(parts)
    run("merge", *parts, "--out", tmp_path / "merged.safetensors", code=3)
    assert (tmp_path / "merged.safetensors").read_bytes() == embedded
    run("merge", *parts, "--out", tmp_path / "merged.npz", code=3)
    assert sorted(load_embeddings(tmp_path / "merged.npz")) == [f"v{number}" for number in range(5)]


def test_an_index_is_that_of_one_run(model: Path, videos: Path, tmp_path: Path) -> None:
    command = ("index", videos, "--view", "first", "--model", model)
    run(*command, "--out", tmp_path / "whole", code=3)
    parts = [tmp_path / f"part{number}" for number in (1, 2, 3)]
    for number, part in enumerate(parts, start=1):
        run(*command, "--out", part, "--shard", f"{number}/3", code=3 if number == 1 else 0)
    run("merge", parts[2], parts[0], parts[1], "--out", tmp_path / "merged", code=3)
    assert content(tmp_path / "merged") == content(tmp_path / "whole")
    run("merge", *parts, "--out", tmp_path / "merged", code=3)  # again, as after a kill: nothing twice
    assert content(tmp_path / "merged") == content(tmp_path / "whole")


@pytest.fixture(scope="module")
def aligned(model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A data set, and its pairs aligned by one run."""
    data = tmp_path_factory.mktemp("data")
    write_charades_ego(data, train=3, test=1, seconds=2, fps=4)
    run("align", data, "--model", model, "--out", data / "whole.jsonl")
    return data, (data / "whole.jsonl").read_bytes()


def test_alignments_of_a_data_set_are_those_of_one_run(
    model: Path, aligned: tuple[Path, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, whole = aligned
    lines = [json.loads(line) for line in whole.splitlines()]
    assert len(lines) == 4 and all("clock" in line and "path" not in line for line in lines)
    parts = [tmp_path / f"part{number}.jsonl" for number in (1, 2, 3)]
    for number, part in enumerate(parts, start=1):
        run("align", data, "--model", model, "--out", part, "--shard", f"{number}/3")
    run("merge", *reversed(parts), "--out", tmp_path / "merged.jsonl")
    assert (tmp_path / "merged.jsonl").read_bytes() == whole
    capsys.readouterr()
    spoilt = tmp_path / "spoilt"
    shutil.copytree(data, spoilt)
    bad = min((spoilt / "videos").glob("*EGO.mp4"))
    bad.write_bytes(bad.read_bytes()[:400])
    run("align", spoilt, "--model", model, "--out", tmp_path / "rest.jsonl", code=3)
    assert bad.name in capsys.readouterr().err
    assert len((tmp_path / "rest.jsonl").read_text().splitlines()) == 3


def test_an_alignment_of_a_set_that_was_interrupted_goes_on(
    model: Path, aligned: tuple[Path, bytes], tmp_path: Path
) -> None:
    data, whole = aligned
    parts = tmp_path / "again.jsonl.parts"
    with pytest.MonkeyPatch.context() as patch:
        from actor_observer.alignment import align_set as module

        def two(*arguments: object) -> object:
            if len((parts / "lines.jsonl").read_bytes().splitlines()) == 2:
                raise KeyboardInterrupt
            return real(*arguments)  # type: ignore[arg-type]

        real = module.align_pair
        patch.setattr(module, "align_pair", two)
        run("align", data, "--model", model, "--out", tmp_path / "again.jsonl", code=130)
    with (parts / "lines.jsonl").open("ab") as file:
        file.write(b'{"id": "half')
    run("align", data, "--model", model, "--out", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == whole
    assert not parts.exists()


def test_a_rendered_set_is_that_of_one_run(tmp_path: Path) -> None:
    try:
        check_drawing()
    except UserError as error:
        pytest.skip(str(error))
    settings = {"size": (32, 32), "fps": 1.0, "seconds": (10.0, 12.0), "quiet": True, "for_each": map}
    make(tmp_path / "whole", pairs=1, seed=3, **settings)  # type: ignore[arg-type]
    for number in (1, 2):
        make(tmp_path / f"part{number}", pairs=1, seed=3, shard=Shard(number, 2), **settings)  # type: ignore[arg-type]
    merged = merge([tmp_path / "part2", tmp_path / "part1"], tmp_path / "merged")
    assert merged.items == 3
    whole, parted = content(tmp_path / "whole"), content(tmp_path / "merged")
    assert whole.keys() == parted.keys()
    for name in whole:  # drawing in software is not the same to the last bit, so neither are videos
        assert name.endswith(".mp4") or whole[name] == parted[name], name
    (tmp_path / "merged" / "classes.txt").unlink()
    (tmp_path / "merged" / "classes.txt").write_text("something else")
    with pytest.raises(UserError, match=r"classes\.txt: there is another file of this name"):
        merge([tmp_path / "part2", tmp_path / "part1"], tmp_path / "merged")


def test_what_is_missing_or_does_not_belong_is_named(model: Path, videos: Path, tmp_path: Path) -> None:
    parts = [tmp_path / f"{number}.safetensors" for number in (1, 2, 3, 4)]
    command = ("embed", videos / "v0.mp4", videos / "v1.mp4", videos / "v2.mp4", "--view", "first", "--model", model)
    for number in (1, 2, 4):
        run(*command, "--out", parts[number - 1], "--shard", f"{number}/4")
    out = tmp_path / "all.safetensors"
    with pytest.raises(UserError, match=r"^1 of 4 parts missing: 3/4$"):
        merge([parts[0], parts[1], parts[3]], out)
    with pytest.raises(UserError, match=r"3\.safetensors: no such file"):
        merge(parts, out)
    parts[2].write_bytes(b"of a command that was killed")
    with pytest.raises(UserError, match="not a finished part of a job"):
        merge(parts, out)
    run(*command, "--out", parts[2], "--shard", "3/4", "--look-rate", 3)
    with pytest.raises(UserError, match="are not parts of one job"):
        merge(parts, out)
    run(*command, "--out", parts[2], "--shard", "1/4")
    with pytest.raises(UserError, match="are both part 1/4"):
        merge(parts, out)
    Path(f"{parts[2]}.shard.json").write_text("{}")
    with pytest.raises(UserError, match=r"shard\.json: damaged"):
        merge(parts, out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--shard", "0/4"], "--shard 0/4: shards are counted from 1, so use 1/4 to 4/4"),
        (["--shard", "5/4"], "--shard 5/4: shards are counted from 1"),
        (["--shard", "half"], "--shard half: say which part of how many, such as 3/64"),
        (["--shard", "1/0"], "--shard 1/0: use 1 to 1000000 parts"),
    ],
)
def test_a_shard_out_of_range_is_one_line(
    arguments: list[str], line: str, videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("index", videos, "--view", "first", "--out", tmp_path / "i", *arguments, code=2)
    assert line in capsys.readouterr().err


def test_two_writers_to_one_output_are_refused(model: Path, videos: Path, tmp_path: Path) -> None:
    from actor_observer.disk import only_writer

    out = tmp_path / "x.safetensors"
    (tmp_path / "x.safetensors.parts").mkdir()
    with only_writer(tmp_path / "x.safetensors.parts", "this output"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("actor_observer.disk.whole.PATIENCE", 0.2)
        run("embed", videos / "v0.mp4", "--view", "first", "--model", model, "--out", out, code=2)
    run("embed", videos / "v0.mp4", "--view", "first", "--model", model, "--out", out)
