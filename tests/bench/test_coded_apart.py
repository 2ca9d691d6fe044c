"""Recordings written anew: the same pictures, less the first ones, with keyframes elsewhere."""

from pathlib import Path

import numpy as np
import pytest

from actor_observer.features.see import open_take
from actor_observer.frames.at import frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.writing.write_mp4 import VideoWriter
from coded_apart import coded_apart
from tiny import number_of, write_video


@pytest.mark.parametrize("seed", [0, 1])
def test_what_it_says_was_left_out_was_left_out(seed: int, tmp_path: Path) -> None:
    take = open_take(write_video(tmp_path / "a.mp4", 96, 12, gop=12), "first", None)
    written, skipped = coded_apart(take, tmp_path / "anew", np.random.default_rng(seed))
    assert (written.id, written.view) == (take.id, "first") and 0.2 <= skipped <= 3.1
    for time in (0.0, 2.0, 4.5):
        shown = number_of(frames_at(written.path, [time + 0.01], size=48)[0])
        assert shown == round((time + skipped) * 12)


def test_two_files_of_one_command_have_no_keyframes_together_any_more(tmp_path: Path) -> None:
    rng, keys = np.random.default_rng(0), []
    for name in "ab":
        path = tmp_path / f"{name}.mp4"
        with VideoWriter(path, fps=12, gop=12) as writer:
            for _ in range(400):
                writer.add(np.full((16, 16, 3), 90, np.uint8))
        written, skipped = coded_apart(open_take(path, "third", None), tmp_path / "anew", rng)
        index = index_video(written.path)
        times = index.times[np.searchsorted(index.pts, index.key_pts)] + skipped
        keys.append({round(float(time) * 12) for time in times})
    assert not keys[0] & keys[1]
