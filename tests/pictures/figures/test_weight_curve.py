"""The weight curve: the right frames at its peaks and troughs."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.pairs import Take
from actor_observer.pictures.figures.parts.style import colours, theme
from actor_observer.pictures.figures.weight_curve import draw_weight_curve, peaks
from tiny import number_of, write_video

TIMES = np.arange(48) / 4 + 0.125


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("video") / "a.mp4", frames=48, fps=4)


def test_thumbnails_are_the_frames_at_peaks_and_troughs(video: Path) -> None:
    weight = 1 + np.sin(TIMES * 2 * np.pi / 3)  # peaks at 0.75, 3.75, …, troughs at 2.25, 5.25, …
    figure = draw_weight_curve(video, TIMES, weight, "title")
    shown = [number_of(axes.images[0].get_array()) for axes in figure.axes if axes.images]
    high, low = shown[:4], shown[4:]
    assert len(shown) == 8
    assert all(min(abs((n + 0.5) / 4 - (0.75 + 3 * k)) for k in range(4)) < 0.3 for n in high)
    assert all(min(abs((n + 0.5) / 4 - (2.25 + 3 * k)) for k in range(4)) < 0.3 for n in low)
    np.testing.assert_array_equal(figure.axes[0].lines[1].get_ydata(), weight)


def test_a_take_of_one_frame_can_be_drawn(video: Path) -> None:
    figure = draw_weight_curve(Take("a", "first", video, 12.0), np.array([0.5]), np.array([1.0]))
    assert sum(bool(axes.images) for axes in figure.axes) == 2


@given(st.lists(st.floats(0, 10), min_size=1, max_size=60), st.integers(1, 6))
def test_peaks_hold_the_highest_and_stand_apart(heights: list[float], count: int) -> None:
    times = np.arange(len(heights), dtype=float)
    found = peaks(times, np.array(heights), count)
    assert 1 <= len(found) <= count
    assert max(heights) in [heights[place] for place in found]
    assert (np.diff(times[found]) > (times[-1] - times[0]) / (2 * count)).all()


def test_a_dark_page_gets_light_ink(video: Path) -> None:
    light = draw_weight_curve(video, TIMES, np.ones(48))
    with theme("dark"):
        dark = draw_weight_curve(video, TIMES, np.ones(48))
        assert dark.get_facecolor() != light.get_facecolor()
        assert dark.axes[0].lines[1].get_color() == colours().ink
