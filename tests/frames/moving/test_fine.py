"""The fine grid: as coarse as the coarse one when pooled, and no more samples than anybody asks for."""

import numpy as np
import pytest

from actor_observer.frames.moving.fine import BLOCK, Thinning, mend
from actor_observer.frames.moving.flow import CELLS, FINE, FINE_COLUMNS, FINE_ROWS, GRID, pooled


def thinned(fps: float, count: int, keys: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    thinning = Thinning()
    for n in range(count):
        thinning.add(n / fps, (n + 1) / fps, np.full((len(CELLS), FINE), 90.0 if n in keys else n), n in keys)
    times, values = thinning.done()
    return times, values.astype(float)


@pytest.mark.parametrize(("fps", "kept"), [(10, 10), (15, 15), (24, 24), (25, 25), (29.97, 14.985), (30, 15)])
def test_what_follows_each_other_faster_than_thirty_a_second_is_kept_in_pairs(fps: float, kept: float) -> None:
    times, values = thinned(fps, round(4 * fps))
    assert len(times) == pytest.approx(4 * kept, abs=1) and len(values) == len(times)
    step = fps / kept
    assert np.allclose(values[:, 0, 0], np.arange(len(times)) * step + (step - 1) / 2)
    assert np.allclose(times, (values[:, 0, 0] + 0.5) / fps, atol=1e-6)


def test_blocks_leave_no_seam() -> None:
    times, values = thinned(20, 2 * BLOCK + 7)
    assert len(times) == 2 * BLOCK + 7 and np.allclose(np.diff(times), 1 / 20)
    assert np.array_equal(values[:, 3, 50], np.arange(len(times)))


def test_a_keyframe_is_mended_before_it_is_averaged() -> None:
    _, values = thinned(30, 20, keys=(5,))
    assert np.allclose(values[:, 0, 0], np.arange(10) * 2 + 0.5)


def test_of_many_keyframes_none_is_mended_and_of_no_samples_nothing_is_left() -> None:
    values = np.arange(8, dtype=np.float32)[:, None]
    mend(values, np.ones(8, bool))
    assert values[:, 0].tolist() == list(range(8))
    times, nothing = Thinning().done()
    assert times.shape == (0,) and nothing.shape == (0, len(CELLS), FINE)


def test_pooled_cells_are_means_of_four_and_peaks_count_the_largest() -> None:
    fine = np.zeros((len(CELLS), FINE_ROWS, FINE_COLUMNS))
    fine[:, 4:6, 6:8] = [[0.0, 0.0], [0.0, 4.0]]
    cells = pooled(fine.reshape(len(CELLS), FINE)).reshape(len(CELLS), 6, 8)
    assert cells.size == len(CELLS) * GRID and np.count_nonzero(cells) == len(CELLS)
    assert cells[CELLS.index("difference"), 2, 3] == 1.0
    assert cells[CELLS.index("residual_peak"), 2, 3] == pytest.approx(4 * 0.25**0.25)
