"""One tiny data set with a run on it, opened once for all tests of the pictures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import read_manifest
from actor_observer.pictures.figures.opened_run import Run, open_run
from tiny import write_charades_ego


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_charades_ego(tmp_path_factory.mktemp("tiny-set"), train=2, test=3, seconds=12, fps=2)


@pytest.fixture(scope="session")
def folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder: an untrained network, a recipe, a log."""
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("run")
    labels = tuple(read_manifest(data).classes)
    look = {"size": 32, "crop": "whole", "centred": True, "context": (1.0,), "projection": "per_view"}
    config = NetworkConfig("mobilenet_v2", **look, heads="shared", selector_scale=0.5, labels=labels)
    ActorObserverNet(config, pretrained=False).save_pretrained(path)
    (path / "recipe.yaml").write_text("name: mine\nfrozen: true\ninit: random\nobjective: contrast\n")
    lines = [f'{{"step": {n}, "epoch": {n}, "loss": {3 / n}, "lr": 0.1}}\n' for n in range(1, 9)]
    (path / "log.jsonl").write_text("".join(lines) + '{"step": 8, "epoch": 8, "validation": 0.625}\n')
    return path


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def run(folder: Path, data: Path, cache: Path) -> Run:
    return open_run(folder, JudgedData(data, cache=cache, device="cpu"))


@pytest.fixture(scope="session")
def perfect(run: Run) -> Run:
    """The same run with embeddings that know pair and time, and weights that peak once in every take."""
    numbers = {id: number for number, pair in enumerate(run.pairs) for id in (pair.third, pair.first)}
    takes = {}
    for id, number in numbers.items():
        times = run.embeddings[id].times
        features = np.stack([np.full(len(times), 100.0 * number), times], axis=1)
        weight = np.exp(-((times - 3 - number) ** 2))
        takes[id] = TakeEmbedding(run.embeddings[id].view, times, features, weight / weight.mean())
    return replace(run, embeddings=Embeddings(takes))
