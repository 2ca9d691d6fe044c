"""Embedding many videos: what is done stays done, what is broken is named, and evaluate reads the file."""

import json
from pathlib import Path

import numpy as np
import pytest

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.features import load_embeddings
from actor_observer.features.embed_videos import embed_videos, find_videos, unopened
from actor_observer.features.see import see
from forked import command
from same_scene import plain_network, write_scene
from tiny import write_charades_ego, write_frames, write_video


@pytest.fixture(scope="module")
def model(scene_model: Path) -> Path:
    return scene_model


def test_killed_in_the_middle_the_same_command_goes_on(model: Path, tmp_path: Path) -> None:
    for number in range(12):
        write_scene(tmp_path / "videos" / f"v{number:02d}.mp4", 12, fps=8, seed=number)
    out, parts = tmp_path / "out.safetensors", tmp_path / "out.safetensors.parts"
    arguments = ["embed", str(tmp_path / "videos"), "--view", "first", "--out", str(out), "--model", str(model)]
    running = command(*arguments)
    running.wait_until(lambda: len(list(parts.glob("v*.safetensors"))) >= 2)
    running.stop()
    done = {part: part.stat().st_mtime_ns for part in parts.glob("v*.safetensors")}
    assert 2 <= len(done) < 12
    assert not out.exists()
    network = plain_network()
    with pytest.raises(UserError, match="another model or look rate"):
        embed_videos(network, unopened(find_videos([tmp_path / "videos"]), "first"), out, look_rate=3.0)
    again = embed_videos(network, unopened(find_videos([tmp_path / "videos"]), "first"), out)
    assert (again.takes, again.resumed, again.faults) == (12, len(done), ())
    assert not parts.exists()
    embeddings = load_embeddings(out)
    for id in ("v00", "v11"):
        alone = see(network, tmp_path / "videos" / f"{id}.mp4", "first")
        np.testing.assert_allclose(embeddings[id].features, alone.features, atol=1e-5)
        assert embeddings[id].view == "first"
        assert embeddings[id].scores is not None


def test_interrupted_it_says_how_to_go_on(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("actor_observer.features.embed_videos.save_embeddings", interrupt)
    video, out = write_scene(tmp_path / "a.mp4", 4, fps=8), tmp_path / "a.npz"
    with pytest.raises(SystemExit) as stop:
        main(["embed", str(video), "--view", "first", "--out", str(out), "--model", str(model)])
    assert stop.value.code == 130
    assert f"interrupted; what is done lies in {out}.parts, and the same command resumes" in capsys.readouterr().err


def test_damaged_files_are_listed_and_the_others_embedded(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = write_video(tmp_path / "a.mp4")
    (tmp_path / "b.mp4").write_bytes(b"")
    (tmp_path / "c.mp4").write_bytes(whole.read_bytes()[:1500])
    frames = write_frames(tmp_path / "more" / "d")
    out = tmp_path / "out.npz"
    with pytest.raises(SystemExit) as stop:
        main(["embed", str(tmp_path), str(frames), "--view", "third", "--out", str(out), "--model", str(model)])
    assert stop.value.code == 3
    said = capsys.readouterr()
    assert said.out == f"{out}: 2 takes, 18 frames, 2 left out\n"
    named = [line for line in said.err.splitlines() if line.startswith("actor-observer: ")]
    assert [line.split(": ")[1] for line in named] == [str(tmp_path / f"{n}.mp4") for n in "bc"]
    assert sorted(load_embeddings(out)) == ["a", "d"]


def test_names_must_tell_videos_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write_video(tmp_path / folder / "same.mp4")
    with pytest.raises(UserError, match="would both be same: rename one"):
        find_videos([tmp_path / "one", tmp_path / "two"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="neither videos nor frames"):
        find_videos([tmp_path / "empty"])


def test_a_whole_data_set(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_charades_ego(tmp_path / "data", train=2, test=1, seconds=3, fps=4)
    for out in (tmp_path / "all.safetensors", tmp_path / "all.npz"):
        main(["embed", "--data", str(folder), "--out", str(out), "--look-rate", "2", "--model", str(model), "--json"])
        assert json.loads(capsys.readouterr().out)["takes"] == 9
        embeddings = load_embeddings(out)
        assert {id: take.view for id, take in embeddings.items() if id.startswith("T0000")} == {
            "T0000": "third",
            "T0000EGO": "first",
        }
        np.testing.assert_allclose(np.linalg.norm(embeddings["T0000"].features, axis=1), 1.0, atol=1e-5)


def test_of_a_data_set_one_view_and_what_is_left_out(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_charades_ego(tmp_path / "data", train=2, test=1, seconds=3, fps=4)
    next(folder.rglob("*EGO.mp4")).write_text("no video")
    command = ["embed", "--data", str(folder), "--out", str(tmp_path / "a.npz"), "--model", str(model), "--json"]
    with pytest.raises(SystemExit) as stop:
        main([*command, "--view", "first"])
    assert stop.value.code == 3
    said = capsys.readouterr()
    assert {take.view for take in load_embeddings(tmp_path / "a.npz").values()} == {"first"}
    (fault,) = json.loads(said.out)["faults"]
    assert "EGO.mp4: not a readable video" in fault
    assert fault in said.err
