"""Two videos of one scene are put in step, whatever they are given as; the answer can be read back."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import actor_observer as ao
from actor_observer.alignment.align import most_moved
from actor_observer.alignment.result import Alignment, Point
from actor_observer.alignment.two_performances import align_takes
from actor_observer.errors import UserError
from actor_observer.features import TakeEmbedding
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import CELLS, GRID, WHOLE
from actor_observer.model import ActorObserverNet
from actor_observer.pairs import read_manifest
from made_motion import recording_of
from same_scene import plain_network, scene_frames, write_scene

OFFSET = 3.0  # seconds of the third-person video before the first-person one begins


@pytest.fixture(scope="module")
def network() -> ActorObserverNet:
    return plain_network()


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("scene")
    third = write_scene(folder / "room.mp4", 20, fps=8)
    return third, write_scene(folder / "head.mp4", 14, fps=12, start=OFFSET, tint=0.3)


@pytest.fixture(scope="module")
def found(network: ActorObserverNet, videos: tuple[Path, Path]) -> Alignment:
    return ao.align(*videos, model=network)


def test_videos_of_different_frame_rates_are_put_in_step(found: Alignment) -> None:
    assert abs(found.offset - OFFSET) < 0.3
    assert abs(found.rate - 1) < 0.03
    assert abs(found.best.third - found.best.first - OFFSET) < 0.4
    path = np.array([(point.third, point.first) for point in found.path])
    assert (np.diff(path, axis=0) >= 0).all()
    at = np.linspace(1, 13, 7)
    assert np.abs(found.clock.to_third(at) - at - OFFSET).max() < 0.5
    assert all(0 <= point.confidence <= 1 for point in found.path)


def test_pixels_give_what_files_give(network: ActorObserverNet, found: Alignment) -> None:
    third, first = scene_frames(20, 8), scene_frames(14, 12, start=OFFSET, tint=0.3)
    pixels = ao.align(third, torch.from_numpy(first).permute(0, 3, 1, 2), model=network, fps=(8, 12))
    assert abs(pixels.offset - found.offset) < 0.2
    assert pixels.third == ""
    with pytest.raises(UserError, match="pixels have no file"):
        pixels.write_csv("anchors.csv")
    with pytest.raises(ValueError, match="say how many frames a second"):
        ao.align(third, first, model=network)


def test_a_telephone_held_upright(network: ActorObserverNet, tmp_path: Path) -> None:
    lying = write_scene(tmp_path / "upright.mp4", 14, fps=12, start=OFFSET, rotation=90)
    flat = write_scene(tmp_path / "room.mp4", 20, fps=8)
    assert abs(ao.align(flat, lying, model=network).offset - OFFSET) < 0.3
    seen = ao.see(network, lying, "first", look_rate=2)
    straight = ao.see(network, scene_frames(14, 12, start=OFFSET), "first", look_rate=2, fps=12)
    assert np.median(np.linalg.norm(seen.features - straight.features, axis=1)) < 0.7  # unit length; strangers: 1.4


def test_the_answer_is_written_and_read_back(found: Alignment, tmp_path: Path) -> None:
    found.write(tmp_path / "new" / "folder")
    data = json.loads((tmp_path / "new" / "folder" / "alignment.json").read_text())
    assert data["offset"] == round(found.offset, 4)
    assert len(data["path"]) == len(found.path)
    assert data["verdict"] == found.verdict == "in step"
    assert data["candidates"][0]["offset"] == pytest.approx(found.offset, abs=0.01)
    manifest = read_manifest(tmp_path / "new" / "folder" / "anchors.csv")
    (pair,) = manifest.pairs
    assert pair.clock == found.clock
    assert pair.clock.to_third(5.0) == found.clock.to_third(5.0)
    assert manifest.takes[pair.third].path.resolve() == Path(found.third).resolve()


def test_very_short_videos_are_aligned_too(network: ActorObserverNet) -> None:
    short = ao.align(scene_frames(0.5, 8), scene_frames(0.4, 8), model=network, fps=8)
    assert len(short.path) >= 1
    assert np.isfinite([short.offset, short.rate]).all()
    assert short.confidence == 0 and short.verdict == "cannot tell" and "too short" in short.warnings[-1]


def test_videos_in_which_nothing_happens_say_nothing(network: ActorObserverNet) -> None:
    black, grey = np.zeros((120, 48, 64, 3), dtype=np.uint8), np.full((90, 48, 64, 3), 128, dtype=np.uint8)
    found = ao.align(black, grey, model=network, fps=8)
    assert found.confidence == 0 and found.verdict == "cannot tell"
    assert "nothing moves in them" in str(found)
    assert repr(found).startswith("<Alignment of ") and len(repr(found)) < 200
    assert abs(found.rate - 1) < 1e-6


def test_a_clock_stays_within_the_recording_and_ends_where_one_of_the_two_does() -> None:
    rng = np.random.default_rng(1)
    walk = rng.normal(size=(240, 8)).cumsum(axis=0)
    third = TakeEmbedding("third", (np.arange(120) + 0.5) / 6, walk[60:180])
    first = TakeEmbedding("first", (np.arange(240) + 0.5) / 6, walk)  # begins 10 s earlier and ends 10 s later
    found = align_takes(third, first)
    assert all(anchor[0] >= 0 for anchor in found.clock.anchors)
    assert abs(found.path[0].first - 10) < 1.5 and abs(found.path[-1].first - 30) < 1.5


def moving(*bursts: float) -> Motion:
    """Twenty seconds in which much moves for a second around each of these times."""
    times = (np.arange(200) + 0.5) / 10
    whole = np.random.default_rng(len(bursts)).random((200, len(WHOLE))).astype(np.float32)
    for burst in bursts:
        whole[np.abs(times - burst) < 0.5] += 50
    return Motion(times, whole, np.zeros((200, len(CELLS), GRID), np.float16), 20.0)


def test_where_likeness_means_nothing_the_best_moment_is_one_in_which_both_pictures_move() -> None:
    third, first = recording_of(moving(4, 9, 15), "third"), recording_of(moving(2, 7), "first")
    points = tuple(Point(time + 2.0, time, 0.9) for time in np.arange(0.0, 18.0, 0.5))  # two seconds between the two
    assert most_moved(third, first, points).first in (2.0, 7.0)
