"""`frames`: a data set of JPEGs that reads as the videos do, in folders or tars; killed, it goes on; parts add up."""

import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actor_observer.cli import main
from actor_observer.disk import only_writer
from actor_observer.errors import TakeError
from actor_observer.features.on_disk.fingerprints import content_hash, size_and_date
from actor_observer.features.see import open_take
from actor_observer.frames import check_manifest, frames_at
from actor_observer.pairs import Manifest, read_manifest
from actor_observer.pairs.tar_shards import contents
from forked import command
from tiny import number_of, write_charades_ego, write_csv, write_frames, write_video


@pytest.fixture(scope="module")
def charades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_charades_ego(tmp_path_factory.mktemp("charades"), train=3, test=1, seconds=4, fps=8)


def same_but_for_places(kept: Manifest, recorded: Manifest) -> None:
    assert [pair.id for pair in kept.pairs] == [pair.id for pair in recorded.pairs]
    assert [pair.split for pair in kept.pairs] == [pair.split for pair in recorded.pairs]
    assert kept.classes == recorded.classes and not kept.faults
    for id, take in recorded.takes.items():
        own = kept.takes[id]
        assert replace(own, path=take.path, frame_rate=None, length=take.length) == take
        assert own.length == pytest.approx(take.length, abs=0.01)


@pytest.mark.parametrize("more", [[], ["--tar", "0.2"]], ids=["folders", "tars"])
def test_it_is_a_data_set_with_the_same_frames_at_the_same_times(
    more: list[str], charades: Path, tmp_path: Path
) -> None:
    out = tmp_path / "frames"
    main(["frames", str(charades), "--out", str(out), "--size", "64", *more])
    kept, recorded = read_manifest(out), read_manifest(charades)
    same_but_for_places(kept, recorded)
    assert not check_manifest(kept).faults
    times = np.array([3.99, 0.0, 1.3, 2.0, 0.124])
    for id in ("T0000", "U0000EGO"):
        found = [number_of(frame) for frame in frames_at(kept.takes[id], times)]
        assert found == [number_of(frame) for frame in frames_at(recorded.takes[id], times)] == [31, 0, 10, 16, 0]
    place = kept.takes["T0000"].path
    assert open_take(place, "third").frame_rate == 8.0
    assert frames_at(kept.takes["T0000"], [0.0]).shape[2:] == (48, 96)  # not enlarged
    assert content_hash(place) != content_hash(kept.takes["T0001"].path) and size_and_date(place)[0] > 1000
    if more:
        assert 2 < len([*out.rglob("*.tar")]) < 12
        with tarfile.open(place.parent) as tar:
            tar.extractall(tmp_path / "unpacked", filter="data")
        assert len([*(tmp_path / "unpacked" / "T0000").iterdir()]) == 33  # 32 pictures, fps.txt
        assert open_take(tmp_path / "unpacked" / "T0000", "third").length == 4.0
        pairs = [pair for pair in kept.pairs if pair.same_person]
        assert all(kept.takes[pair.third].path.parent == kept.takes[pair.first].path.parent for pair in pairs)


@pytest.mark.parametrize("more", [[], ["--tar", "5"]], ids=["folders", "tars"])
def test_a_pairs_csv_names_the_new_places_and_what_cannot_be_read_is_left_out(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    stamps = [0, 40, 80, 400, 440, 480, 1000]  # a camera that leaves frames out
    write_video(data / "a.mp4", frames=30, fps=10)
    write_video(data / "b.mp4", frames=7, fps=25, stamps=stamps)
    write_frames(data / "c", frames=12)
    (data / "d.mp4").write_bytes((data / "a.mp4").read_bytes()[:-600])
    rows = [{"id": "one", "third": "a.mp4", "first": "b.mp4"}, {"id": "two", "third": "d.mp4", "first": "c"}]
    write_csv(data / "pairs.csv", rows, ["id", "third", "first", "frame_rate"])
    with pytest.raises(SystemExit) as stop:
        main(["frames", str(data), "--out", str(tmp_path / "out"), "--size", "48", *more])
    assert stop.value.code == 3
    assert "d.mp4" in capsys.readouterr().err
    kept = read_manifest(tmp_path / "out")
    assert sorted(kept.takes) == ["one.first", "one.third", "two.first"]
    assert [pair.id for pair in kept.pairs if pair.same_person] == ["one"]
    uneven, times = kept.takes["one.first"], (np.arange(26) + 0.5) / 25
    assert uneven.length == pytest.approx(1.04)
    expected = [number_of(frame) for frame in frames_at(data / "b.mp4", times)]
    assert [number_of(frame) for frame in frames_at(uneven, times)] == expected
    assert kept.takes["two.first"].frame_rate == 24.0
    again = tmp_path / "again"
    with pytest.raises(SystemExit):
        main(["frames", str(tmp_path / "out"), "--out", str(again), "--size", "24", "--frame-rate", "5"])
    smaller = read_manifest(again).takes["one.third"]
    assert smaller.frame_rate == 5.0 and frames_at(smaller, [0.0]).shape[2:] == (24, 48)


def test_killed_it_goes_on_and_nothing_is_half_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    video = write_video(tmp_path / "data" / "v00.mp4", frames=96, fps=12)
    rows = []
    for number in range(24):
        shutil.copy(video, copy := video.with_name(f"v{number:02d}x.mp4"))
        rows.append({"id": f"p{number:02d}", "third": copy.name, "first": ""})
    write_csv(tmp_path / "data" / "pairs.csv", rows, ["id", "third", "first"])
    out = tmp_path / "out"
    arguments = ["frames", str(tmp_path / "data"), "--out", str(out), "--size", "64", "--workers", "2"]
    running = command(*arguments)
    running.wait_until(lambda: len([*out.glob("frames/p*")]) >= 5)
    running.kill_all()
    done = [*out.glob("frames/p*")]
    assert 5 <= len(done) < 24
    dates = {path: path.stat().st_mtime_ns for path in done}
    main(arguments)
    assert "were there already" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in done} == dates
    kept = read_manifest(out)
    assert len(kept.takes) == 24 and not [*out.rglob(".*.part")]
    assert all(number_of(frames_at(take, [7.99])[0]) == 95 for take in kept.takes.values())


