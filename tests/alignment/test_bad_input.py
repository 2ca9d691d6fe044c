"""Recordings that mislead: `align` finds the offset all the same or says that it cannot tell; never surely wrong."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import actor_observer as ao
from actor_observer.alignment.result import Alignment
from actor_observer.model import ActorObserverNet
from same_scene import plain_network
from two_cameras import RATE, Event, event_times, first_frames, random_event, third_frames, write_frames

FPS = 15
THIRD, FIRST, OFFSET = 24.0, 16.0, 4.3  # seconds of both recordings, and between their starts


@pytest.fixture(scope="module")
def network() -> ActorObserverNet:
    return plain_network()


@pytest.fixture(scope="module")
def event() -> Event:
    return random_event(THIRD, seed=1)


@pytest.fixture(scope="module")
def pictures(event: Event) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    return (
        third_frames(event, event_times(THIRD, FPS)),
        first_frames(event, event_times(FIRST, FPS, OFFSET)),
    )


@pytest.fixture
def aligned(network: ActorObserverNet, pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]], tmp_path: Path):
    """Both pictures as files with these sounds, put in step."""

    def align(third: NDArray[np.float32] | None, first: NDArray[np.float32] | None) -> Alignment:
        room = write_frames(tmp_path / "room.mp4", pictures[0], FPS, sound=third)
        head = write_frames(tmp_path / "head.mp4", pictures[1], FPS, sound=first, gop=33)
        return ao.align(room, head, model=network, look_rate=2)

    return align


def looped(start: float, seconds: float, salt: int) -> NDArray[np.float32]:
    """Music of two seconds over and over."""
    rng = np.random.default_rng(3)
    time = np.arange(2 * RATE) / RATE
    notes = [np.sin(2 * np.pi * pitch * time) * (time >= at) * np.exp(-6 * np.maximum(time - at, 0))
             for pitch, at in zip(rng.uniform(200, 1500, 9), rng.uniform(0, 1.9, 9), strict=True)]  # fmt: skip
    loop = 0.1 * np.sum(notes, axis=0)
    at = (round(start * RATE) + np.arange(round(seconds * RATE))) % len(loop)
    return (loop[at] + 0.003 * np.random.default_rng(salt).normal(size=len(at))).astype(np.float32)


def right(found: Alignment, offset: float = OFFSET, within: float = 0.1) -> bool:
    return abs(found.offset + (found.rate - 1) * found.lengths[1] / 2 - offset) < within


def test_sound_decides_to_the_hundredth_of_a_second(aligned, event: Event) -> None:
    found = aligned(event.knocks(0, THIRD, 1), event.knocks(OFFSET, FIRST, 2))
    assert right(found, within=0.02) and found.verdict == "in step"
    assert found.kinds["sound"] > 3


def test_no_sound_in_one_of_them(aligned, event: Event) -> None:
    found = aligned(event.knocks(0, THIRD, 1), None)
    assert right(found) and found.verdict != "unrelated" and "sound" not in found.kinds


def test_silence(aligned, event: Event) -> None:
    found = aligned(event.knocks(0, THIRD, 1), np.zeros(round(FIRST * RATE), np.float32))
    assert right(found) and found.verdict != "unrelated" and "sound" not in found.kinds


def test_looped_music_leaves_it_to_motion_which_turn_of_the_loop_it_is(aligned) -> None:
    found = aligned(looped(0, THIRD, 1), looped(OFFSET, FIRST, 2))
    assert right(found)


def test_looped_music_from_elsewhere_does_not_make_it_surely_wrong(aligned) -> None:
    found = aligned(looped(0, THIRD, 1), looped(OFFSET + 0.9, FIRST, 2))  # put under the film afterwards
    assert right(found) or found.verdict != "in step"


def test_sound_out_of_step_with_its_own_pictures_is_not_called_sure(aligned, event: Event) -> None:
    found = aligned(event.knocks(0, THIRD, 1), event.knocks(OFFSET + 2.5, FIRST, 2))
    assert found.verdict == "cannot tell"
    assert "sound and pictures" in found.warnings[0]


def test_a_still_scene_says_nothing(network: ActorObserverNet, tmp_path: Path) -> None:
    event = random_event(10, seed=2)
    still = third_frames(event, np.zeros(10 * FPS))
    still[:] = still[:1]
    room = write_frames(tmp_path / "room.mp4", still, FPS)
    head = write_frames(tmp_path / "head.mp4", first_frames(event, event_times(10, FPS)), FPS)
    found = ao.align(room, head, model=network, look_rate=2)
    assert found.verdict == "cannot tell" and np.isfinite(found.offset) and found.offset_error is None
    both = write_frames(tmp_path / "both.mp4", np.ascontiguousarray(still[: 8 * FPS, :, ::-1]), FPS)
    assert ao.align(room, both, model=network, look_rate=2).verdict == "cannot tell"


def screen(event: Event, times: NDArray[np.float64], seed: int) -> NDArray[np.uint8]:
    """A screen recording: pages that stay until the next one comes, all at once."""
    pages = np.random.default_rng(seed).integers(0, 255, (len(event.starts) + 1, 9, 12), dtype=np.uint8)
    return pages[np.searchsorted(event.starts, times)].repeat(8, axis=1).repeat(8, axis=2)


def test_a_screen_recording(network: ActorObserverNet, tmp_path: Path) -> None:
    event, other = random_event(24, seed=4, pause=1.5), random_event(24, seed=5)
    recorded = write_frames(tmp_path / "screen.mp4", screen(event, event_times(24, FPS), 1), FPS)
    watched = write_frames(tmp_path / "watched.mp4", screen(event, event_times(14, 10, 6.2), 2), 10)
    found = ao.align(recorded, watched, model=network, look_rate=2)
    assert right(found, 6.2) and found.verdict != "unrelated"  # pages that change at the same times
    head = write_frames(tmp_path / "head.mp4", first_frames(other, event_times(14, FPS)), FPS)
    assert ao.align(recorded, head, model=network, look_rate=2).verdict != "in step"


def test_a_variable_frame_rate(network: ActorObserverNet, tmp_path: Path) -> None:
    event = random_event(34, seed=2)
    steps = np.random.default_rng(0).choice([1 / 30, 1 / 15, 2 / 15], 400)
    stamps = np.concatenate([[0.0], np.cumsum(steps)])
    stamps = stamps[stamps < 24]
    room = write_frames(tmp_path / "room.mp4", third_frames(event, event_times(34, FPS)), FPS)
    head = write_frames(tmp_path / "head.mp4", first_frames(event, OFFSET + stamps), 30, stamps=stamps.tolist())
    found = ao.align(room, head, model=network, look_rate=2)
    assert right(found) and found.verdict != "unrelated"


def test_ten_frames_a_second_against_sixty(network: ActorObserverNet, tmp_path: Path) -> None:
    event = random_event(24, seed=2)
    room = write_frames(tmp_path / "room.mp4", third_frames(event, event_times(24, 10)), 10)
    head = write_frames(tmp_path / "head.mp4", first_frames(event, event_times(14, 60, 3.217)), 60, gop=250)
    found = ao.align(room, head, model=network, look_rate=2)
    assert right(found, 3.217, within=0.08) and found.verdict != "unrelated"


def test_minutes_against_seconds(network: ActorObserverNet, tmp_path: Path) -> None:
    event = random_event(180, seed=6)
    room = write_frames(tmp_path / "room.mp4", third_frames(event, event_times(180, 8), size=(32, 24)), 8)
    head = write_frames(tmp_path / "head.mp4", first_frames(event, event_times(20, FPS, 131.7)), FPS)
    found = ao.align(room, head, model=network, look_rate=1)
    assert right(found, 131.7) or found.verdict != "in step"
    assert any(abs(one.offset - 131.7) < 0.1 for one in found.candidates)


def test_identical_halves_give_both_offsets(network: ActorObserverNet, tmp_path: Path) -> None:
    event = random_event(12, seed=7)
    half = third_frames(event, event_times(12, FPS))
    room = write_frames(tmp_path / "room.mp4", np.concatenate([half, half]), FPS)
    head = write_frames(tmp_path / "head.mp4", first_frames(event, event_times(10, FPS, 1.0)), FPS)
    found = ao.align(room, head, model=network, look_rate=2)
    assert found.verdict == "cannot tell"
    offsets = sorted(one.offset for one in found.candidates[:2])
    assert np.allclose(offsets, [1.0, 13.0], atol=0.1)
    assert min(one.share for one in found.candidates[:2]) > 0.1
    told = str(found)
    assert "cannot tell" in told and "or else" in told


def test_too_short_to_tell(network: ActorObserverNet, event: Event, tmp_path: Path) -> None:
    room = write_frames(tmp_path / "room.mp4", third_frames(event, event_times(3, FPS)), FPS)
    head = write_frames(tmp_path / "head.mp4", first_frames(event, event_times(2.5, FPS)), FPS)
    found = ao.align(room, head, model=network, look_rate=6)
    assert found.verdict == "cannot tell" and found.confidence == 0
    assert "too short" in found.warnings[-1]
