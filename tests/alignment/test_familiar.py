"""What a network is familiar with survives being written and read, and the box's own file is whole."""

from pathlib import Path

import numpy as np

from actor_observer.alignment.familiar import find_familiar, fit_familiar
from actor_observer.features.identity import identify
from actor_observer.features.models import open_model
from same_scene import plain_network


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    network = plain_network(backbone="resnet18")  # 512 numbers a frame
    network.source = tmp_path
    rng = np.random.default_rng(0)
    size = network.backbone.feature_size
    spread = rng.normal(size=(6, size))  # familiar takes lie in a few directions

    def take() -> np.ndarray:
        return rng.normal(size=(20, 6)) @ spread + rng.normal(size=(20, size))

    takes = [(take(), take()) for _ in range(8)]
    made = fit_familiar(identify(network).fingerprint, takes)
    made.write(tmp_path)
    found = find_familiar(network)
    assert found is not None
    assert np.allclose(found.basis, made.basis, atol=1e-3)
    assert np.isclose(found.outside(takes[0][0], 0), made.outside(takes[0][0], 0), atol=1e-3)
    strange = rng.normal(size=(20, size))
    assert found.knows(*takes[0]) and not found.knows(strange, strange)


def test_the_directions_in_the_box_are_at_right_angles() -> None:
    found = find_familiar(open_model(None))
    assert found is not None
    for basis in found.basis:
        assert np.allclose(basis @ basis.T, np.eye(len(basis)), atol=0.01)
