"""All six figures, from a run; and that the frames in them are the ones they should be."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from actor_observer.errors import UserError
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.pairs import Clock
from actor_observer.pictures.figures.choose import extremes, heaviest, partner, queries, spot_at, spread
from actor_observer.pictures.figures.nearest_frames import draw_nearest
from actor_observer.pictures.figures.opened_run import Run, open_run
from actor_observer.pictures.figures.placing import place
from actor_observer.pictures.gallery import draw_all, plates


def test_six_pictures_are_drawn(run: Run, tmp_path: Path) -> None:
    paths = draw_all(run, tmp_path / "new")
    assert [path.name[0] for path in paths] == list("123456")
    for path in paths:
        with Image.open(path) as picture:
            assert picture.size[0] == 1200
    assert sorted((tmp_path / "new").iterdir()) == paths  # no half file stays


def test_nearest_frames_of_perfect_embeddings_are_right(perfect: Run) -> None:
    for view in ("third", "first"):
        for query in queries(perfect, view, 3, 2):
            assert query.answers[0].spot.take == query.other
            assert query.answers[0].error is not None and query.answers[0].error < 0.1
            assert query.answers[1].error is None  # every take answers once
            assert query.truth is not None
            assert abs(query.truth - query.answers[0].spot.time) < 0.1
    found = [*queries(perfect, "third", 2, 2), *queries(perfect, "first", 1, 2)]
    figure = draw_nearest(perfect, found, 2)
    assert sum(bool(axes.images) for axes in figure.axes) == 3 * 4  # query, two answers, truth
    assert sum("✓" in text.get_text() for text in figure.texts) == 3
    assert "the 3 nearest include the right moment 6 times" in plates(perfect)[0].caption


def test_with_few_candidates_the_truth_still_has_its_column(perfect: Run) -> None:
    query = queries(perfect, "third", 1, 2)[0]
    few = replace(query, answers=query.answers[:1])
    figure = draw_nearest(perfect, [query, few], 2)
    assert sum(bool(axes.images) for axes in figure.axes) == 4 + 3
    pictures = [axes.get_position().x0 for axes in figure.axes if axes.images]
    assert pictures[-1] == pytest.approx(pictures[3])  # under the other truth


def test_weights_choose_frames(perfect: Run) -> None:
    times = {spot.take: spot.time for spot in extremes(perfect, "first", 3)}
    for number, pair in enumerate(perfect.pairs):
        assert abs(times[pair.first] - (3 + number)) < 0.1
    assert heaviest(perfect, perfect.pairs[0].third, lowest=True).time > 11
    high = [spot.weight for spot in extremes(perfect, "third", 2)]
    assert len(high) == 2 and high == sorted(high, reverse=True)


def test_a_moment_that_the_other_take_does_not_show_has_no_partner(perfect: Run) -> None:
    late = replace(perfect.pairs[0], clock=Clock(((0.0, 9.0),)))
    assert partner(perfect, late, spot_at(perfect, late.third, 1.0)) is not None
    assert partner(perfect, late, spot_at(perfect, late.third, 8.0)) is None


def test_moments_are_placed_where_the_embeddings_put_them(perfect: Run) -> None:
    pair = perfect.pairs[0]
    third, first = (perfect.embeddings[id] for id in (pair.third, pair.first))
    joins, best, errors = place(third, first, pair.clock)
    assert errors.max() < 1e-9 and len(joins) == 9
    assert all(abs(a - b) < 1e-9 for a, b in [*joins, best])
    shifted = replace(first, features=first.features - np.array([0.0, 2.0]))  # each looks like two seconds before
    joins, _, errors = place(third, shifted, pair.clock)
    assert abs(np.median(errors) - 2) < 0.1
    assert any(abs(b - a - 2) < 0.1 for a, b in joins)


@pytest.mark.parametrize(("count", "found"), [(1, [0]), (3, [0, 1, 3]), (9, [0, 1, 2, 3, 4])])
def test_spread_is_even(count: int, found: list[int]) -> None:
    assert spread(range(5), count) == found


def test_a_split_without_pairs_is_one_clear_line(folder: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("id,third,first,split\n")
    with pytest.raises(UserError):
        open_run(folder, JudgedData(tmp_path / "pairs.csv"))
