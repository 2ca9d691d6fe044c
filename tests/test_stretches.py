"""A stretch of a file (`FILE#t=START,END`) is a recording like any other, wherever a path is taken."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from actor_observer.alignment.cameras.clocked import Clocked
from actor_observer.alignment.cameras.trim import trim
from actor_observer.alignment.recordings.recording import open_recording
from actor_observer.alignment.timelines.tracks import tracks_of
from actor_observer.errors import TakeError, UserError
from actor_observer.features.embed_videos import embed
from actor_observer.features.embedding_files import load_embeddings
from actor_observer.features.on_disk.fingerprints import content_hash, size_and_date
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import open_take, same_video
from actor_observer.frames import check_take, frames_at
from actor_observer.frames.audio.sound import SOUND_RATE, read_sound
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import decoded
from actor_observer.frames.kept.keep import keep_frames
from actor_observer.frames.motion import motion_of_take
from actor_observer.frames.video import decode
from actor_observer.model import ActorObserverNet
from actor_observer.pairs import Clock, Take, read_manifest
from actor_observer.pairs.probe import probe
from actor_observer.pairs.window import with_window
from actor_observer.pictures.side_by_side import side_by_side
from actor_observer.searching.index import index
from actor_observer.searching.search import search
from actor_observer.web.media.convert import convert
from served import serving
from tiny import number_of, write_frames, write_video
from tiny_sound import clicks, write_sounding

START, END = 3.0, 7.5  # of 10 s at 12 frames a second: frames 36 to 89
SAME = Clock(((0.0, 0.0),))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten seconds; its keyframes are nowhere near the stretch's ends."""
    return write_video(tmp_path_factory.mktemp("stretch") / "episodes.mp4", 120, 12, gop=50)


@pytest.fixture(scope="module")
def stretch(file: Path) -> Path:
    return with_window(file, START, END)


def numbers(frames: object) -> list[int]:
    return [number_of(frame) for frame in frames]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("codec", "suffix"), [("libx264", ".mp4"), ("libx264", ".mkv"), ("mpeg4", ".avi")])
def test_its_frames_are_those_that_begin_in_it_at_times_from_its_start(tmp_path: Path, codec: str, suffix: str) -> None:
    file = write_video(tmp_path / f"episodes{suffix}", 120, 12, codec, gop=50, options={"b": "2000k"})
    stretch = with_window(file, START, END)
    found = index_video(stretch)
    assert found.times.round(3).tolist() == (np.arange(54) / 12).round(3).tolist()
    assert found.end == pytest.approx(END - START) == probe(stretch).length
    assert numbers(frames_at(stretch, [0.0, 1.0, 4.49, 99.0, -1.0])) == [36, 48, 89, 89, 36], "never a neighbour's"


def test_an_end_that_is_a_little_off_the_frames_grid_is_meant_on_it(file: Path) -> None:
    for off in (-1e-4, 0.0, 1e-4):
        found = frames_at(with_window(file, START + off, END + off), [0.0, 99.0])
        assert numbers(found) == [36, 89], off


def test_frames_without_stamps_are_counted_from_the_files_start(file: Path, stretch: Path) -> None:
    index = replace(index_video(stretch), stamped=False)
    found: dict[int, int] = {}
    decode(stretch, index, np.array([0, 53]), None, 1, lambda frame, pixels: found.update({frame: number_of(pixels)}))
    assert found == {0: 36, 53: 89}
    shown = [(place, number_of(frame.to_ndarray(format="rgb24"))) for place, frame in decoded(stretch, index, 0, 1)]
    assert shown == [(place, 36 + place) for place in range(54)]


def test_motion_is_that_of_the_same_frames_and_kept_apart(file: Path, stretch: Path) -> None:
    whole, part = (motion_of_take(open_take(path, "third")) for path in (file, stretch))
    assert np.allclose(part.times + START, whole.times[36:89])
    assert np.allclose(part.whole[1:-1], whole.whole[37:88])  # keyframes at other ends are mended by other neighbours
    kept = kept_motion(open_take(stretch, "third"))
    assert len(kept.times) == 53 and len(kept_motion(open_take(file, "third")).times) == 119


