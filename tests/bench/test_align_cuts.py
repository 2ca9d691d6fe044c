"""The bench's own rivals find made-up bursts, its clips begin where it says, and its figures count as they should."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from actor_observer.alignment.recordings.lags import lag_grid
from actor_observer.alignment.result import Alignment
from actor_observer.frames.frame_index import index_video
from align_cuts import SHIPPED, Judged, auc, right_of, share
from align_methods import fused, middles, plain, sums_over_root
from clips import GOPS, write_clip
from made_motion import made_motion, recording_of
from tiny import write_video


def test_the_rivals_of_align_find_made_up_bursts() -> None:
    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=6.0, salt=2)
    both = recording_of(third, "third"), recording_of(first, "first")
    for method in (plain, fused):
        assert method(*both) == pytest.approx(6.0 + 15.0, abs=0.1), method
    assert middles(*both) == 20.0


def test_sums_are_those_of_every_lag() -> None:
    rng = np.random.default_rng(0)
    third, first = rng.normal(size=30), rng.normal(size=20)
    lags = lag_grid(30.0, 20.0, 1.0)
    for offset, found in zip(lags.offsets.astype(int), sums_over_root(third, first, lags), strict=True):
        pairs = [(third[i + offset], first[i]) for i in range(20) if 0 <= i + offset < 30]
        assert found == pytest.approx(sum(a * b for a, b in pairs) / np.sqrt(len(pairs)))


def test_a_clip_begins_at_the_frame_that_it_says_and_has_its_own_keyframes(tmp_path: Path) -> None:
    source = write_video(tmp_path / "whole.mp4", 120, 12)
    began = write_clip(source, 2.3, 7.1, tmp_path / "clip.mp4", GOPS["third"])
    assert began == pytest.approx(28 / 12)  # the first frame at or after 2.3 s
    index = index_video(tmp_path / "clip.mp4")
    assert len(index.times) == 86 - 28 and index.times[0] == 0
    assert np.allclose(np.diff(index.times), 1 / 12, atol=0.002)


def test_a_tie_counts_half() -> None:
    assert auc(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.ones(2)) == 0.5
    assert auc(np.array([1.0, 9.0]), np.array([0.0, 5.0]), np.array([0.0, 2.0])) == 1.0


def test_all_right_is_no_certainty_and_right_counts_only_what_was_called_in_step() -> None:
    said = [SimpleNamespace(verdict=verdict) for verdict in ("in step", "in step", "cannot tell", "in step")]
    errors = np.array([0.1, 0.2, 0.3, 4.0])
    judged = Judged("few", np.array([0, 0, 1, 1]), {SHIPPED: errors}, cast(list[Alignment], said), [])
    assert share(judged, errors < 9).low < 0.5 and share(judged, errors <= 1).value == 0.75
    assert right_of(judged) == "2 of 3"
