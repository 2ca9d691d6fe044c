"""Charades' scorer against cases worked out by hand."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.measures.recognition import (
    _leave_one_out,
    _ranked,
    average_precision,
    score_recognition,
    video_scores,
)
from actor_observer.evaluation.statistics.chance import expected_ap
from actor_observer.evaluation.submission import read_submission, score_submission, write_submission
from tiny import write_csv


def test_precision_at_each_positive_without_interpolation() -> None:
    positive = np.array([True, False, True, False, True])
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    assert average_precision(scores, positive) == pytest.approx((1 / 1 + 2 / 3 + 3 / 5) / 3)


def test_ties_keep_the_order_of_the_ground_truth() -> None:
    assert average_precision(np.zeros(3), np.array([True, False, False])) == 1.0
    assert average_precision(np.zeros(3), np.array([False, False, True])) == pytest.approx(1 / 3)


def test_a_class_without_positives_makes_the_mean_undefined_and_is_left_out() -> None:
    result = score_recognition(np.array([[0.9, 0.5], [0.1, 0.4]]), np.array([[True, False], [True, False]]))
    assert np.isnan(result.ap[1])
    assert (result.mean.value, result.classes, result.defined) == (1.0, 1, False)


def test_a_video_without_labels_ranks_last() -> None:
    positive = np.array([[False], [True], [False]])
    positive = np.hstack([positive, np.array([[False], [False], [True]])])
    scores = np.array([[9.0, 9.0], [1.0, 0.0], [2.0, 0.0]])
    assert score_recognition(scores, positive).ap.tolist() == [0.5, 0.5]  # the unlabelled first video hurts nobody


def test_chance_is_exact() -> None:
    for videos in (2, 3, 5, 6):
        for positives in range(1, videos + 1):
            labels = [n < positives for n in range(videos)]
            orders = set(permutations(labels))
            exact = np.mean([average_precision(-np.arange(videos), np.array(order)) for order in orders])
            assert expected_ap(positives, videos) == pytest.approx(exact)


def test_all_frames_and_25_frames() -> None:
    frames = np.zeros((100, 2))
    frames[50:, 1] = 1.0
    assert video_scores(frames)[1] == 0.5
    spread = np.zeros((100, 1))
    spread[[0, 4, 8, 12, 16, 21, 25, 29, 33, 37, 41, 45, 50, 54, 58, 62, 66, 70, 74, 78, 82, 87, 91, 95, 99]] = 1.0
    assert video_scores(spread)[0] == 0.25
    assert video_scores(spread, published=True)[0] == 1.0  # these very 25, evenly spread from the first to the last
    assert video_scores(frames[:3], published=True).shape == (2,)  # fewer frames than 25: some count twice


def test_chance_knows_that_videos_without_labels_rank_last() -> None:
    """One labelled video of each class among 100 without any: a random order of the labelled ones is all there is."""
    positive = np.zeros((102, 2), dtype=bool)
    positive[0, 0] = positive[1, 1] = True
    rng = np.random.default_rng(0)
    simulated = [score_recognition(rng.random((102, 2)), positive).mean.value for _ in range(300)]
    assert score_recognition(rng.random((102, 2)), positive).chance == 0.75
    assert np.mean(simulated) == pytest.approx(0.75, abs=0.05)


def test_the_interval_of_noise_lies_around_its_value_and_covers_chance() -> None:
    """Duplicates in a plain bootstrap lift AP: noise of 6.03 got [5.97, 6.32]. Coverage: bench/coverage.py."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(40):
        positive = rng.random((100, 60)) < 0.05
        found = score_recognition(rng.random((100, 60)), positive).mean
        assert found.value - found.low == pytest.approx(found.high - found.value)
        covered.append(found.low <= score_recognition(rng.random((100, 60)), positive).chance <= found.high)
    assert np.mean(covered) > 0.85


