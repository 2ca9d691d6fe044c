"""Motion heads: a grid for each view, the same numbers while they learn and afterwards, in pieces and at once."""

import pytest
import torch

from actor_observer.model.motion_heads import PIECE, MotionHead, _Block
from actor_observer.model.spell_scores import over_areas


def test_a_block_gives_the_same_while_it_learns() -> None:
    torch.manual_seed(0)
    block, seen = _Block(6, dilation=4, dropout=0.0), torch.randn(2, 6, 25, 3, 4)
    learning = block.train()(seen)
    torch.testing.assert_close(learning, block.eval()(seen), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(
        learning, seen + block.space(torch.nn.functional.gelu(block.time(torch.nn.functional.gelu(seen))))
    )


@pytest.mark.parametrize(("view", "cells"), [("third", 192), ("first", 48)])
def test_a_long_take_is_seen_in_pieces_as_at_once(view: str, cells: int) -> None:
    torch.manual_seed(0)
    head, inputs = MotionHead(gates=2, size=3, places=4, dropout=0.0), torch.randn(1, 6, cells, PIECE + 40)
    with torch.no_grad():
        whole, pieces = head.train()(inputs, view), head.eval()(inputs, view)
    torch.testing.assert_close(whole.whole["third"], pieces.whole["third"], atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(whole.cells, pieces.cells, atol=1e-3, rtol=1e-3)
    assert pieces.asks.numel() == (4 * (PIECE + 40) if view == "first" else 0)


def test_areas_are_sums_over_cells_of_either_grid() -> None:
    for rows, columns in ((12, 16), (6, 8)):
        cells = torch.zeros(1, 2, rows, columns, 5)
        cells[:, :, : rows // 3, : columns // 4] = 1.0  # the upper left area
        areas = over_areas(cells.flatten(2, 3))
        assert areas.shape == (1, 2, 12, 5)
        assert float(areas[0, 0, 0, 0]) == rows // 3 * (columns // 4) and not areas[:, :, 1:].any()
