"""φ on disk: found again when nothing changed, made anew when anything did."""

import hashlib
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.features import FeatureCache, Look, TakeEmbedding
from actor_observer.features.on_disk.fingerprints import content_hash, weights_hash
from actor_observer.model import create_backbone
from actor_observer.pairs import Take
from tiny import write_frames, write_video

LOOK = Look(look_rate=2.0, size=32)


class Counted:
    """A cache, and how often the backbone had to run."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        torch.manual_seed(0)
        self.cache = FeatureCache(folder / "cache")
        self.backbone = create_backbone("resnet18", pretrained=False)
        self.runs = 0
        module = sys.modules["actor_observer.features.feature_cache"]
        original = module.extract

        def counting(backbone, takes, *others):
            for made in original(backbone, takes, *others):
                self.runs += 1
                yield made

        monkeypatch.setattr(module, "extract", counting)

    def ask(self, take: Take, look: Look = LOOK, name: str = "resnet18") -> np.ndarray:
        found, faults = self.cache.features(name, self.backbone, [take], look)
        assert not faults
        return found[take.id].features


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(tmp_path, monkeypatch)


def test_the_second_time_nothing_runs(tmp_path: Path, counted: Counted) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    first = counted.ask(take)
    np.testing.assert_array_equal(counted.ask(take), first)
    assert counted.runs == 1


def test_a_recording_is_known_wherever_it_lies(tmp_path: Path, counted: Counted) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    counted.ask(take)
    moved = tmp_path / "elsewhere" / "b.mp4"
    moved.parent.mkdir()
    shutil.move(take.path, moved)
    counted.ask(Take("b", "third", moved, 2.0))
    assert counted.runs == 1


@pytest.mark.parametrize("change", ["content", "weights", "look_rate", "size", "crop", "length", "name"])
def test_any_change_makes_it_run_again(tmp_path: Path, counted: Counted, change: str) -> None:
    take, look, name = Take("a", "third", write_video(tmp_path / "a.mp4", frames=24), 2.0), LOOK, "resnet18"
    counted.ask(take)
    if change == "content":
        write_video(take.path, frames=25)
    elif change == "weights":
        with torch.no_grad():
            counted.backbone.conv1.weight[0, 0, 0, 0] += 0.1
    elif change == "length":
        take = replace(take, length=1.5)
    elif change == "name":
        name = "another"
    else:
        look = replace(
            LOOK, **{"look_rate": {"look_rate": 3.0}, "size": {"size": 40}, "crop": {"crop": "centre"}}[change]
        )
    counted.ask(take, look, name)
    assert counted.runs == 2


def test_a_damaged_entry_is_made_anew_and_said_once(
    tmp_path: Path, counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    first = counted.ask(take)
    (entry,) = counted.cache.folder.iterdir()
    whole = entry.read_bytes()
    zeroed = whole[:-4096] + bytes(4096)  # a page that was never written: finite numbers, of the right shape
    for runs, content in enumerate((zeroed, whole[: len(whole) // 2], b"", b"x" * 99), start=2):
        entry.write_bytes(content)
        np.testing.assert_array_equal(counted.ask(take), first)
        counted.ask(take)
        assert counted.runs == runs
    (said,) = capsys.readouterr().err.splitlines()
    assert str(entry) in said and "made again" in said


def test_two_may_write_the_same_entry_at_once(tmp_path: Path, counted: Counted) -> None:
    takes = [Take(str(n), "third", write_video(tmp_path / f"{n}.mp4", frames=20 + n), 2.0) for n in range(3)]
    ask = lambda _: counted.cache.features("resnet18", counted.backbone, takes, LOOK)  # noqa: E731
    with ThreadPoolExecutor(3) as pool:
        answers = [found for found, _ in pool.map(ask, range(3))]
    for id in "012":
        np.testing.assert_array_equal(answers[0][id].features, answers[1][id].features)
    assert len(list(counted.cache.folder.iterdir())) == 3  # and no half file is left


def test_frames_in_a_folder_count_by_their_contents(tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "a", frames=3)
    before = content_hash(folder)
    shutil.copytree(folder, tmp_path / "b" / "a")
    assert content_hash(tmp_path / "b" / "a") == before
    frame = folder / "a-000002.jpg"
    content = bytearray(frame.read_bytes())
    content[-3] ^= 1  # the same size
    frame.write_bytes(bytes(content))
    assert content_hash(folder) != before


def test_large_files_count_by_size_and_three_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["actor_observer.features.on_disk.fingerprints"]
    monkeypatch.setattr(module, "WHOLE", 100)
    monkeypatch.setattr(module, "PIECE", 10)
    path = tmp_path / "large"
    path.write_bytes(bytes(200))
    before = content_hash(path)
    for place in (0, 100, 199):
        path.write_bytes(bytes(place) + b"x" + bytes(199 - place))
        assert content_hash(path) != before
    path.write_bytes(bytes(201))
    assert content_hash(path) != before


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, counted: Counted) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    (tmp_path / "file").touch()
    counted.cache.folder = tmp_path / "file" / "cache"
    with pytest.raises(UserError, match="features cannot be kept there"):
        counted.ask(take)


def test_a_files_name_is_that_of_earlier_versions(tmp_path: Path, counted: Counted) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    counted.ask(take)
    key = {"format": 1, "backbone": "resnet18", "weights": weights_hash(counted.backbone), "precision": "float32"}
    key |= {"rate": 2.0, "size": 32, "crop": "whole", "content": content_hash(take.path), "length": 2.0}
    text = json.dumps({**key, "frame_rate": None}, sort_keys=True)
    name = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    assert [file.stem for file in counted.cache.folder.iterdir()] == [name]


def test_what_was_made_elsewhere_is_found_again(tmp_path: Path, counted: Counted) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    made = TakeEmbedding("third", np.arange(4.0), np.ones((4, 512), dtype=np.float32))
    counted.cache.keep("resnet18", counted.backbone, [take], LOOK, "cpu", {"a": made})
    np.testing.assert_array_equal(counted.ask(take), made.features)
    assert counted.runs == 0
