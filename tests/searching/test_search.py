"""Search finds the moment, among those that are asked about, once each."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from actor_observer import index, search
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.features import Look
from actor_observer.features.see import see_phi
from actor_observer.frames import frames_at
from actor_observer.model import ActorObserverNet
from actor_observer.searching.engines.engine import Engine, Filter, Near
from actor_observer.searching.engines.flat_index import open_index
from actor_observer.searching.query import ask_for, read_picture
from asked import as_nobody, small_network
from tiny import numbered_frame, write_video


@pytest.fixture(scope="module")
def moments(network: ActorObserverNet, videos: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    for video, view, subject in zip(videos, ("first", "first", "third"), ("ann", "bob", "ann"), strict=True):
        index(video, folder, view, subject, moment_rate=2.0, model=network)
    return folder


def test_a_moment_finds_itself_first(network: ActorObserverNet, videos: list[Path], moments: Path) -> None:
    for video, view in zip(videos[:2], ("first", "first"), strict=True):
        for time in (0.25, 3.75, 5.25):
            best = search(moments, f"{video}@{time}", view, model=network).hits[0]
            assert (best.video, best.time) == (str(video), time)
            assert best.distance < 1e-3


def test_a_network_that_needs_no_take_gives_distance_zero(videos: list[Path], tmp_path: Path) -> None:
    plain = small_network(centred=False)
    index(videos, tmp_path / "i", "first", model=plain)
    by_time = search(tmp_path / "i", f"{videos[1]}@4.5", "first", model=plain)
    assert by_time.hits[0].distance < 1e-3
    frame = frames_at(videos[1], [4.5])[0]
    for picture in (frame, frame.permute(1, 2, 0).numpy()):
        assert search(tmp_path / "i", picture, "first", model=plain).hits[0].time == 4.5
    Image.fromarray(frame.permute(1, 2, 0).numpy()).save(tmp_path / "frame.png")
    assert search(tmp_path / "i", tmp_path / "frame.png", "first", model=plain).hits[0].time == 4.5


def test_answers_are_as_near_as_they_say_and_in_order(network: ActorObserverNet, moments: Path, videos) -> None:
    found = open_index(moments)
    answers = search(found, (videos[2], 2.0), "third", top=100, apart=0.0, model=network)
    assert len(answers.hits) == len(found)
    distances = [hit.distance for hit in answers.hits]
    assert distances == sorted(distances)
    assert {(hit.video, hit.time) for hit in answers.hits} == {
        (entry.video, time)
        for entry, start, end in zip(found.entries, found.starts, found.starts[1:], strict=False)
        for time in found.times[start:end].tolist()
    }


def test_answers_are_different_moments(network: ActorObserverNet, moments: Path, videos: list[Path]) -> None:
    answers = search(moments, f"{videos[0]}@3", "first", top=100, apart=2.0, model=network)
    for video in videos:
        times = sorted(hit.time for hit in answers.hits if hit.video == str(video))
        assert times
        assert min(np.diff(times), default=9) >= 2.0
    nearest = search(moments, f"{videos[0]}@3", "first", top=1, model=network).hits
    assert answers.hits[:1] == nearest


def test_filters_by_view_subject_and_video(network: ActorObserverNet, moments: Path, videos: list[Path]) -> None:
    def found(**filters: str) -> set[str]:
        answers = search(moments, f"{videos[0]}@1", "first", top=50, model=network, **filters)  # type: ignore[arg-type]
        return {Path(hit.video).stem for hit in answers.hits}

    assert found() == {"a", "b", "c"}
    assert found(in_view="first") == {"a", "b"}
    assert found(subject="ann") == {"a", "c"}
    assert found(video="b.mp4") == found(video="b") == found(video=str(videos[1])) == {"b"}
    assert found(video=os.path.relpath(videos[1])) == {"b"}  # as the command prints it
    assert found(video="[ab]*", subject="bob") == {"b"}
    with pytest.raises(UserError, match="none of its 3 videos has view third, subject bob"):
        found(in_view="third", subject="bob")


class AnotherEngine:
    """An index in memory that compares everything by itself, and counts how often it is asked."""

    def __init__(self, folder: Path) -> None:
        flat = open_index(folder)
        self.folder, self.head, self.videos, self.asked = Path("elsewhere"), flat.head, flat.videos, 0
        owners = np.repeat(np.arange(len(flat.entries)), np.diff(flat.starts))
        self._rows = [(flat.entries[o], t, v) for o, t, v in zip(owners, flat.times, flat.vectors, strict=True)]

    def nearest(self, vector: np.ndarray, filter: Filter, top: int) -> list[Near]:
        self.asked += 1
        near = [Near(e, t, float(np.linalg.norm(v - vector))) for e, t, v in self._rows if filter.matches(e)]
        return sorted(near, key=lambda one: one.distance)[:top]


def test_another_engine_can_stand_behind_search(
    network: ActorObserverNet, moments: Path, videos: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actor_observer.searching.search.FIRST_ASKED", 1)
    other: Engine = AnotherEngine(moments)
    for filters in ({}, {"in_view": "first"}, {"subject": "ann"}, {"video": "[ab]*"}):
        for apart in (0.0, 3.0):
            ask = dict(view="first", top=6, apart=apart, model=network, **filters)
            by_files, by_other = (search(engine, f"{videos[0]}@1", **ask).hits for engine in (moments, other))  # type: ignore[arg-type]
            assert [(hit.video, hit.time) for hit in by_files] == [(hit.video, hit.time) for hit in by_other]
    assert other.asked > 8  # neighbours in time were left out, so it was asked for more


def test_the_query_is_of_the_other_view_unless_told(network: ActorObserverNet, moments: Path, videos) -> None:
    assert search(moments, f"{videos[2]}@1", in_view="first", model=network).view == "third"
    assert search(moments, f"{videos[0]}@1", in_view="third", model=network).view == "first"
    with pytest.raises(UserError, match="holds both views: say which view the query is of"):
        search(moments, f"{videos[0]}@1", model=network)


def test_a_picture_alone_is_seen_against_the_usual_of_its_view(moments: Path, videos: list[Path]) -> None:
    trained, frame = small_network(), frames_at(videos[1], [3.25])[0]

    def rank(picture: object) -> int:
        hits = search(moments, picture, "first", top=99, apart=0.0, video="b", model=trained, fps=4.0).hits  # type: ignore[arg-type]
        return [hit.time for hit in hits].index(3.25)

    assert rank(frame) > 0  # nobody said what is usual
    assert rank((torch.stack([frame] * 8), 0.5)) > 0  # a still video has nothing to be seen against
    trained.usual[1] = torch.from_numpy(see_phi(trained, videos[1], "first").features.mean(axis=0))
    assert rank(frame) == 0


@pytest.mark.parametrize("rate", [1.0, 0.5, 4.0])
def test_a_network_that_sees_context_finds_the_moment_too(rate: float, videos: list[Path], tmp_path: Path) -> None:
    network = small_network(context=(1.0, 2.0))
    index(videos, tmp_path / "i", "first", moment_rate=rate, model=network)
    found = open_index(tmp_path / "i")
    assert len(found) == 24 * rate
    for time in (0.5 / rate, 4.5 / rate if rate > 0.5 else 5.0):
        best = search(found, f"{videos[2]}@{time}", "first", model=network).hits[0]
        assert (best.video, best.time) == (str(videos[2]), pytest.approx(time))
        assert best.distance < 1e-3


def test_pixels_are_queries_too(network: ActorObserverNet, moments: Path, videos: list[Path]) -> None:
    pixels = frames_at(videos[1], np.arange(32) / 4)
    by_pixels = search(moments, (pixels, 3.25), "first", model=network, fps=4.0)
    by_file = search(moments, (videos[1], 3.25), "first", model=network)
    assert by_pixels.hits[0].time == by_file.hits[0].time == 3.25
    with pytest.raises(UserError, match=r"the video ends at 8\.00 s"):
        search(moments, (pixels, 9.0), "first", model=network, fps=4.0)


def test_a_phone_held_upright_gives_upright_queries(tmp_path: Path) -> None:
    upright = write_video(tmp_path / "upright.mp4", 8, 4, rotation=90)
    asked = ask_for(f"{upright}@1", Look(size=24))
    assert asked.picture.shape == (3, 96, 48)
    assert asked.frames.shape[2:] == (48, 24)
    lying = Image.fromarray(numbered_frame(3))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter
    lying.save(tmp_path / "photo.jpg", exif=exif)
    assert read_picture(tmp_path / "photo.jpg").shape == (3, 96, 48)


def test_pictures_of_the_answers(network: ActorObserverNet, videos: list[Path], tmp_path: Path) -> None:
    gone = tmp_path / "gone.mp4"
    shutil.copy(videos[0], gone)
    index([gone, *videos[:1]], tmp_path / "i", "first", model=network)
    gone.unlink()
    answers = search(tmp_path / "i", f"{videos[0]}@2.5", "first", top=2, apart=9.0, model=network)
    written = answers.save(tmp_path / "new" / "out")
    there = next(number for number, hit in enumerate(answers.hits, 1) if hit.video == str(videos[0]))
    assert [path.name for path in written] == [f"0{there}_a_2.50s.jpg", "sheet.jpg"]
    with Image.open(written[0]) as picture:
        assert picture.size == (480, 240)
    with Image.open(written[1]) as sheet:
        assert sheet.size == (10 + 3 * 250, 10 + 230)
    (tmp_path / "new" / "out" / "mine.jpg").touch()
    other = search(tmp_path / "i", f"{videos[0]}@4.5", "first", top=2, apart=9.0, model=network)
    written = other.save(tmp_path / "new" / "out")
    assert {path.name for path in (tmp_path / "new" / "out").iterdir()} == {
        *(path.name for path in written),
        "mine.jpg",
    }


def test_an_index_that_may_only_be_read_is_searched(network, moments: Path, videos: list[Path]) -> None:
    with as_nobody(moments, videos[0]):
        assert search(moments, f"{videos[0]}@2.25", "first", model=network).hits[0].time == 2.25


def test_moments_without_a_name_are_said_once(
    moments: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = Path(shutil.copytree(moments, tmp_path / "left"))
    (left / "videos.jsonl").write_bytes(b"")
    assert not open_index(left).entries
    assert capsys.readouterr().err.count("it holds moments that its list does not name") == 1


def test_the_command_prints_a_table_and_json(
    model: Path, moments: Path, videos: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["search", str(moments), f"{videos[0]}@2.25", "--view", "first", "--model", str(model), "--top", "3"]
    main([*ask, "--out", str(tmp_path / "found")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["video", "time", "(s)", "distance", "view", "subject"]
    assert lines[1].split()[:3] == ["1", str(videos[0]), "2.25"]
    assert lines[-1] == f"3 pictures and sheet.jpg in {tmp_path / 'found'}"
    main([*ask, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["answers"][0]["time"] == 2.25
    assert told["view"] == "first"
