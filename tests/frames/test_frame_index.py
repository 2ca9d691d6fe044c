"""Indexes of videos are remembered up to a bound, so that memory does not grow with the number of videos."""

from pathlib import Path

import numpy as np
import pytest

from actor_observer.frames.frame_index import Remembered, VideoIndex, forget_indexes, index_video
from tiny import write_video


def of_frames(count: int) -> VideoIndex:
    numbers = np.arange(count)
    return VideoIndex(numbers, numbers / 8, numbers, numbers[:1], numbers[:1], numbers[:1], 1e-6, count / 8, True)


def key(number: int) -> tuple[Path, int, int]:
    return Path(f"{number}.mp4"), 0, 1


def test_neither_many_videos_nor_long_ones_are_kept_beyond_the_bound() -> None:
    kept = Remembered(most_videos=50, most_frames=1000)
    for number in range(300):
        kept.add(key(number), of_frames(8))
        assert len(kept) <= 50
    assert len(kept) == 50 and kept.get(key(299)) is not None and kept.get(key(200)) is None
    for number in range(300, 400):
        kept.add(key(number), of_frames(90))
        assert kept.frames <= 1000
    assert len(kept) == 11
    kept.add(key(400), of_frames(5000))  # longer than all that may be kept: it is needed now
    assert len(kept) == 1 and kept.get(key(400)) is not None
    kept.clear()
    assert len(kept) == kept.frames == 0


def test_what_is_used_again_stays() -> None:
    kept = Remembered(most_videos=3, most_frames=1000)
    for number in range(9):
        kept.add(key(number), of_frames(8))
        assert kept.get(key(0)) is not None
    assert [kept.get(key(number)) is not None for number in (0, 6, 7, 8)] == [True, False, True, True]


def test_a_file_is_indexed_once_until_it_changes(tmp_path: Path) -> None:
    video = write_video(tmp_path / "a.mp4", frames=8, fps=4)
    first = index_video(video)
    assert index_video(video) is first
    write_video(video, frames=12, fps=4)
    assert len(index_video(video).pts) == 12
    again = index_video(video)
    forget_indexes()
    assert index_video(video) is not again


@pytest.mark.parametrize("options", [{"bf": "0"}, {"bf": "3"}, {"x264-params": "open-gop=1:keyint=10:bframes=2"}])
def test_a_part_of_an_index_says_of_its_frames_what_the_whole_says(tmp_path: Path, options: dict[str, str]) -> None:
    """Which frame is on screen, and from where it is decoded; and no more than that is handed over."""
    whole = index_video(write_video(tmp_path / "a.mp4", frames=60, fps=8, gop=10, options=options))
    for first, after in ((0, 60), (0, 7), (13, 14), (19, 41), (58, 60)):
        part, times = whole.part(first, after), np.linspace(whole.times[first], whole.times[after - 1], 50)
        its, ours = whole.on_screen(times), part.on_screen(times)
        np.testing.assert_array_equal(part.pts[ours], whole.pts[its])
        np.testing.assert_array_equal(part.place[ours], whole.place[its])
        key, own = whole.keyframe_of(its), part.keyframe_of(ours)
        np.testing.assert_array_equal(part.keyframes[own], whole.keyframes[key])
        np.testing.assert_array_equal(part.key_dts[own], whole.key_dts[key])
        assert len(part.pts) == after - first and len(part.keyframes) == key[-1] - key[0] + 1
        assert (ours + part.before == its).all()
        around = whole.around(times[[-1, 0]])  # in any order
        np.testing.assert_array_equal(around.pts, part.pts)
