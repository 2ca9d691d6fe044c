"""Actions by name, each second and over the whole, and in the form of a submission."""

import json
from pathlib import Path

import numpy as np
import pytest

from actor_observer import recognise
from actor_observer.answers.recognise import add_to_submission
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.evaluation.submission import read_submission
from actor_observer.features.see import see
from actor_observer.frames import frames_at
from actor_observer.model import ActorObserverNet
from asked import NAMES, small_network


def test_probabilities_are_means_over_frames(network: ActorObserverNet, videos: list[Path]) -> None:
    found = recognise(videos[1], "first", network, look_rate=3.0)
    frames = see(network, videos[1], "first", look_rate=3.0).scores
    assert frames is not None
    assert found.seconds.tolist() == list(range(8))
    np.testing.assert_allclose(found.scores[2], frames[6:9].mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.whole, frames.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.scores.sum(axis=1), 1, rtol=1e-5)
    best = found.best(found.whole, top=2)
    assert best[0].probability == pytest.approx(found.whole.max())
    assert (best[0].label, best[0].name) == (f"c00{found.whole.argmax()}", NAMES[found.whole.argmax()])


def test_pixels_give_what_the_file_gives(network: ActorObserverNet, videos: list[Path]) -> None:
    pixels = frames_at(videos[1], np.arange(32) / 4, size=32)
    of_file, of_pixels = (recognise(video, "third", network, 2.0, fps=4.0) for video in (videos[1], pixels))
    np.testing.assert_allclose(of_pixels.scores, of_file.scores, atol=1e-3)


def test_a_submission_grows_by_a_line_for_each_video(network: ActorObserverNet, videos, tmp_path: Path) -> None:
    path = tmp_path / "new" / "submission.txt"
    found = [recognise(video, "first", network, look_rate=1.0) for video in videos]
    for one in (*found, found[0]):
        add_to_submission(path, one)
    lines = read_submission(path)
    assert sorted(lines) == ["a", "b", "c"]
    np.testing.assert_allclose(lines["b"], found[1].whole, rtol=1e-4)
    path.write_text("x 0.5 0.5\n")
    with pytest.raises(UserError, match="x has 2 scores, this model gives 3"):
        add_to_submission(path, found[0])


def test_names_that_nobody_said_are_left_out(videos: list[Path]) -> None:
    found = recognise(videos[0], "first", small_network(label_names=()), look_rate=1.0)
    assert str(found.best(found.whole)[0]).split(" % ")[1] in ("c000", "c001", "c002")


def test_a_model_without_classes_says_so(videos: list[Path]) -> None:
    with pytest.raises(UserError, match="a network on resnet18: it has no classifier"):
        recognise(videos[0], "first", small_network(labels=(), label_names=()))


def test_the_command_names_actions(model: Path, videos, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["recognise", str(videos[0]), "--view", "first", "--model", str(model), "--top", "2", "--look-rate", "2"]
    main([*ask, "--submission", str(tmp_path / "s.txt")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 2 + 6
    assert any(f"{name} (c00{number})" in lines[1] for number, name in enumerate(NAMES))
    assert lines[3].startswith("    0 s   ")
    assert list(read_submission(tmp_path / "s.txt")) == ["a"]
    main([*ask, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["actions"][0]["name"] in NAMES
    assert [second["second"] for second in told["seconds"]] == list(range(6))
    assert sum(told["probabilities"].values()) == pytest.approx(1, rel=1e-5)
