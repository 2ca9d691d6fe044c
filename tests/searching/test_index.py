"""An index holds what a network sees, grows by whole videos, and belongs to one model."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from actor_observer import index, search
from actor_observer.errors import UserError
from actor_observer.features.identity import Identity
from actor_observer.features.see import see
from actor_observer.model import ActorObserverNet
from actor_observer.searching.engines.engine import Filter
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.flat_index import open_index
from actor_observer.searching.engines.index_writer import write_index
from asked import small_network
from tiny import write_frames, write_video


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_holds_what_the_network_sees(network: ActorObserverNet, videos: list[Path], tmp_path: Path) -> None:
    done = index(videos, tmp_path / "i", "first", "ann", moment_rate=2.0, model=network)
    found = open_index(tmp_path / "i")
    assert (len(found), done.moments, done.total) == (48, 48, 48)
    for number, video in enumerate(videos):
        seen = see(network, video, "first", look_rate=2.0)
        rows = slice(found.starts[number], found.starts[number + 1])
        np.testing.assert_allclose(found.vectors[rows], seen.features, atol=1e-5)
        np.testing.assert_array_equal(found.times[rows], seen.times)
        entry = found.entries[number]
        assert (entry.video, entry.view, entry.subject) == (str(video), "first", "ann")


def test_the_same_call_adds_nothing_and_a_changed_video_takes_its_own_place(network, videos, tmp_path: Path) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    for video in videos:
        shutil.copy(video, folder)
    index(folder, tmp_path / "i", "first", model=network)
    before = contents(tmp_path / "i")
    os.utime(folder / "a.mp4")  # touched, not changed
    again = index(folder, tmp_path / "i", "first", model=network)
    assert (len(again.added), len(again.skipped), contents(tmp_path / "i")) == (0, 3, before)
    write_video(folder / "a.mp4", frames=12, fps=4)
    changed = index(folder, tmp_path / "i", "first", model=network)
    assert (
        [Path(video).name for video in changed.added] == ["a.mp4"] == [Path(video).name for video in changed.replaced]
    )
    assert "1 video (1 replaced an older entry" in str(changed)
    found = open_index(tmp_path / "i")
    assert found.live.tolist() == [False, True, True, True]
    assert [(entry.name, entry.rows) for entry in found.videos] == [("b.mp4", 8), ("c.mp4", 10), ("a.mp4", 3)]
    assert changed.total == 21
    assert index(folder / "a.mp4", tmp_path / "i", "first", "bob", model=network).added  # by another name


def test_pixels_have_a_name_and_folders_of_frames_are_videos(network: ActorObserverNet, tmp_path: Path) -> None:
    pixels = torch.randint(0, 256, (24, 40, 60, 3), dtype=torch.uint8)
    for added in (1, 0):
        done = index({"kitchen": pixels}, tmp_path / "i", "third", model=network, fps=6.0)
        assert len(done.added) == added
    done = index({"kitchen": pixels.numpy()[:12]}, tmp_path / "i", "third", model=network, fps=6.0)
    assert len(done.added) == 1
    index(write_frames(tmp_path / "frames", 48), tmp_path / "i", "third", model=network)
    assert [(entry.name, entry.rows) for entry in open_index(tmp_path / "i").videos] == [("kitchen", 2), ("frames", 2)]
    with pytest.raises(UserError, match="pixels need a name"):
        index([pixels], tmp_path / "i", "third", model=network)


def test_where_nothing_can_be_read_no_index_is_left(network: ActorObserverNet, tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("no video")
    with pytest.raises(UserError, match="not a readable video"):
        index(tmp_path / "a.mp4", tmp_path / "i", "first", model=network)
    assert not (tmp_path / "i").exists()


def test_frames_rewritten_in_their_folder_are_another_video(network: ActorObserverNet, tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "frames", 48)
    index(folder, tmp_path / "i", "third", model=network)
    for file in folder.iterdir():
        Image.open(file).rotate(180).save(file)  # the folder's own date stays
    assert index(folder, tmp_path / "i", "third", model=network).added
    assert index(folder, tmp_path / "i", "third", model=network).skipped


def test_subjects_are_kept_unless_others_are_given(
    network: ActorObserverNet, videos: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    shutil.copy(videos[0], folder)
    index(folder, tmp_path / "i", "first", "ann", model=network)
    assert index(folder, tmp_path / "i", "first", model=network).skipped
    write_video(folder / "a.mp4", frames=12, fps=4)
    assert index(folder, tmp_path / "i", "first", model=network).added
    assert [entry.subject for entry in open_index(tmp_path / "i").videos] == ["ann"]
    index(folder, tmp_path / "i", "first", "", model=network)
    assert [entry.subject for entry in open_index(tmp_path / "i").videos] == [""]


def test_a_folder_of_frames_is_as_long_as_fps_says(network: ActorObserverNet, tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "frames", 30)
    (folder / "fps.txt").write_text("3\n")
    index(folder, tmp_path / "i", "third", model=network)
    [entry] = open_index(tmp_path / "i").videos
    assert (entry.rows, entry.frame_rate) == (10, 3.0)
    assert index(folder, tmp_path / "i", "third", model=network).skipped
    assert index(folder, tmp_path / "i", "third", model=network, fps=6.0).added  # now 5 seconds
    assert [entry.rows for entry in open_index(tmp_path / "i").videos] == [5]
    for wrong in (0.0, -3.0, float("nan")):
        with pytest.raises(UserError, match="a number above zero"):
            search(tmp_path / "i", (folder, 4.5), "third", model=network, fps=wrong)
    query = (folder, 4.5)
    assert search(tmp_path / "i", query, "third", model=network, fps=6.0).hits[0].time == pytest.approx(4.5)
    with pytest.raises(UserError, match=r"the video ends at 5\.00 s"):
        search(tmp_path / "i", (folder, 7.0), "third", model=network, fps=6.0)


def test_a_video_named_twice_is_one(network: ActorObserverNet, videos: list[Path], tmp_path: Path) -> None:
    done = index([videos[0], str(videos[0])], tmp_path / "i", "first", model=network)
    assert len(done.added) == 1


def test_a_path_that_cannot_be_is_a_fault_alone(network: ActorObserverNet, videos: list[Path], tmp_path: Path) -> None:
    done = index([tmp_path / ("x" * 300), videos[0]], tmp_path / "i", "first", model=network)
    assert len(done.added) == 1
    assert [fault.what for fault in done.faults] == ["cannot be read (File name too long)"]


def test_what_cannot_be_read_is_a_fault_and_the_others_go_on(network, videos: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "cut.mp4").write_bytes(videos[0].read_bytes()[:800])
    (tmp_path / "new\nline.mp4").write_bytes(videos[0].read_bytes())
    done = index([tmp_path, videos[0]], tmp_path / "i", "first", model=network)
    assert done.added == [str(videos[0])]
    faults = {Path(fault.path).name: fault.what for fault in done.faults}
    assert faults["empty.mp4"] == "the file is empty"
    assert "cut short" in faults["cut.mp4"]
    assert "an invalid name" in faults["new?line.mp4"]
    with pytest.raises(UserError, match="none of 3 videos can be read"):
        index(tmp_path, tmp_path / "i", "first", model=network)


def test_an_index_is_of_one_model_and_one_rate(network: ActorObserverNet, videos, tmp_path: Path) -> None:
    index(videos[0], tmp_path / "i", "first", model=network)
    other = small_network(seed=1)
    other.save_pretrained(tmp_path / "other")
    with pytest.raises(UserError, match=r"made by a network on resnet18 \(\w{8}\), not by .*/other \(\w{8}\)"):
        index(videos[1], tmp_path / "i", "first", model=tmp_path / "other")
    with pytest.raises(UserError, match=r"of the same name but not the same: .*; index the videos into another folder"):
        index(videos[1], tmp_path / "i", "first", model=other)
    with pytest.raises(UserError, match="holds 1 moments a second, not 4"):
        index(videos[1], tmp_path / "i", "first", moment_rate=4.0, model=network)
    small_network(video_k=0.5, labels=(), label_names=()).save_pretrained(tmp_path / "same")
    assert index(videos[1], tmp_path / "i", "first", model=tmp_path / "same").added  # other heads, the same embedding


HEAD = IndexHead(Identity("mine", "93ab12cd34ef56ab"), 2, 1.0)


def fill(folder: Path, videos: range) -> None:
    """Entries of made-up numbers."""
    with write_index(folder, HEAD) as writer:
        for number in videos:
            rows = number % 3 + 1
            numbers = np.full((rows, 2), number, dtype=np.float32)
            writer.add(Entry(f"{number}.mp4", "first", rows), np.arange(rows, dtype=float), numbers)


def test_a_process_that_ends_anywhere_leaves_a_whole_index(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    fill(whole, range(4))
    lines = (whole / "videos.jsonl").read_bytes()
    ends = [place + 1 for place, letter in enumerate(lines) if letter == ord("\n")]
    for size in sorted({0, 1, *ends[:-1], *(end - 1 for end in ends), *(end + 9 for end in ends[:-1])}):
        shutil.rmtree(cut, ignore_errors=True)
        shutil.copytree(whole, cut)
        with (cut / "videos.jsonl").open("ab") as file:
            file.truncate(size)  # the numbers come first: they are all there
        done = lines[:size].count(b"\n")
        found = open_index(cut)
        assert [entry.video for entry in found.entries] == [f"{number}.mp4" for number in range(done)]
        assert found.vectors[:, 0].tolist() == [n for n in range(done) for _ in range(n % 3 + 1)]
        fill(cut, range(done, 4))
        assert contents(cut) == contents(whole)


def test_one_process_writes_at_a_time_and_anybody_reads(tmp_path: Path) -> None:
    fill(tmp_path / "i", range(2))
    with write_index(tmp_path / "i", HEAD) as writer:
        with pytest.raises(UserError, match="another process is writing"), write_index(tmp_path / "i", HEAD):
            pass
        writer.add(Entry("x.mp4", "third", 1), np.zeros(1), np.zeros((1, 2), np.float32))
        assert len(open_index(tmp_path / "i").entries) == 3
    fill(tmp_path / "i", range(2, 3))


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(UserError, match="not an index, and not empty"), write_index(tmp_path, HEAD):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


LINE = {"video": "a.mp4", "view": "first", "rows": 1}


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("index.json", b"", "not the head of an index"),
        ("index.json", b"[]", "not the head of an index"),
        ("index.json", json.dumps({"format": "tea"}).encode(), "not the format"),
        ("vectors.f32", b"1234", "4 bytes where 8 are listed"),
        ("times.f64", b"", "0 bytes where 8 are listed"),
        ("videos.jsonl", b"{}\n", "line 1: damaged"),
        ("videos.jsonl", b"\x80\x04\n", "line 1: damaged"),
        ("videos.jsonl", json.dumps(LINE | {"rows": -1}).encode() + b"\n", "an impossible number of moments"),
        ("videos.jsonl", json.dumps(LINE | {"rows": 1 << 40}).encode() + b"\n", "an impossible number of moments"),
        ("videos.jsonl", json.dumps(LINE | {"rows": 999}).encode() + b"\n", "where 7992 are listed"),
        ("videos.jsonl", json.dumps(LINE | {"view": "second"}).encode() + b"\n", "an invalid view"),
        ("videos.jsonl", json.dumps(LINE | {"video": "\x1b[2J"}).encode() + b"\n", "an invalid name"),
        ("videos.jsonl", json.dumps(LINE | {"video": ""}).encode() + b"\n", "an invalid name"),
        ("videos.jsonl", json.dumps(LINE | {"frame_rate": "x"}).encode() + b"\n", "an invalid frame rate"),
        ("videos.jsonl", json.dumps(LINE | {"code": "x"}).encode() + b"\n", "line 1: damaged"),
    ],
)
def test_what_a_stranger_wrote_is_checked(name: str, content: bytes, complaint: str, tmp_path: Path) -> None:
    fill(tmp_path / "i", range(1))
    (tmp_path / "i" / name).write_bytes(content)
    with pytest.raises(UserError, match=complaint):
        open_index(tmp_path / "i")
    with pytest.raises(UserError), write_index(tmp_path / "i", HEAD):
        pass


def damage(folder: Path, how: str) -> None:
    lines = (folder / "videos.jsonl").read_bytes().splitlines(keepends=True)
    if how == "zeroed vectors":
        (folder / "vectors.f32").write_bytes(bytes((folder / "vectors.f32").stat().st_size))
    elif how == "changed times":
        (folder / "times.f64").write_bytes((folder / "times.f64").read_bytes()[::-1])
    elif how == "swapped lines":
        (folder / "videos.jsonl").write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    elif how == "a lost line":
        (folder / "videos.jsonl").write_bytes(b"".join(lines[1:]))
    elif how == "an edited line":
        (folder / "videos.jsonl").write_bytes(b"".join(lines).replace(b'"first"', b'"third"', 1))
    elif how == "an edited head":
        text = (folder / "index.json").read_text()
        (folder / "index.json").write_text(text.replace("1.0", "2.0"))
    else:
        (folder / "index.json").unlink()


DAMAGE = ["zeroed vectors", "changed times", "swapped lines", "a lost line", "an edited line", "an edited head"]


@pytest.mark.parametrize("how", [*DAMAGE, "a deleted head"])
def test_damage_is_noticed(how: str, tmp_path: Path) -> None:
    fill(tmp_path / "i", range(1, 5))
    assert len(open_index(tmp_path / "i").nearest(np.ones(2, np.float32), Filter(), 99)) == 8
    damage(tmp_path / "i", how)
    with pytest.raises(UserError, match="damaged"):
        open_index(tmp_path / "i").nearest(np.ones(2, np.float32), Filter(), 99)
    if how not in DAMAGE[:2]:  # a writer reads no numbers
        with pytest.raises(UserError, match=r"damaged|holds 2 moments a second"), write_index(tmp_path / "i", HEAD):
            pass


def test_an_index_made_before_there_were_checksums_still_loads_and_grows(tmp_path: Path) -> None:
    fill(tmp_path / "i", range(2))
    path = tmp_path / "i" / "videos.jsonl"
    old = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({k: v for k, v in line.items() if "check" not in k}) + "\n" for line in old))
    assert len(open_index(tmp_path / "i").nearest(np.ones(2, np.float32), Filter(), 99)) == 3
    fill(tmp_path / "i", range(2, 4))
    assert len(open_index(tmp_path / "i").nearest(np.ones(2, np.float32), Filter(), 99)) == 7
    damage(tmp_path / "i", "a lost line")
    with pytest.raises(UserError, match="line 2: damaged"):
        open_index(tmp_path / "i")


@pytest.mark.parametrize("head", [{"dimension": 0}, {"dimension": 1 << 30}, {"dimension": "2"}, {"moment_rate": -1}])
def test_sizes_that_cannot_be_are_refused(head: dict[str, object], tmp_path: Path) -> None:
    fill(tmp_path / "i", range(1))
    path = tmp_path / "i" / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | head))
    with pytest.raises(UserError, match="not the head of an index"):
        open_index(tmp_path / "i")


def test_an_index_whose_head_says_rate_is_read(tmp_path: Path) -> None:
    fill(tmp_path / "i", range(1))
    path = tmp_path / "i" / "index.json"
    head = json.loads(path.read_text())
    path.write_text(json.dumps({**head, "rate": head.pop("moment_rate")}))
    assert open_index(tmp_path / "i").head.moment_rate == 1.0
