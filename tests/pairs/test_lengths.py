"""What a header or a row says about a recording's length is compared with the file; what is decoded counts."""

import struct
from pathlib import Path

import pytest

from actor_observer.errors import TakeError
from actor_observer.frames.check import check_manifest
from actor_observer.frames.frame_index import index_video
from actor_observer.pairs import read_manifest
from actor_observer.pairs.probe import probe
from actor_observer.sampling import take_census
from tiny import write_csv, write_frames, write_video

HOUR = 3600.0


def claiming(path: Path, seconds: float) -> Path:
    """A Matroska file whose header claims another length: an EBML element, 0x4489, of eight bytes."""
    content = write_video(path, frames=48, fps=12).read_bytes()
    place = content.index(b"\x44\x89\x88") + 3
    path.write_bytes(content[:place] + struct.pack(">d", seconds * 1000) + content[place + 8 :])
    return path


@pytest.mark.parametrize("seconds", [HOUR, 1e9, 1e300, 0.5])
def test_a_header_that_lies_is_not_believed(tmp_path: Path, seconds: float) -> None:
    assert probe(claiming(tmp_path / "a.mkv", seconds)).length == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.avi", "a.ts"])
def test_an_honest_header_is_as_good_as_all_packets(tmp_path: Path, name: str) -> None:
    codec = "mpeg4" if name.endswith("avi") else "libx264"
    assert probe(write_video(tmp_path / name, frames=48, fps=12, codec=codec)).length == pytest.approx(4.0, abs=0.1)


def test_a_row_that_lies_is_not_believed(tmp_path: Path) -> None:
    rows = [{"id": "AAAAA", "length": "1e9"}, {"id": "BBBBB", "length": "3600"}, {"id": "CCCCC", "length": "4"}]
    data = tmp_path / "data"
    write_csv(data / "Charades_v1_train.csv", [*rows, {"id": "DDDDD", "length": "1e9"}], ["id", "length"])
    for row in rows:
        write_video(data / "videos" / f"{row['id']}.mp4", frames=48, fps=12)
    write_frames(data / "videos" / "DDDDD", frames=48)
    manifest = read_manifest(data)
    assert {round(take.length, 1) for take in manifest.takes.values()} == {4.0, 2.0}
    said = [str(fault) for fault in manifest.faults]
    assert any("AAAAA.mp4: a length of '1e9' cannot be; the file's is used" in line for line in said)
    assert any("BBBBB.mp4: annotated as 3600.0 s long, the file lasts 4.0 s" in line for line in said)
    assert not any("CCCCC" in line for line in said)
    assert take_census(check_manifest(manifest)).total.hours < 0.01


def test_frames_days_apart_are_refused_by_name(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", frames=3, stamps=[0, 40, 2_000_000_000], gop=1, codec="mpeg4")
    for look in (index_video, probe):
        with pytest.raises(TakeError, match=r"a\.mkv: claims to last 556 hours, too long"):
            look(path)


def test_a_rate_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "a", frames=3)
    data = write_csv(tmp_path / "pairs.csv", [{"id": "p", "third": "a", "first": "a"}], ["id", "third", "first"])
    for text in ("1e-300", "1e300", "0", "nan"):
        (folder / "fps.txt").write_text(text)
        (fault, *_) = read_manifest(data).faults
        assert "fps.txt: should hold one positive number, the frames per second" in str(fault)
