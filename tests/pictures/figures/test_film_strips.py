"""Two film strips: frames of the right times, joins where they were asked for, all distances."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from actor_observer.pairs import Clock, Take
from actor_observer.pictures.figures.film_strips import draw_film_strips, trace_clock
from tiny import number_of, write_video

THIRD_TIMES, FIRST_TIMES = np.arange(24) / 2 + 0.25, np.arange(16) / 2 + 0.25
DISTANCES = np.random.default_rng(0).random((24, 16))
JOINS = [(2.0, 1.0), (6.0, 4.0), (11.0, 7.5)]
BEST = (5.0, 3.0)


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("videos")
    third = write_video(folder / "third.mp4", frames=48, fps=4, size=(96, 72))
    return third, write_video(folder / "first.mp4", frames=32, fps=4, size=(96, 72))


def joins_of(figure: Figure) -> list[tuple[float, float]]:
    found = [artist for artist in figure.artists if isinstance(artist, ConnectionPatch) and artist.get_gid() == "join"]
    assert all(patch.axesA.get_position().y0 > patch.axesB.get_position().y1 for patch in found)  # third above first
    assert all((patch.xy1[1], patch.xy2[1]) == (0, 1) for patch in found)  # from edge to edge
    return [(patch.xy1[0], patch.xy2[0]) for patch in found]


def test_joins_run_from_one_film_to_the_other_at_their_times(videos: tuple[Path, Path]) -> None:
    figure = draw_film_strips(*videos, THIRD_TIMES, FIRST_TIMES, DISTANCES, JOINS, BEST, "a pair")
    assert joins_of(figure) == [*JOINS, BEST]
    spans = sorted(tuple(axes.get_xlim()) for axes in figure.axes if axes.texts and axes.get_xlim()[1] > 1)
    assert spans == [(0.0, 8.0), (0.0, 12.0)]


def test_the_matrix_shows_every_distance_and_the_joins(videos: tuple[Path, Path]) -> None:
    figure = draw_film_strips(*videos, THIRD_TIMES, FIRST_TIMES, DISTANCES, JOINS, BEST)
    (matrix,) = (axes for axes in figure.axes if axes.get_label() == "distances")
    shown = matrix.images[0]
    np.testing.assert_array_equal(shown.get_array(), DISTANCES.T)
    assert shown.get_extent() == [0.0, 12.0, 0.0, 8.0]
    dots, star = matrix.collections
    np.testing.assert_array_equal(dots.get_offsets(), JOINS)
    np.testing.assert_array_equal(star.get_offsets(), [BEST])


@pytest.mark.parametrize(("best", "shown"), [(BEST, [20, 12]), (None, [24, 16])])
def test_the_moment_shown_large_is_the_best_or_the_nearest_join(
    videos: tuple[Path, Path], best: tuple[float, float] | None, shown: list[int]
) -> None:
    distances = DISTANCES + 1
    distances[np.abs(THIRD_TIMES - 6).argmin(), np.abs(FIRST_TIMES - 4).argmin()] = 0  # the second join
    figure = draw_film_strips(*videos, THIRD_TIMES, FIRST_TIMES, distances, JOINS, best)
    large = [axes.images[0].get_array() for axes in figure.axes if axes.get_xlabel().endswith(".0 s")]
    assert [number_of(picture) for picture in large] == shown  # at 4 frames a second


def test_without_joins_there_are_strips_and_a_matrix(videos: tuple[Path, Path]) -> None:
    third = Take("third", "third", videos[0], 12.0)
    figure = draw_film_strips(third, videos[1], THIRD_TIMES, FIRST_TIMES, DISTANCES, [])
    assert joins_of(figure) == []
    pictures = [axes for axes in figure.axes if axes.images]
    assert len(pictures) == 2 * 7 + 1


def test_many_joins_and_upright_video(tmp_path: Path) -> None:
    tall = write_video(tmp_path / "tall.mp4", frames=8, fps=4, size=(48, 96))
    times = np.array([0.5, 1.5])
    joins = [(t, t) for t in np.linspace(0, 2, 60)]
    figure = draw_film_strips(tall, tall, times, times, np.eye(2), joins, (1.0, 1.0))
    assert len(joins_of(figure)) == 61


def test_the_clock_is_traced_through_the_matrix(videos: tuple[Path, Path]) -> None:
    figure = draw_film_strips(*videos, THIRD_TIMES, FIRST_TIMES, DISTANCES, JOINS)
    trace_clock(figure, Clock.scaled(12.0, 8.0))
    (line,) = (line for axes in figure.axes for line in axes.lines if line.get_gid() == "clock")
    np.testing.assert_allclose(np.asarray(line.get_ydata()), np.asarray(line.get_xdata()) * 8 / 12)


@pytest.mark.parametrize("title", ["short", "two\nlines", "one that is far too long for a single line " * 3])
def test_no_title_hides_the_names_of_the_strips(title: str, videos: tuple[Path, Path]) -> None:
    figure = draw_film_strips(*videos, THIRD_TIMES, FIRST_TIMES, DISTANCES, JOINS, BEST, title)
    figure.canvas.draw()
    (shown,) = (text for text in figure.texts if text.get_gid() == "title")
    names = [text for axes in figure.axes for text in axes.texts if text.get_gid() == "name"]
    assert len(names) == 2
    for name in names:
        assert not shown.get_window_extent().overlaps(name.get_window_extent())
    assert shown.get_window_extent().x1 <= figure.bbox.x1
