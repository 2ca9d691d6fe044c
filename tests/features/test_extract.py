"""A backbone over whole takes: the right frames, a few at a time, and on past what cannot be read."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.errors import TakeError
from actor_observer.features import Look, TakeEmbedding, extract
from actor_observer.features.running import phi_of_frames
from actor_observer.frames import frames_at
from actor_observer.frames.frame_index import forget_indexes
from actor_observer.model import create_backbone
from actor_observer.model.backbones.backbone import Backbone, Normalise
from actor_observer.pairs import Fault, Take
from actor_observer.sampling import frame_times
from tiny import write_frames, write_video

LOOK = Look(look_rate=4.0, size=32)
extracting = sys.modules["actor_observer.features.extract"]  # the name in the package is the function's


@pytest.fixture(scope="module")
def backbone() -> torch.nn.Module:
    torch.manual_seed(0)
    return create_backbone("resnet18", pretrained=False).eval()


def test_features_are_the_backbones_at_the_times_of_the_look(tmp_path: Path, backbone) -> None:
    long = Take("long", "third", write_video(tmp_path / "long.mp4", frames=160, fps=8), 20.0)
    folder = Take("folder", "first", write_frames(tmp_path / "folder", frames=30), 1.25, frame_rate=24.0)
    counted: list[int] = []
    found = dict(extract(backbone, [long, folder], LOOK, each=lambda: counted.append(1)))
    assert [take.id for take in found] == ["long", "folder"]
    assert len(counted) == 2
    for take, embedding in found.items():
        assert isinstance(embedding, TakeEmbedding)
        assert embedding.view == take.view
        np.testing.assert_array_equal(embedding.times, frame_times(take.length, 4.0))
        with torch.inference_mode():
            expected = backbone(frames_at(take, embedding.times, size=32)).numpy()
        np.testing.assert_allclose(embedding.features, expected, rtol=1e-3, atol=1e-4)


def test_a_take_that_cannot_be_read_is_a_fault_and_the_others_go_on(tmp_path: Path, backbone) -> None:
    good = Take("good", "third", write_video(tmp_path / "good.mp4"), 2.0)
    empty = Take("empty", "third", tmp_path / "empty.mp4", 2.0)
    empty.path.touch()
    found = dict(extract(backbone, [empty, good], LOOK))
    assert str(found[empty]) == f"{empty.path}: the file is empty (left out)"
    assert isinstance(found[empty], Fault)
    assert isinstance(found[good], TakeEmbedding)


def test_memory_does_not_grow_with_the_video(monkeypatch: pytest.MonkeyPatch, backbone) -> None:
    asked: list[int] = []

    def fake(take: Take, times: np.ndarray, **how: object) -> torch.Tensor:
        asked.append(len(times))
        return torch.zeros((len(times), 3, 32, 32), dtype=torch.uint8)

    monkeypatch.setattr(extracting, "frames_at", fake)
    monkeypatch.setattr(
        extracting,
        "start",
        lambda backbone, look, frames, place, device, clips: lambda: np.zeros((len(place), 4), np.float32),
    )
    made = extract(backbone, (Take(str(n), "third", Path("x"), 3600.0) for n in range(3)), LOOK)
    _, first = next(made)
    assert isinstance(first, TakeEmbedding)
    assert first.features.shape == (14400, 4)
    assert max(asked) == extracting.CHUNK
    # not much more was decoded than the first take needed: a few chunks are in hand, whatever is still to come
    assert sum(asked) <= 14400 + 4 * extracting.CHUNK * torch.get_num_threads()
    made.close()


def test_numbers_do_not_depend_on_the_thread_count(tmp_path: Path, backbone) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4", frames=280, fps=8), 35.0)  # several chunks
    alone = dict(extract(backbone, [take], LOOK))[take]
    torch.set_num_threads(2)
    both = dict(extract(backbone, [take], LOOK))[take]
    assert torch.get_num_threads() == 2
    assert isinstance(alone, TakeEmbedding) and isinstance(both, TakeEmbedding)
    np.testing.assert_array_equal(alone.features, both.features)


@pytest.mark.parametrize("cores", [1, 2])  # threads, processes
def test_what_decoders_hand_over_gives_the_same_numbers(
    tmp_path: Path, backbone, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actor_observer.frames.ahead.spare_cores", lambda processes: cores)
    monkeypatch.setattr(extracting, "CHUNK", 8)  # so that every slot is used again and again
    shapes = [(64, 48), (64, 48), (256, 32), (48, 80)]  # the third is too wide for a slot
    videos = [write_video(tmp_path / f"{n}.mp4", frames=80, fps=8, size=shape) for n, shape in enumerate(shapes)]
    good = [Take(video.stem, "third", video, 10.0) for video in videos]
    lost = Take("lost", "first", tmp_path / "lost.mp4", 2.0)
    takes = [good[0], lost, *good[1:]]
    usual = dict(extract(backbone, takes, LOOK))
    monkeypatch.setattr(extracting, "_on_cpu", extracting._on_gpu)
    handed = dict(extract(backbone, takes, LOOK))
    assert list(handed) == takes
    assert str(handed[lost]) == f"{lost.path}: no such file (left out)"
    for take in good:
        expected, found = usual[take], handed[take]
        assert isinstance(expected, TakeEmbedding) and isinstance(found, TakeEmbedding)
        np.testing.assert_array_equal(found.times, expected.times)
        np.testing.assert_allclose(found.features, expected.features, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cores", [1, 2])
def test_a_slot_is_not_written_again_before_its_frames_were_looked_at(
    tmp_path: Path, backbone, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU fetches them when it comes to it: here, when the numbers are asked for."""
    monkeypatch.setattr("actor_observer.frames.ahead.spare_cores", lambda processes: cores)
    monkeypatch.setattr(extracting, "CHUNK", 8)
    take = Take("a", "third", write_video(tmp_path / "a.mp4", frames=240, fps=8, size=(64, 48)), 30.0)
    usual = dict(extract(backbone, [take], LOOK))[take]
    start = extracting.start
    monkeypatch.setattr(extracting, "start", lambda *asked: lambda: start(*asked)())
    monkeypatch.setattr(extracting, "_on_cpu", extracting._on_gpu)
    late = dict(extract(backbone, [take], LOOK))[take]
    assert isinstance(usual, TakeEmbedding) and isinstance(late, TakeEmbedding)
    np.testing.assert_allclose(late.features, usual.features, rtol=1e-4, atol=1e-5)


