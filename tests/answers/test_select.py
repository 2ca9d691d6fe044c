"""The frames with the most weight, apart from each other, at full size."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from actor_observer import select
from actor_observer.answers.select import spread_out
from actor_observer.errors import UserError
from actor_observer.features.see import see
from actor_observer.frames import frames_at
from actor_observer.model import ActorObserverNet
from asked import small_network
from tiny import number_of


def test_chosen_frames_have_the_most_weight_and_are_apart(network: ActorObserverNet, videos: list[Path]) -> None:
    chosen = select(videos[2], "first", top=4, apart=1.5, model=network, look_rate=4.0)
    weight = see(network, videos[2], "first", look_rate=4.0).weight
    assert weight is not None
    np.testing.assert_allclose(chosen.weight, weight)
    assert chosen.weight.mean() == pytest.approx(1, rel=1e-5)
    assert chosen.frames[0].weight == pytest.approx(chosen.weight.max())
    weights = [frame.weight for frame in chosen.frames]
    assert weights == sorted(weights, reverse=True)
    assert [frame.rank for frame in chosen.frames] == [1, 2, 3, 4]
    assert min(np.diff(sorted(frame.time for frame in chosen.frames))) >= 1.5


@given(st.lists(st.floats(0, 9, width=16), min_size=1, max_size=40), st.integers(1, 9), st.floats(0, 5))
def test_nothing_heavier_could_be_added(heights: list[float], top: int, apart: float) -> None:
    times, height = np.arange(len(heights)) / 4, np.array(heights)
    chosen = spread_out(times, height, top, apart)
    assert 1 <= len(chosen) <= top
    for place in set(range(len(times))) - set(chosen):
        nearer = [other for other in chosen if abs(times[place] - times[other]) < apart]
        full = len(chosen) == top
        assert any(height[other] >= height[place] for other in (chosen if full else nearer))


def test_jpegs_are_the_frames_at_their_own_size(network: ActorObserverNet, videos, tmp_path: Path) -> None:
    pixels = frames_at(videos[0], np.arange(24) / 4)
    for video, name in ((videos[0], "file"), (pixels, "pixels")):
        chosen = select(video, "first", top=3, model=network, look_rate=2.0, fps=4.0)
        written = chosen.save(tmp_path / name)
        for frame, path in zip(chosen.frames, written, strict=True):
            assert path.name == f"0{frame.rank}_{frame.time:.2f}s.jpg"
            with Image.open(path) as picture:
                assert picture.size == (96, 48)
                assert number_of(np.asarray(picture)) == int(frame.time * 4)
    assert chosen.to_dict()["video"] == "pixels"


def test_a_model_that_weighs_nothing_says_so(videos: list[Path]) -> None:
    with pytest.raises(UserError, match="it has no selector"):
        select(videos[0], model=small_network(select=False))
    with pytest.raises(UserError, match="at least one frame"):
        select(videos[0], top=0)
    with pytest.raises(UserError, match="a rate above zero"):
        select(videos[0], look_rate=0.0)
