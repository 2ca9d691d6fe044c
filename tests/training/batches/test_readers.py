"""From what a step asks for to tensors: the right frames, nearest features, and no stop for one that is lost."""

import gc
import multiprocessing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.errors import TakeError
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import Take, read_manifest
from actor_observer.training.batches.readers import FeatureReader, FrameReader, MemoryReader, read_frames
from actor_observer.training.objectives.samples import Asked
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.ranks import Ranks
from tiny import number_of, write_video
from training.small import paper, quick


def test_every_item_has_the_frames_it_asked_for(tmp_path: Path) -> None:
    takes = [Take(str(n), "third", write_video(tmp_path / f"{n}.mp4", frames=24, fps=12), 2.0) for n in range(3)]
    take = np.array([[0, 1, 1], [2, 0, 0], [1, 2, 2]])
    time = np.array([[0.0, 0.5, 1.5], [1.0, 0.25, 1.9], [0.75, 0.0, 0.1]])
    frames, kept = read_frames(takes, Asked(take, time, np.arange(3)), size=(48, 96))
    assert frames.shape == (3, 3, 3, 48, 96)
    assert frames.dtype == torch.uint8
    assert kept.tolist() == [0, 1, 2]
    numbers = [[number_of(frame) for frame in item] for item in frames]
    assert numbers == np.floor(time * 12 + 1e-6).astype(int).tolist()


def test_an_item_that_cannot_be_read_gives_its_place_to_another(tmp_path: Path) -> None:
    good = Take("good", "third", write_video(tmp_path / "good.mp4", frames=24, fps=12), 2.0)
    lost = Take("lost", "third", tmp_path / "lost.mp4", 2.0)
    asked = Asked(np.array([[0, 0], [0, 1], [0, 0]]), np.array([[0.0, 1.0], [0.5, 0.5], [1.5, 1.0]]), np.arange(3))
    frames, kept = read_frames([good, lost], asked, size=(48, 96))
    assert kept.tolist() == [0, 0, 2]
    assert torch.equal(frames[1], frames[0])


def test_features_are_those_of_the_nearest_frame(data: Path) -> None:
    recipe = quick("look_rate=2")
    material = choose_material(recipe, read_manifest(data))
    times = (np.arange(26) + 0.5) / 2

    def numbered(take: int) -> TakeEmbedding:
        features = np.stack([np.full(26, take), np.arange(26)], axis=1).astype(np.float32)
        return TakeEmbedding(material.takes[take].view, times, features)

    phi = Embeddings({take.id: numbered(number) for number, take in enumerate(material.takes)})
    planner = Planner(recipe, material, Ranks())
    network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
    for number, (part,) in FeatureReader(planner, phi, network).steps(2, 4):
        asked = planner.plan(number)[0]
        assert part.frames.shape == (4, 12, 2)
        np.testing.assert_array_equal(part.frames[..., 0], asked.paired.take)
        found = np.abs(times[:, None, None] - asked.paired.time).argmin(axis=0)
        np.testing.assert_array_equal(part.frames[..., 1], found)
        np.testing.assert_array_equal(part.paired.time, times[found])
        assert part.labelled_frames.shape == (len(asked.labelled), 2)


def test_worker_processes_read_what_one_process_reads(data: Path) -> None:
    def parts(workers: int) -> list[torch.Tensor]:
        recipe = paper(f"workers={workers}")
        material = choose_material(recipe, read_manifest(data))
        planner = Planner(recipe, material, Ranks(), np.full(len(material.takes), 2.0))
        steps = FrameReader(planner).steps(1, 3)
        return [tensor for _, (part,) in steps for tensor in (part.frames, part.labelled_frames)]

    alone, helped = parts(0), parts(1)
    assert alone[0].shape == (4, 3, 3, 32, 32) and alone[1].shape == (4, 3, 32, 32)
    assert len(alone) == 4
    assert all(torch.equal(a, b) for a, b in zip(alone, helped, strict=True))


def test_frames_kept_in_memory_are_those_of_the_disk(data: Path) -> None:
    recipe = paper("look_rate=4", "jitter=none", "crops.flip=0.5")  # as many frames a second as the videos have
    planner = Planner(recipe, choose_material(recipe, read_manifest(data)), Ranks(), np.full(99, 4 / 3))
    kept, read = MemoryReader(planner), FrameReader(planner)
    for (number, (a,)), (same, (b,)) in zip(kept.steps(1, 4), read.steps(1, 4), strict=True):
        assert number == same
        np.testing.assert_array_equal(a.paired.take, b.paired.take)
        assert np.abs(a.paired.time - b.paired.time).max() <= 0.125 + 1e-9
        torch.testing.assert_close(a.frames, b.frames)
        torch.testing.assert_close(a.labelled_frames, b.labelled_frames)


def test_an_error_in_a_decoding_process_comes_out_as_itself(data: Path, tmp_path: Path) -> None:
    recipe = paper("workers=1")
    chosen = choose_material(recipe, read_manifest(data))
    lost = {id: replace(take, path=tmp_path / "gone.mp4") for id, take in chosen.train.takes.items()}
    broken = replace(chosen, train=replace(chosen.train, takes=lost))
    planner = Planner(recipe, broken, Ranks(), np.full(len(broken.takes), 4 / 3))
    gc.disable()  # a process that is ended by chance only would be waited for, for ever, when Python ends
    try:
        with pytest.raises(TakeError, match=r"gone\.mp4: no frame of a whole batch can be read"):
            next(FrameReader(planner).steps(0, 1))
        assert not multiprocessing.active_children()
    finally:
        gc.enable()