def test_it_is_a_recording_of_its_own(file: Path, stretch: Path) -> None:
    other = with_window(file, 0.0, 3.0)
    assert len({content_hash(path) for path in (file, stretch, other)}) == 3
    assert size_and_date(stretch) == size_and_date(file)
    assert same_video(stretch, stretch) and not same_video(stretch, file) and not same_video(stretch, other)
    assert open_take(stretch, "third").id == "episodes_3-7.5"


def test_its_sound_is_cut_with_it_and_its_recording_time_is_later(tmp_path: Path) -> None:
    times = np.cumsum(np.random.default_rng(0).uniform(0.3, 0.8, 16)).tolist()
    for late in (0.0, 0.3):
        file = write_sounding(tmp_path / f"{late}.mp4", clicks(9.0, times), start=late)
        whole, part = read_sound(file), read_sound(with_window(file, 4.0, 6.0))
        assert (
            whole and part and part.start == pytest.approx(0.0, abs=1e-3) and part.end == pytest.approx(2.0, abs=0.01)
        )
        begin = round((4.0 - whole.start) * SOUND_RATE)
        alike = [np.corrcoef(whole.samples[begin + d :][:30_000], part.samples[:30_000])[0, 1] for d in (-1, 0, 1)]
        assert np.argmax(alike) == 1 and alike[1] > 0.8, "sample for sample, but for a part of one"
    dated = write_video(tmp_path / "dated.mp4", 48, 12, metadata={"creation_time": "2024-05-01T10:00:00"})
    began = [open_recording(path, "third").started for path in (dated, with_window(dated, 2.0, 3.0))]
    assert began[0] and began[1] and (began[1] - began[0]).total_seconds() == 2.0


def test_what_is_cut_shown_and_put_on_a_timeline_is_the_stretch(tmp_path: Path, file: Path, stretch: Path) -> None:
    both = [Clocked(stretch, "third", 4.5, SAME), Clocked(file, "first", 10.0, Clock(((0.0, 1.0),)))]
    cut, whole = trim(both, tmp_path / "cut")
    assert (cut.name, whole.name) == ("episodes_3-7.5.mp4", "episodes.mp4")
    assert numbers(frames_at(cut, [0.0, 4.4])) == [36, 88] and numbers(frames_at(whole, [0.0])) == [12]
    side_by_side(both, tmp_path / "both.mp4")
    assert index_video(tmp_path / "both.mp4").end == pytest.approx(4.5, abs=0.01)
    first, second = tracks_of(both, tmp_path, "edit").tracks
    assert (first.start, first.count, first.frames) == (36, 54, 120) and first.url == second.url, "one file on disk"
    with pytest.raises(UserError, match="would overwrite the recording itself"):
        side_by_side(both, file)


def test_a_pairs_csv_may_name_stretches_and_frames_of_it_are_kept(tmp_path: Path, file: Path) -> None:
    rows = [[f"e{n}", f"{file}#t={n},{n + 1}", f"{file}#t={n + 4},{n + 5}", "1 0.2 0.5"] for n in range(3)]
    rows.append(["late", f"{file}#t=50,60", f"{file}#t=1,2", ""])
    with (tmp_path / "pairs.csv").open("w", newline="") as table:
        csv.writer(table).writerows([["id", "third", "first", "actions"], *rows])
    manifest = read_manifest(tmp_path)
    assert [pair.id for pair in manifest.pairs] == ["e0", "e1", "e2"]
    assert manifest.takes["e1.third"].length == 1.0 and not check_take(manifest.takes["e1.third"])
    assert [str(fault).split(": ")[1] for fault in manifest.faults] == [
        "starts at 50 s, but the file lasts 10.00 s (left out)"
    ]
    keep_frames(tmp_path, manifest, tmp_path / "frames", workers=1)
    kept = read_manifest(tmp_path / "frames").takes["e2.first"]
    assert kept.length == 1.0 and numbers(frames_at(kept, [0.0, 0.99])) == [72, 83]


