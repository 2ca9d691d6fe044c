"""Embeddings of a data set: the network's own numbers, exact weights, and what cannot be read named."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

import actor_observer as ao
from actor_observer.features import Look, embed_manifest
from actor_observer.frames import frames_at
from actor_observer.model import ActorObserverNet, NetworkConfig, log_frame_weights
from actor_observer.pairs import Manifest, Take
from same_scene import plain_network, write_scene
from tiny import write_video


def test_embeddings_are_the_networks_with_exact_weights_and_probabilities(tmp_path: Path) -> None:
    config = NetworkConfig(
        backbone="resnet18", projection="per_view", projection_size=8, labels=("sit", "stand"), selector_scale=2.0
    )
    network = ActorObserverNet(config, pretrained=False)
    good = Take("a", "first", write_video(tmp_path / "a.mp4"), 2.0)
    lost = Take("b", "third", tmp_path / "b.mp4", 2.0)
    manifest = Manifest({"a": good, "b": lost})
    embeddings, faults = embed_manifest(network, manifest, Look(4.0, 32), cache=tmp_path / "cache")
    assert network.training  # as it was
    assert list(embeddings) == ["a"]
    assert str(faults["b"]) == f"{lost.path}: no such file (left out)"
    with torch.inference_mode():
        expected = network.eval()(frames_at(good, embeddings["a"].times, size=32), "first")
    take = embeddings["a"]
    np.testing.assert_allclose(take.features, expected.features.numpy(), rtol=1e-3, atol=1e-4)
    assert take.weight is not None and take.scores is not None
    np.testing.assert_allclose(take.weight, log_frame_weights(expected.logit).exp().numpy(), rtol=1e-3)
    np.testing.assert_allclose(take.weight.mean(), 1, rtol=1e-5)
    np.testing.assert_allclose(take.scores.sum(axis=1), 1, rtol=1e-5)


def test_align_opens_each_video_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeing = import_module("actor_observer.features.see")
    original, opened = seeing.index_video, []
    monkeypatch.setattr(seeing, "index_video", lambda path: opened.append(path) or original(path))
    videos = [write_scene(tmp_path / f"{name}.mp4", 6, fps=8, start=start) for name, start in (("a", 0), ("b", 2))]
    ao.align(*videos, model=plain_network(), look_rate=2.0)
    assert opened == videos
