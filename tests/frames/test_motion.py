"""What moves is measured where and when it moves, whatever form a video has."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.features.see import open_take
from actor_observer.frames.motion import Motion, Picture, motion_of_frames, motion_of_take
from actor_observer.frames.moving.flow import CELLS, FINE, FINE_COLUMNS, FINE_ROWS, GRID, WHOLE
from actor_observer.pairs.manifest import Take
from tiny import write_video
from two_cameras import event_times, random_event, third_frames, write_frames

WIDE = 192


def texture(height: int = 144, width: int = 400, seed: int = 0) -> NDArray[np.uint8]:
    noise = cv2.GaussianBlur(np.random.default_rng(seed).normal(size=(height, width)), (0, 0), 2.5)
    return (128 + 40 * noise / noise.std()).clip(0, 255).astype(np.uint8)


def shifted(shifts: Sequence[int], fps: float = 10.0, keys: Sequence[int] = ()) -> list[Picture]:
    """A wall that moves to the right by so many pixels."""
    wall = texture()
    return [
        Picture(n / fps, np.ascontiguousarray(wall[:, 100 - shift : 100 - shift + WIDE]), key=n in keys)
        for n, shift in enumerate(shifts)
    ]


def panned(step: int, fps: float = 10.0) -> Motion:
    return motion_of_frames(shifted([step * n for n in range(6)], fps), 6 / fps)


@pytest.mark.parametrize("step", [-4, -1, 2, 5])
def test_a_known_shift_gives_the_flow_of_the_camera(step: int) -> None:
    moved = panned(step)
    assert np.allclose(moved.of("camera"), abs(step) * 10 / WIDE, rtol=0.15)  # widths a second
    right = moved.cells[:, CELLS.index("right")].astype(float)  # (T, 24)
    assert np.allclose(np.median(right, axis=1), step * 10 / WIDE, rtol=0.15)
    assert np.abs(np.median(moved.cells[:, CELLS.index("down")].astype(float))) < 0.01
    assert moved.of("residual").max() < 0.3 * moved.of("camera").min()  # nothing moves but the camera


def test_flow_is_by_the_second_whatever_the_frame_rate() -> None:
    slow, fast = panned(2, fps=10.0), panned(1, fps=20.0)
    assert slow.of("camera").mean() == pytest.approx(fast.of("camera").mean(), rel=0.15)


def test_something_small_moves_in_its_own_cell_and_stands_out_in_the_peak() -> None:
    wall, body = texture(seed=1)[:, :WIDE], texture(seed=2)
    pictures = []
    for n in range(5):
        frame = wall.copy()
        frame[10:30, 140 + 2 * n : 160 + 2 * n] = body[:20, :20]
        pictures.append(Picture(n / 10, frame))
    moved = motion_of_frames(pictures, 0.5)
    difference = moved.cells[:, CELLS.index("difference")].astype(float).mean(axis=0).reshape(6, 8)
    assert np.unravel_index(difference.argmax(), difference.shape) in ((0, 5), (0, 6))
    assert difference[3:, :4].max() == 0
    fine = moved.fine[:, CELLS.index("difference")].astype(float).mean(axis=0).reshape(FINE_ROWS, FINE_COLUMNS)
    assert np.unravel_index(fine.argmax(), fine.shape) in ((1, 11), (1, 12), (1, 13))
    assert fine.max() > 1.5 * difference.max()  # the smaller the cell, the less is still in it
    assert (moved.of("difference_peak") > 3 * moved.of("difference")).all()


def test_a_turning_camera_is_affine_motion_but_a_body_is_not() -> None:
    wall = texture(400, 400)
    turn = [cv2.warpAffine(wall, cv2.getRotationMatrix2D((200, 200), 1.5 * n, 1.0), (400, 400)) for n in range(4)]
    moved = motion_of_frames([Picture(n / 10, one[128:272, 104:296].copy()) for n, one in enumerate(turn)], 0.4)
    assert (moved.of("affine") < 0.5 * moved.of("residual")).all()


def test_a_still_video_is_known_to_be_still(tmp_path: Path) -> None:
    event = random_event(4)
    frames = third_frames(event, np.full(40, 1.0))
    noisy = motion_of_take(open_take(write_frames(tmp_path / "noisy.mp4", frames, 10), "third", None))
    assert noisy.still and noisy.of("residual").max() < 0.01
    frames[:] = frames[:1]
    assert motion_of_take(open_take(write_frames(tmp_path / "still.mp4", frames, 10), "third", None)).still
    moving = third_frames(event, event_times(4, 10))
    assert not motion_of_take(open_take(write_frames(tmp_path / "moving.mp4", moving, 10), "third", None)).still


JUMP = (0, 1, 2, 9, 10, 11, 12, 13, 14, 15)  # frame 3 jumps


def test_a_keyframe_gets_the_mean_of_its_neighbours() -> None:
    mended, broken = (motion_of_frames(shifted(JUMP, keys=keys), 1.0) for keys in ((3,), ()))
    for signals in (mended.whole, mended.cells.reshape(9, -1).astype(float)):
        assert np.allclose(signals[2], (signals[1] + signals[3]) / 2, rtol=0.01, atol=1e-3)
    assert broken.of("camera")[2] > 3 * mended.of("camera")[2]


def test_where_every_frame_is_a_keyframe_nothing_is_mended() -> None:
    plain, keyed = (motion_of_frames(shifted(JUMP, keys=keys), 1.0) for keys in ((), range(10)))
    assert np.array_equal(plain.whole, keyed.whole)


def test_a_telephone_held_upright_is_turned_before_its_motion_is_measured(tmp_path: Path) -> None:
    frames = third_frames(random_event(3), event_times(3, 12))
    paths = write_frames(tmp_path / "flat.mp4", frames, 12), write_frames(tmp_path / "up.mp4", frames, 12, rotation=90)
    flat, upright = (motion_of_take(open_take(path, "third", None)) for path in paths)
    for name in ("difference", "right", "down"):
        both = [moved.cells[:, CELLS.index(name)].astype(float).ravel() for moved in (flat, upright)]
        assert np.corrcoef(both)[0, 1] > 0.9, name


def test_a_variable_frame_rate_keeps_its_own_times(tmp_path: Path) -> None:
    stamps = [0, 40, 80, 200, 240, 500, 540, 580]
    path = write_video(tmp_path / "variable.mp4", len(stamps), 25, stamps=stamps)
    moved = motion_of_take(open_take(path, "third", None))
    seconds = np.array(stamps) / 1000
    assert np.allclose(moved.times, (seconds[1:] + seconds[:-1]) / 2, atol=0.002)


@pytest.mark.parametrize(("fps", "used"), [(25, 25.0), (30, 30.0), (50, 25.0), (60, 30.0), (120, 30.0)])
def test_fast_videos_are_thinned_to_thirty_a_second_or_less(tmp_path: Path, fps: int, used: float) -> None:
    moved = motion_of_take(open_take(write_video(tmp_path / "fast.mp4", fps, fps), "third", None))
    assert moved.per_second == pytest.approx(used, rel=0.01)
    assert moved.times[-1] == pytest.approx(1.0, abs=0.08)
    assert moved.whole.shape == (len(moved.times), len(WHOLE))
    assert moved.cells.shape == (len(moved.times), len(CELLS), GRID)
    assert moved.fine.shape == (len(moved.fine_times), len(CELLS), FINE)


def test_a_folder_of_frames_moves_as_its_video_does(tmp_path: Path) -> None:
    frames = third_frames(random_event(3), event_times(3, 12))
    folder = tmp_path / "take"
    folder.mkdir()
    for number, frame in enumerate(frames, 1):
        cv2.imwrite(str(folder / f"take-{number:06d}.jpg"), frame, [cv2.IMWRITE_JPEG_QUALITY, 95])
    path = write_frames(tmp_path / "take.mp4", frames, 12)
    apart, whole = motion_of_take(open_take(folder, "third", 12.0)), motion_of_take(open_take(path, "third", None))
    assert np.allclose(apart.times, whole.times, atol=0.002)
    assert np.corrcoef(apart.of("difference"), whole.of("difference"))[0, 1] > 0.95


def test_one_frame_is_no_motion(tmp_path: Path) -> None:
    path = write_video(tmp_path / "one.mp4", 1, 12)
    with pytest.raises(TakeError, match="fewer than two frames"):
        motion_of_take(Take("one", "third", path, 0.1))
    assert len(motion_of_frames([], 0.0).times) == 0
