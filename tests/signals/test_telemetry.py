"""What a camera measured of itself: read where it is, and missed on one line where it is not."""

from pathlib import Path

import pytest

from actor_observer.errors import TakeError
from actor_observer.signals.telemetry import has_telemetry, read_telemetry
from tiny import write_video


def test_a_file_that_claims_telemetry_and_has_none_is_one_line(tmp_path: Path) -> None:
    plain = write_video(tmp_path / "plain.mp4")
    claims = tmp_path / "claims.mp4"
    claims.write_bytes(plain.read_bytes() + b"\0\0\0\x10free GoPro")
    assert has_telemetry(claims) and not has_telemetry(plain)
    with pytest.raises(TakeError, match="no telemetry that can be read in it"):
        read_telemetry(claims)
