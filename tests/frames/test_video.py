"""Frames are RGB of the size that was asked for, with the numbers of the plainest conversion."""

import av
import numpy as np
import pytest
from av.video.reformatter import VideoReformatter
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.frames.video import Upright

KINDS = ["yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuv420p10le", "p010le", "nv12", "gray", "rgb24"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(
    height=st.sampled_from([98, 120, 240]),
    width=st.sampled_from([130, 160, 320]),
    down=st.floats(0.08, 1.2),
    across=st.integers(9, 330),
    colours=st.sampled_from([1, 2, 5, 9]),
    seed=st.integers(0, 99),
)
def test_pixels_are_those_of_packed_rgb_of_any_size(
    kind: str, height: int, width: int, down: float, across: int, colours: int, seed: int
) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    frame = av.VideoFrame.from_ndarray(noise, format="rgb24").reformat(format=kind)
    frame.colorspace = colours
    size = round(height * down), across
    plain = VideoReformatter().reformat(frame, size[1], size[0], "rgb24", threads=1).to_ndarray()
    found = Upright(size).of(frame)
    assert found.shape == (*size, 3) and found.dtype == np.uint8
    np.testing.assert_array_equal(found, plain)
