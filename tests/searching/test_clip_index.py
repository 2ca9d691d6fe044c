"""An index by networks that see clips, and one from before networks were shown frames as their authors do."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actor_observer as ao
from actor_observer.features.models import frozen_as_before


@pytest.mark.parametrize("name", ["VideoMAE", "DINOv3ViT"])
def test_a_moment_of_an_indexed_video_is_found_where_it_is(
    name: str, videos: list[Path], hf_networks: Any, tmp_path: Path
) -> None:
    backbone = f"hf:{hf_networks(name)}"
    ao.index(videos, tmp_path / "moments", "first", backbone=backbone)
    found = ao.search(tmp_path / "moments", f"{videos[1]}@3.5", backbone=backbone, view="first")
    assert (Path(found.hits[0].video), found.hits[0].time) == (videos[1], 3.5)
    assert found.hits[0].distance < 1e-3  # φ around a moment is what it is in the whole video


def test_an_index_of_before_is_searched_and_added_to(videos: list[Path], hf_networks: Any, tmp_path: Path) -> None:
    backbone = f"hf:{hf_networks('CLIP')}"
    ao.index(videos[:1], tmp_path / "moments", "first", model=frozen_as_before(backbone))
    assert ao.index(videos[1:], tmp_path / "moments", "first", backbone=backbone).total == 24
    found = ao.search(tmp_path / "moments", f"{videos[0]}@2.5", backbone=backbone, view="first")
    assert (Path(found.hits[0].video), found.hits[0].time) == (videos[0], 2.5)


def test_align_sees_with_them(videos: list[Path], hf_networks: Any) -> None:
    found = ao.align(videos[0], videos[1], backbone=f"hf:{hf_networks('VJEPA2')}")
    assert np.isfinite(found.offset)
