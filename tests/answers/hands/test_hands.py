"""Hands: what the detector is given, what is counted, and that no other file is taken for the model."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.answers.hands import palm_model
from actor_observer.answers.hands.detector import PalmDetector, letterbox
from actor_observer.answers.hands.statistic import hand_shares, hands_in, weighed
from actor_observer.errors import UserError
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import Take
from tiny import number_of, write_video


def even(frames) -> np.ndarray:
    """A detector that finds a hand in every frame of an even number."""
    return np.array([0.9 if number_of(frame) % 2 == 0 else 0.1 for frame in frames])


def test_the_shares_are_those_of_the_frames_of_highest_and_lowest_weight(tmp_path: Path) -> None:
    takes, seen = {}, {}
    for id in ("a", "b"):
        path = write_video(tmp_path / f"{id}.mp4", frames=40, fps=4)
        takes[id] = Take(id, "first", path, 10.0)
        times = (np.arange(40) + 0.5) / 4
        weight = np.where(np.arange(40) % 2 == 0, 1.5, 0.5) + np.arange(40) / 1000
        seen[id] = TakeEmbedding("first", times, np.zeros((40, 2)), weight=weight)
    takes["c"] = Take("c", "third", takes["a"].path, 10.0)  # another view
    found = hand_shares(weighed(takes, Embeddings(seen)), even)
    assert (found.highest.value, found.lowest.value, found.videos, found.frames) == (1.0, 0.0, 2, 8)
    assert found.every.value == pytest.approx(0.5)
    assert hand_shares(weighed({}, Embeddings({})), even) is None


def test_anybodys_videos_are_weighed_by_a_model(model: Path, videos: list[Path]) -> None:
    found = hands_in(videos[:2], even, model=model, look_rate=2.0, device="cpu")
    assert found.videos == 2 and 0 <= found.lowest.value <= 1
    assert set(found.to_dict()) == {"highest", "lowest", "every", "frames", "videos"}


def test_a_frame_keeps_its_shape_in_the_square() -> None:
    tall = letterbox(torch.full((3, 96, 48), 255, dtype=torch.uint8))
    assert tall[:, :, :47].max() == 0 and tall[:, :, 49:143].min() == 1 and tall[:, :, 145:].max() == 0


def test_another_wheel_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "mediapipe.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(palm_model.MEMBER, b"not the model")
    with pytest.raises(UserError, match="another file than"):
        palm_model.unpack(wheel)
    monkeypatch.setattr(palm_model, "WHEEL", palm_model.sha256(wheel.read_bytes()))
    with pytest.raises(UserError, match="another hash"):
        palm_model.unpack(wheel)


def test_without_the_extra_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ai_edge_litert.interpreter", None)
    with pytest.raises(UserError, match=r"pip install '\.\[hands\]'"):
        PalmDetector()