def test_tars_that_are_whole_stay_as_they_are(charades: Path, tmp_path: Path) -> None:
    arguments = ["frames", str(charades), "--out", str(tmp_path), "--size", "32", "--tar", "0.1"]
    main(arguments)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("0*.*")}
    notes = sorted(tmp_path.rglob("0*.json"))
    notes[0].unlink()  # killed before the note was written
    notes[1].write_text("{")
    main(arguments)
    for path, (content, date) in before.items():
        assert path.read_bytes() == content
        assert (path.stat().st_mtime_ns == date) == (path.stem not in ("000000", "000001"))


def test_parts_write_into_one_folder_and_a_changed_recording_is_read_again(
    charades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = shutil.copytree(charades, tmp_path / "data"), tmp_path / "out"
    for part in ("2/2", "1/2"):
        main(["frames", str(data), "--out", str(out), "--size", "32", "--shard", part])
    same_but_for_places(read_manifest(out), read_manifest(data))
    write_video(data / "videos" / "T0001.mp4", frames=16, fps=4)
    capsys.readouterr()
    main(["frames", str(data), "--out", str(out), "--size", "32"])
    assert "11 were there already), 16 frames written" in capsys.readouterr().out
    assert read_manifest(out).takes["T0001"].frame_rate == 4.0


def test_bad_input_is_one_line(charades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    main(["frames", str(charades), "--out", str(out), "--size", "32", "--shard", "1/12"])

    def line(*arguments: str) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(["frames", str(charades), *arguments])
        assert stop.value.code == 2
        (said,) = capsys.readouterr().err.strip().splitlines()
        return said

    assert "begun with other settings" in line("--out", str(out), "--size", "48")
    assert "is the data set itself" in line("--out", str(charades))
    assert "counted from 1, so use 1/4 to 4/4" in line("--out", str(out), "--shard", "5/4")
    assert "no recipe 'x'" in line("--out", str(out), "--recipe", "x")
    assert "give the size of a tar file in MB" in line("--out", str(out), "--tar", "-1")
    with only_writer(out / ".lock", "this output"):
        assert "another process is writing to this output" in line("--out", str(out), "--size", "32")
    shutil.rmtree(charades / "frames", ignore_errors=True)
    shutil.rmtree(charades / "shards", ignore_errors=True)


def test_a_tar_that_was_cut_short_or_has_another_note_is_named(charades: Path, tmp_path: Path) -> None:
    main(["frames", str(charades), "--out", str(tmp_path / "out"), "--size", "32", "--tar", "50"])
    tar = tmp_path / "out" / "shards" / "000000.tar"
    whole = tar.read_bytes()
    tar.write_bytes(whole[:4096])
    with pytest.raises(TakeError, match="reaches past its end: it is cut short"):
        contents(tar)
    tar.with_suffix(".json").write_text('{"format": "actor-observer frames 1", "takes": {"x": 3}}')
    with pytest.raises(TakeError, match="does not say what is in the tar"):
        contents(tar)
    tar.with_suffix(".json").unlink()
    with pytest.raises(TakeError, match="no such file"):
        contents(tar)
