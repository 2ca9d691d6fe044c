"""A recording says how much of it has been looked at, so that an hour of video is not an hour without a word."""

from pathlib import Path

import numpy as np
import pytest

from actor_observer.alignment.recordings.recording import LOOKING, open_recording
from actor_observer.features.look import Look
from same_scene import plain_network, write_scene


def test_it_tells_how_much_has_been_looked_at(tmp_path: Path) -> None:
    video = write_scene(tmp_path / "room.mp4", 9, fps=7, seed=5)
    shares: list[float] = []
    recording = open_recording(video, "third", part=shares.append)
    recording.phi(plain_network(), look_rate=2.0)
    looked = len(shares)
    assert max(shares, default=0.0) <= LOOKING
    _ = recording.motion
    assert len(shares) - looked >= 8  # every second
    assert shares == sorted(shares) and 0.85 < shares[-1] <= 1.0


def test_a_glance_needs_no_second_decoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTOR_OBSERVER_CACHE", str(tmp_path / "cache"))
    video, network = write_scene(tmp_path / "room.mp4", 9, fps=7, seed=5), plain_network()
    plain = open_recording(video, "third")
    seen = plain.phi(network, plain.glance_rate)
    recording = open_recording(video, "third", glance=Look.of_network(network.config, 6.0))
    moved = recording.motion
    video.unlink()
    found = recording.phi(network, recording.glance_rate)
    assert np.array_equal(found.times, seen.times) and np.array_equal(found.features, seen.features)
    head = recording.of_view("first")
    assert head.motion is moved and head.view == "first" and not head.watched
    assert head.phi(network, head.glance_rate).view == "first"
