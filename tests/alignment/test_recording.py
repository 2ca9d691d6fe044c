"""A recording says how much of it has been looked at, so that an hour of video is not an hour without a word."""

from pathlib import Path

from actor_observer.alignment.recording import LOOKING, open_recording
from same_scene import plain_network, write_scene


def test_it_tells_how_much_has_been_looked_at(tmp_path: Path) -> None:
    video = write_scene(tmp_path / "room.mp4", 9, fps=7, seed=5)
    shares: list[float] = []
    recording = open_recording(video, "third", part=shares.append)
    recording.see(plain_network(), look_rate=2.0)
    looked = len(shares)
    assert max(shares, default=0.0) <= LOOKING
    _ = recording.motion
    assert len(shares) - looked >= 8  # every second
    assert shares == sorted(shares) and 0.85 < shares[-1] <= 1.0