def test_leaving_a_video_out_in_one_pass_equals_doing_it() -> None:
    rng = np.random.default_rng(1)
    scores, positive = rng.integers(0, 5, (12, 4)).astype(float), rng.random((12, 4)) < 0.3
    scores[~positive.any(axis=1)] = -np.inf
    mean, weighted = _leave_one_out(*_ranked(scores, positive))
    for out in range(12):
        rest = score_recognition(np.delete(scores, out, axis=0), np.delete(positive, out, axis=0))
        np.testing.assert_allclose([mean[out], weighted[out]], [rest.mean.value, rest.weighted.value])


def test_weighted_ap_counts_a_class_as_often_as_it_has_positives() -> None:
    positive = np.array([[True, False], [True, False], [False, True], [True, False]])
    scores = np.array([[0.9, 0.9], [0.8, 0.1], [0.1, 0.2], [0.7, 0.3]])
    found = score_recognition(scores, positive)
    assert found.ap.tolist() == [1.0, 1 / 3]
    assert found.weighted.value == pytest.approx((3 * 1.0 + 1 / 3) / 4)


def test_one_video_has_no_interval() -> None:
    found = score_recognition(np.array([[0.9, 0.1]]), np.array([[True, True]]))
    assert found.mean.percent() == "100.0"
    assert found.to_dict()["low"] is None


def test_actions_that_end_before_they_start_count_as_in_the_official_scorer(tmp_path: Path) -> None:
    rows = [{"id": "A", "actions": "c000 5.0 5.0"}, {"id": "B", "actions": "c001 3 1;nonsense"}]
    truth = write_csv(tmp_path / "truth.csv", rows, ["id", "actions"])
    write_submission(tmp_path / "s.txt", {"A": np.array([0.9, 0.1]), "B": np.array([0.1, 0.9])})
    scored = score_submission(tmp_path / "s.txt", truth)
    assert scored.recognition.classes == 2
    assert scored.recognition.mean.value == 1.0
    assert scored.unread == ("B: action 'nonsense' is not `label start end`",)


def test_submissions_are_written_read_and_scored_with_missing_videos_last(tmp_path: Path) -> None:
    rows = [{"id": "A", "actions": "c000 0 1"}, {"id": "B", "actions": "c001 0 1;c000 1 2"}, {"id": "C", "actions": ""}]
    truth = write_csv(tmp_path / "truth.csv", rows, ["id", "actions"])
    write_submission(tmp_path / "s.txt", {"A": np.array([0.1, 0.9]), "C": np.array([1.0, 1.0])})
    assert read_submission(tmp_path / "s.txt")["A"].tolist() == [0.1, 0.9]
    scored = score_submission(tmp_path / "s.txt", truth)
    result = scored.recognition
    # c000: A, then B (missing) and C (no label) share the last place in the file's order; c001: B after A.
    assert result.ap.tolist() == [1.0, 0.5]
    assert result.videos == 3
    assert (scored.missing, scored.unknown) == (("B",), ())
    write_submission(tmp_path / "other.txt", {"X": np.array([0.1, 0.9]), "Y": np.array([1.0, 1.0])})
    with pytest.raises(UserError, match="none of the 3 videos"):
        score_submission(tmp_path / "other.txt", truth)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no scores"),
        ("A 0.1 x", "line 1: scores must be numbers"),
        ("A 0.1 0.2\nB 0.1", "line 2: 1 scores where 2"),
        ("A 1 2\nA 1 2", "line 2: A appears twice"),
        ("A nan 1", "none of them NaN"),
        ("A 0.1", "the submission has 1 scores a line"),
    ],
)
def test_a_submission_that_cannot_be_scored_is_one_clear_line(tmp_path: Path, text: str, complaint: str) -> None:
    truth = write_csv(tmp_path / "t.csv", [{"id": "A", "actions": "c001 0 1"}], ["id", "actions"])
    (tmp_path / "s.txt").write_text(text)
    with pytest.raises(UserError, match=complaint):
        score_submission(tmp_path / "s.txt", truth)
