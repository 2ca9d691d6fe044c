"""What is fitted is not judged on the same: test pairs are refused, the others are written down."""

from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.used import FILE, for_choosing, seen_before
from actor_observer.pairs import Clock, Pair

CLOCK = Clock.scaled(9, 9)


def pair(id: str, split: str) -> Pair:
    return Pair(id, f"{id}t", f"{id}f", CLOCK, split=split)  # type: ignore[arg-type]


def test_what_decided_something_is_known_when_it_is_judged(tmp_path: Path) -> None:
    pairs = [pair("a", "validation"), pair("b", "validation")]
    assert seen_before(tmp_path / "pairs.csv", pairs) == ""
    for_choosing(tmp_path / "pairs.csv", pairs[:1], "validation", "a threshold")
    for_choosing(tmp_path, pairs[:1], "validation", "an epoch")
    assert "1 of these pairs" in seen_before(tmp_path, pairs)
    assert "a threshold; an epoch" in seen_before(tmp_path, pairs)


def test_test_pairs_choose_nothing(tmp_path: Path) -> None:
    for split, rows in (("test", [pair("a", "test")]), ("validation", [pair("a", "test")])):
        with pytest.raises(UserError, match="for judging alone"):
            for_choosing(tmp_path, rows, split, "a threshold")
    assert not (tmp_path / FILE).exists()


def test_a_file_of_something_else_is_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[1]")
    with pytest.raises(UserError, match="cannot be read"):
        seen_before(tmp_path, [pair("a", "validation")])
