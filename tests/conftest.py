"""One torch thread and the same random numbers in every test; a small network, and videos to ask it about."""

import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.model import ActorObserverNet
from asked import small_network
from same_scene import plain_network
from tiny import write_video

# Forty examples of each property at a time, others on every run; a slow machine is no fault of theirs.
settings.register_profile("here", max_examples=40, deadline=None)
settings.load_profile("here")
# Under nohup nobody hangs up: commands respect that, and tests that hang up on them would wait for ever.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def one_thread_and_seed() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands keep for the next time stays out of the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACTOR_OBSERVER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def network() -> ActorObserverNet:
    return small_network()


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, network: ActorObserverNet) -> Path:
    """The same network as a folder, for commands."""
    folder = tmp_path_factory.mktemp("model")
    network.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def scene_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that tells the states of a made scene apart, as a folder."""
    folder = tmp_path_factory.mktemp("model")
    plain_network().save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def videos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three videos of 6, 8 and 10 seconds; frame n of each shows a number of its own."""
    folder = tmp_path_factory.mktemp("videos")
    sizes = {"a": (6, (96, 48)), "b": (8, (84, 60)), "c": (10, (60, 84))}
    return [write_video(folder / f"{name}.mp4", seconds * 4, 4, size=size) for name, (seconds, size) in sizes.items()]


@pytest.fixture(autouse=True)
def few_draws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals from 50 draws instead of 1000, but where the tests are about them."""
    if "evaluation" not in request.path.parts or request.path.name == "test_evaluate.py":
        every = Resampling.draws
        monkeypatch.setattr(Resampling, "draws", lambda self, rng, count: every(self, rng, min(count, 50)))


@pytest.fixture(scope="session")
def hf_networks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder with a small network of a class of transformers, each made once."""
    pytest.importorskip("transformers")
    from tiny_networks import make_network

    place = tmp_path_factory.mktemp("networks")
    return cache(lambda name: make_network(name, place / name))