def test_it_is_embedded_and_found(tmp_path: Path, file: Path, stretch: Path, network: ActorObserverNet) -> None:
    done = embed([stretch, file], tmp_path / "both.npz", "third", network, look_rate=2.0)
    found = load_embeddings(done.path)
    assert set(found) == {"episodes", "episodes_3-7.5"}
    assert np.allclose(found["episodes_3-7.5"].times, np.arange(9) / 2 + 0.25)
    index([stretch], tmp_path / "index", "third", model=network)
    again = index([stretch, with_window(file, 0.0, 3.0)], tmp_path / "index", "third", model=network)
    assert (len(again.added), len(again.skipped)) == (1, 1)
    hit = search(tmp_path / "index", f"{stretch}@2", "third", "third", model=network).hits[0]
    assert hit.video in (str(stretch), str(with_window(file, 0.0, 3.0)))


def test_the_studio_plays_a_copy_that_begins_at_zero(tmp_path: Path, file: Path, stretch: Path) -> None:
    with serving(tmp_path / "studio", with_window(file, 0.0, 2.0), stretch) as served:
        studio = served.studio
        third, first = (
            studio.take(name) for card in studio.cards.cards.values() for name in (card.third.id, card.first.id)
        )
        assert (third.length, first.length) == (2.0, 4.5) and studio.key(third) != studio.key(first)
        with pytest.raises(UserError, match="being converted"):
            studio.file_of(first)
        convert(first.path, studio.converted_path(first), None)
        assert numbers(frames_at(studio.file_of(first), [0.0, 99.0])) == [36, 89]
        assert served.client().raw("GET", f"/media/video?take={quote(first.id)}")[0] == 200


def test_its_conversion_keeps_its_sound_in_step(tmp_path: Path) -> None:
    file = write_sounding(tmp_path / "a.mp4", clicks(8.0, [1.0, 4.5, 5.5, 7.0]))
    convert(with_window(file, 4.0, 6.0), tmp_path / "out.mp4", None)
    sound = read_sound(tmp_path / "out.mp4")
    assert sound is not None and sound.end == pytest.approx(2.0, abs=0.05)
    loud = np.abs(sound.samples.astype(int)) > 3000
    assert sound.start + np.argmax(loud) / SOUND_RATE == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ("#t=8,2", "a stretch ends after it starts"),
        ("#t=2,2", "a stretch ends after it starts"),
        ("#t=10,12", "starts at 10 s, but the file lasts 10.00 s"),
        ("#t=0:01,0:02", "no such file .a stretch of a file is FILE#t=START,END, in seconds"),
        ("#t=3.01,3.02", "no frame of the file begins between 3.01 and 3.02 s"),
        ("#t=1.0,1.05", "a single picture"),
    ],
)
def test_a_stretch_that_cannot_be_is_one_line(file: Path, window: str, said: str) -> None:
    with pytest.raises(TakeError, match=said):
        open_take(f"{file}{window}", "third")


def test_ends_may_be_left_open_and_one_past_the_file_means_its_end(file: Path) -> None:
    lengths = [open_take(f"{file}{window}", "third").length for window in ("#t=4", "#t=,4", "#t=6,60")]
    assert np.allclose(lengths, [6.0, 4.0, 4.0])


def test_folders_have_no_stretches_and_a_real_name_is_a_name(tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "frames", 4)
    with pytest.raises(TakeError, match="only video and sound files have stretches"):
        open_take(f"{folder}#t=0,1", "third")
    odd = write_video(tmp_path / "odd.mp4", 24, 12).rename(tmp_path / "odd.mp4#t=1,2")
    assert len(index_video(odd).times) == 24 and not check_take(Take("odd", "third", odd, 2.0))
