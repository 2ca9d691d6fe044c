"""Splits keep people apart, depend on the seed alone, and tell what they decided."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from actor_observer.pairs import Clock, Pair, Take
from actor_observer.pairs.splits import same_script, split_pairs, split_takes


def take(id: str, subject: str, script: str, split: str | None = None, view: str = "third") -> Take:
    return Take(id, view, Path(id), 20.0, subject=subject, script=script, split=split)  # type: ignore[arg-type]


@st.composite
def rows(draw: st.DrawFn, split: str | None = None, most: int = 40) -> dict[str, Take]:
    people = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 25)), min_size=8, max_size=most))
    return {f"{n}": take(f"{n}", f"person {who}", f"script {what}", split) for n, (who, what) in enumerate(people)}


@given(rows(), st.integers(0, 5))
def test_no_person_is_in_two_splits(takes: dict[str, Take], seed: int) -> None:
    settled, notes = split_takes(takes, [], seed)
    by_person = len({take.subject for take in takes.values()}) >= 5
    homes: dict[str, set[object]] = {}
    for one in settled.values():
        homes.setdefault(one.subject if by_person else one.script, set()).add(one.split)
    assert all(len(home) == 1 for home in homes.values())
    if len(homes) >= 3:
        assert {one.split for one in settled.values()} == {"train", "validation", "test"}
    assert ("by subject" if by_person else "by script") in notes[0]
    again, _ = split_takes(dict(reversed(takes.items())), [], seed)
    assert {id: again[id].split for id in takes} == {id: settled[id].split for id in takes}


def test_shares_are_near_70_10_20() -> None:
    takes = {str(n): take(str(n), f"person {n % 100}", "s") for n in range(1000)}
    settled, _ = split_takes(takes, [], seed=3)
    shares = [sum(one.split == split for one in settled.values()) for split in ("train", "validation", "test")]
    assert shares == [700, 100, 200]
    other, _ = split_takes(takes, [], seed=4)
    assert {id: one.split for id, one in other.items()} != {id: one.split for id, one in settled.items()}


@given(rows(split="train"), st.integers(0, 5))
def test_validation_shares_neither_person_nor_script_with_train(takes: dict[str, Take], seed: int) -> None:
    takes |= {"t": take("t", "tester", "test script", "test")}
    settled, notes = split_takes(takes, [], seed)
    train = [one for one in settled.values() if one.split == "train"]
    held = [one for one in settled.values() if one.split == "validation"]
    if len({one.subject for one in takes.values()}) > 2:
        assert held and "subjects held out" in notes[-1]
        assert not {one.subject for one in train} & {one.subject for one in held}
    assert not {one.script for one in train} & {one.script for one in held}
    assert settled["t"].split == "test"


def test_a_tenth_is_held_out_and_no_giant_is_taken_whole() -> None:
    takes = {f"g{n}": take(f"g{n}", "giant", f"g{n}", "train") for n in range(500)}
    takes |= {str(n): take(str(n), f"person {n % 50}", f"s{n}", "train") for n in range(500)}
    for seed in range(5):
        settled, _ = split_takes(takes, [], seed)
        assert 90 <= sum(one.split == "validation" for one in settled.values()) <= 150


def test_given_splits_win() -> None:
    takes = {
        "a": take("a", "ann", "s1", "train"),
        "b": take("b", "bob", "s2", "train"),
        "c": take("c", "cy", "s3", "train"),
    }
    settled, notes = split_takes(takes, [], 0, by_subject={"bob": "validation"})
    assert [one.split for one in settled.values()] == ["train", "validation", "train"]
    assert notes == []


def test_another_actors_take_follows_the_strictest_pair_it_is_needed_for() -> None:
    takes = {
        "c": take("c", "xavier", "s", "train"),
        "a": take("a", "ann", "s", "train", "first"),
        "b": take("b", "bob", "s", "test", "first"),
    }
    clock = Clock.scaled(20, 20)
    pairs = [Pair(f"c+{first}", "c", first, clock, same_person=False) for first in ("a", "b")]
    settled, pairs, notes = split_pairs(takes, pairs)
    assert settled["c"].split == "test"
    assert [pair.split for pair in pairs] == [None, "test"]
    assert "1 pair between two splits: not used" in notes[0]


def test_scripts_are_compared_as_people_read_them() -> None:
    assert same_script(" A Person\n sits. ") == same_script("a person sits.")


def test_one_is_counted_as_one() -> None:
    takes = {"a": take("a", "ann", "tea", "test"), "b": take("b", "ben", "soup")}
    assert "1 take without a split: not used" in split_takes(takes, [], 0)[1]
    nameless = {id: take(id, "", f"script {id}") for id in ("c",)}
    assert not any(note.startswith("1 takes") for note in split_takes(nameless, [], 0)[1])
