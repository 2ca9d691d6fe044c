"""Charades' scorer against cases worked out by hand."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.recognition import average_precision, score_recognition, video_scores
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
    assert video_scores(frames, published=True)[1] == pytest.approx(0.48, abs=0.05)
    assert video_scores(frames[:3], published=True).shape == (2,)  # fewer frames than 25: some count twice


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
        ("A 1 2\nA 1 2", "line 2: A stands twice"),
        ("A nan 1", "none of them NaN"),
        ("A 0.1", "the submission has 1 scores a line"),
    ],
)
def test_a_submission_that_cannot_be_scored_is_one_clear_line(tmp_path: Path, text: str, complaint: str) -> None:
    truth = write_csv(tmp_path / "t.csv", [{"id": "A", "actions": "c001 0 1"}], ["id", "actions"])
    (tmp_path / "s.txt").write_text(text)
    with pytest.raises(UserError, match=complaint):
        score_submission(tmp_path / "s.txt", truth)
