from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.selector_truth import auc, score_selector
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import Clock, Pair
from tiny import write_csv


def truth_folder(folder: Path, hands: dict[str, np.ndarray]) -> Path:
    rows = [{"id": "a", "third": "a", "first": "aEGO", "clock": "0:0;10:12;20:20"}]
    write_csv(folder / "truth" / "clocks.csv", rows, ["id", "third", "first", "clock"])
    for id, seen in hands.items():
        arrays = {"time": np.arange(len(seen)) / 2, "hands_visible": seen, "object_visible": np.ones(len(seen), bool)}
        np.savez(folder / "truth" / f"{id}.npz", **arrays)
    return folder


def test_exact_clocks_take_the_place_of_scaled_ones(tmp_path: Path) -> None:
    truth = find_truth(truth_folder(tmp_path, {}))
    assert truth is not None
    pairs = [Pair("a", "a", "aEGO", Clock.scaled(20, 20)), Pair("b", "b", "bEGO", Clock.scaled(20, 20))]
    (exact,) = truth.exact(pairs)
    assert exact.clock.to_first(10.0) == 12.0
    assert find_truth(tmp_path / "truth") is None


def test_frames_are_read_at_the_time_on_screen_and_nothing_is_unpickled(tmp_path: Path) -> None:
    truth = find_truth(truth_folder(tmp_path, {"a": np.array([True, False, True])}))
    assert truth is not None
    assert truth.at("a", np.array([0.0, 0.4, 0.5, 9.0]), "hands_visible").tolist() == [True, True, False, True]
    assert truth.at("../a", np.zeros(1), "hands_visible") is None
    np.savez(tmp_path / "truth" / "evil.npz", time=np.zeros(1), hands_visible=np.array([{}], dtype=object))
    with pytest.raises(UserError, match=r"evil\.npz: damaged, or not of plain arrays"):
        truth.frames("evil")


def test_a_clock_that_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    rows = [{"third": "a", "first": "b", "clock": "5:1;1:5"}]
    write_csv(tmp_path / "truth" / "clocks.csv", rows, ["third", "first", "clock"])
    with pytest.raises(UserError, match=r"clocks\.csv: a: .*increase"):
        find_truth(tmp_path)


def test_auc_equals_its_definition() -> None:
    rng = np.random.default_rng(0)
    score, positive = rng.integers(0, 5, 60).astype(float), rng.random(60) < 0.4
    pairs = [(p > n) + (p == n) / 2 for p in score[positive] for n in score[~positive]]
    assert auc(score, positive) == pytest.approx(np.mean(pairs))
    twice = np.concatenate([score, score]), np.concatenate([positive, positive])
    assert auc(*twice) == pytest.approx(auc(score, positive, np.full(60, 2.0)))


def test_a_selector_that_looks_for_hands_is_found_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    hands = {f"{n}EGO": rng.random(60) < 0.5 for n in range(5)}
    truth = find_truth(truth_folder(tmp_path, hands))
    times = np.arange(60) / 2
    takes = {id: TakeEmbedding("first", times, np.zeros((60, 1)), weight=seen + 0.1) for id, seen in hands.items()}
    found = score_selector(Embeddings(takes), truth, hands, "first")
    assert found.auc.value == 1.0
    assert (found.hands_high, found.hands_low, found.videos) == (1.0, 0.0, 5)
    assert score_selector(Embeddings(takes), truth, hands, "third") is None


def test_a_flipped_bit_anywhere_is_one_line_or_changes_nothing(tmp_path: Path) -> None:
    truth = find_truth(truth_folder(tmp_path, {"a": np.array([True, False, True])}))
    assert truth is not None
    file, times = tmp_path / "truth" / "a.npz", np.array([0.0, 0.4, 0.5, 9.0])
    whole, said = file.read_bytes(), 0
    for place in range(0, len(whole), 3):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            found = truth.at("a", times, "hands_visible")
        except UserError as error:
            assert "a.npz: damaged" in str(error)
            said += 1
        else:
            assert found is None or found.tolist() == [True, True, False, True]
    assert said > len(whole) / 30