def test_a_take_that_breaks_in_the_middle_is_a_fault_alone(
    tmp_path: Path, backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes = [Take(name, "third", write_video(tmp_path / f"{name}.mp4", frames=240, fps=8), 30.0) for name in "abc"]

    def fail_late(take: Take, times, **how) -> torch.Tensor:
        if take.id == "b" and times[0] > 10:
            raise TakeError(take.path, "damaged: decoding fails after 16.00 s")
        return frames_at(take, times, **how)

    monkeypatch.setattr(extracting, "frames_at", fail_late)
    found = [(take.id, type(made)) for take, made in extract(backbone, takes, LOOK)]
    assert found == [("a", TakeEmbedding), ("b", Fault), ("c", TakeEmbedding)]


def test_nothing_is_readied_for_no_takes(backbone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "for_inference", lambda *_: pytest.fail("readied"))
    assert list(extract(backbone, [], LOOK)) == []


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("crop", ["whole", "centre"])
def test_a_gpu_says_what_a_cpu_says(tmp_path: Path, backbone, crop) -> None:
    shapes = [(64, 48), (256, 32), (64, 48)] * 3
    videos = [write_video(tmp_path / f"{n}.mp4", frames=400 - n, fps=8, size=shape) for n, shape in enumerate(shapes)]
    takes = [Take(video.stem, "third", video, 49.0) for video in videos]
    look = Look(look_rate=8.0, size=32, crop=crop)
    on_cpu, on_gpu = dict(extract(backbone, takes, look)), dict(extract(backbone, takes, look, "cuda"))
    assert list(on_gpu) == takes
    for take in takes:
        expected, found = on_cpu[take], on_gpu[take]
        assert isinstance(expected, TakeEmbedding) and isinstance(found, TakeEmbedding)
        apart = np.linalg.norm(found.features - expected.features, axis=1)
        assert (apart < 0.03 * np.linalg.norm(expected.features, axis=1)).all()  # bfloat16


def test_the_centre_is_cut_out_where_asked(tmp_path: Path, backbone) -> None:
    take = Take("a", "third", write_video(tmp_path / "a.mp4"), 2.0)
    whole = dict(extract(backbone, [take], Look(4.0, 32, "whole")))[take]
    centre = dict(extract(backbone, [take], Look(4.0, 32, "centre")))[take]
    assert isinstance(whole, TakeEmbedding) and isinstance(centre, TakeEmbedding)
    assert whole.features.shape == centre.features.shape
    assert not np.allclose(whole.features, centre.features)


def test_frames_that_differ_in_one_pixel_are_two() -> None:
    frames = torch.zeros((5, 3, 40, 40), dtype=torch.uint8)
    frames[2:, 1, 17, 23] = 1  # between the pixels that are looked at first
    distinct, place = extracting.distinct(frames)
    assert place.tolist() == [0, 0, 1, 1, 1]
    torch.testing.assert_close(distinct, frames[[0, 2]])


def test_a_frame_that_stays_on_screen_is_embedded_once() -> None:
    class Counting(Backbone):
        seen = 0

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            self.seen += len(frames)
            return frames.float().mean(dim=(2, 3))

    backbone = Counting(3, Normalise())
    frames = torch.arange(5, dtype=torch.uint8).repeat_interleave(3)[:, None, None, None].expand(15, 3, 8, 12)
    phi = phi_of_frames(backbone, Look(6.0, 8, "whole"), frames, torch.device("cpu"))
    assert phi[:, 0].tolist() == [value for value in range(5) for _ in range(3)]
    assert backbone.seen == 5


def test_two_at_once_leave_torch_its_threads(tmp_path: Path, backbone) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        takes = [Take(str(n), "third", write_video(tmp_path / f"{n}.mp4"), 2.0) for n in range(2)]
        first, second = (extract(backbone, takes, LOOK) for _ in range(2))
        next(first)  # both are under way

        def on_its_own(work):
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(work).result()

        on_its_own(lambda: list(second))  # in a thread that begins while the first has set one thread
        list(first)
        assert on_its_own(torch.get_num_threads) == 2
    finally:
        torch.set_num_threads(before)


def test_a_take_that_breaks_early_is_not_decoded_to_its_end(monkeypatch: pytest.MonkeyPatch, backbone) -> None:
    asked: list[float] = []

    def fake(take: Take, times: np.ndarray, **how: object) -> torch.Tensor:
        asked.append(float(times[0]))
        raise TakeError(take.path, "broken")

    monkeypatch.setattr(extracting, "frames_at", fake)
    takes = [Take(str(n), "third", Path(f"{n}.mp4"), 3600.0) for n in range(2)]
    found = dict(extract(backbone, takes, LOOK))
    assert [str(found[take]) for take in takes] == ["0.mp4: broken (left out)", "1.mp4: broken (left out)"]
    assert len(asked) <= 2 * (1 + 2 * torch.get_num_threads())  # of 225 chunks each


@given(st.lists(st.integers(1, 12), min_size=1, max_size=12), st.integers(1, 10))
def test_takes_are_cut_where_a_keyframe_is(lengths: list[int], most: int) -> None:
    """Each frame once, in order, at most so many at once; a group that fits into half a run is never decoded twice."""
    groups = np.repeat(np.arange(len(lengths)), lengths)
    parts = list(extracting.cuts(len(groups), groups, most))
    assert [place for its in parts for place in range(its.start, its.stop)] == list(range(len(groups)))
    assert all(0 < its.stop - its.start <= most for its in parts)
    for before, after in pairwise(parts):
        if groups[before.stop - 1] == groups[after.start]:  # nowhere else could it have been cut
            half = groups[before.start + (most + 1) // 2 - 1 : before.stop + 1]
            assert (half == half[0]).all()


@pytest.mark.parametrize("gop", [8, 30])
def test_of_a_file_nothing_is_decoded_twice_where_keyframes_allow_it(
    tmp_path: Path, backbone, gop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extracting, "CHUNK", 16)
    video = write_video(tmp_path / "a.mp4", frames=240, fps=8, gop=gop, options={"sc_threshold": "0", "bf": "0"})
    fed: list[int] = []
    decoding = sys.modules["actor_observer.frames.video"]
    set_skip = decoding.set_skip
    monkeypatch.setattr(decoding, "set_skip", lambda *asked: (fed.append(1), set_skip(*asked))[1])
    [(_, found)] = extract(backbone, [Take("a", "third", video, 30.0)], LOOK)
    assert isinstance(found, TakeEmbedding) and len(found.times) == 120
    assert len(fed) <= 240  # each packet at most once


@pytest.mark.parametrize("name", ["a.mp4", "a.mp4#t=2.1,28.3", "a.avi"])
def test_decoders_are_told_where_the_frames_are(
    tmp_path: Path, backbone, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process reads through a file, and the others decode what it found."""
    monkeypatch.setattr("actor_observer.frames.ahead.spare_cores", lambda processes: 2)
    monkeypatch.setattr(extracting, "CHUNK", 8)
    codec = "mpeg4" if name.endswith("avi") else "libx264"
    write_video(tmp_path / name.split("#")[0], frames=240, fps=8, size=(64, 48), gop=20, codec=codec)
    take = Take("a", "third", tmp_path / name, 26.2)
    usual = dict(extract(backbone, [take], LOOK))[take]
    with torch.inference_mode():
        expected = backbone(frames_at(take, frame_times(26.2, 4.0), size=32)).numpy()
    forget_indexes()
    monkeypatch.setattr("actor_observer.frames.at.index_video", lambda path: pytest.fail(f"{path} read through again"))
    monkeypatch.setattr(extracting, "_on_cpu", extracting._on_gpu)
    handed = dict(extract(backbone, [take], LOOK))[take]
    assert isinstance(usual, TakeEmbedding) and isinstance(handed, TakeEmbedding)
    np.testing.assert_allclose(handed.features, expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(handed.features, usual.features, rtol=1e-4, atol=1e-5)
