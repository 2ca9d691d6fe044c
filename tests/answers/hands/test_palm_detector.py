"""The real palm detector, where the extra is installed and its model was fetched before: a test fetches nothing."""

from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.answers.hands import palm_model
from actor_observer.answers.hands.detector import PalmDetector
from actor_observer.answers.hands.statistic import SURE
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.features.on_disk.kept import default_cache
from actor_observer.frames.at import frames_at
from actor_observer.pairs import read_manifest
from actor_observer.playhouse import MINI

TAKES, MOMENTS = 6, (4.0, 7.0, 10.0, 13.0)


@pytest.fixture(scope="module")
def detector() -> PalmDetector:
    pytest.importorskip("ai_edge_litert.interpreter", reason="the extra 'hands' is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ACTOR_OBSERVER_CACHE", raising=False)  # the user's own cache, which other tests keep out of
        path = default_cache().parent / Path(palm_model.MEMBER).name
    if not path.is_file():
        pytest.skip("the palm detector's model is not in the cache; `actor-observer hands` fetches it")
    return PalmDetector(path)


def test_no_hand_is_found_where_there_is_nothing(detector: PalmDetector) -> None:
    plain = [torch.full((3, 144, 192), shade, dtype=torch.uint8) for shade in (0, 90, 255)]
    assert detector(plain).max() < SURE


def test_it_is_surer_of_frames_that_show_hands_and_alike_alone(detector: PalmDetector) -> None:
    manifest, truth = read_manifest(MINI), find_truth(MINI)
    assert truth is not None
    takes = [take for take in manifest.takes.values() if take.view == "first"][:TAKES]
    frames = [frame for take in takes for frame in frames_at(take, np.array(MOMENTS))]
    shown = np.concatenate([truth.at(take.id, np.array(MOMENTS), "hands_visible") for take in takes]).astype(bool)
    sure = detector(frames)
    assert sure.shape == shown.shape and (sure >= 0).all() and (sure <= 1).all()
    assert 3 < shown.sum() < len(shown) - 3
    assert sure[shown].mean() > sure[~shown].mean()
    assert detector(frames[5:6])[0] == pytest.approx(sure[5])  # nothing is kept from one frame to the next
