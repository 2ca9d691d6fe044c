"""What a network is familiar with survives being written and read, and the box's own file is whole."""

from pathlib import Path

import numpy as np

from actor_observer.alignment.familiar import find_familiar, fit_familiar
from actor_observer.answers.subspace import to_units
from actor_observer.features.identity import identify
from actor_observer.features.models import open_model
from same_scene import plain_network


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    network = plain_network(backbone="resnet18")  # 512 numbers a frame
    network.source = tmp_path
    rng = np.random.default_rng(0)
    size = network.backbone.feature_size
    spread = rng.normal(size=(6, size))  # familiar takes differ in a few directions

    def take() -> np.ndarray:
        return rng.normal(size=6) @ spread + 0.3 * rng.normal(size=(20, size))

    takes = [(take(), take()) for _ in range(40)]
    made = fit_familiar(identify(network).fingerprint, takes)
    made.write(tmp_path)
    found = find_familiar(network)
    assert found is not None
    assert np.allclose(found.basis, made.basis, atol=1e-3)
    assert np.isclose(found.distance(takes[0][0], 0), made.distance(takes[0][0], 0), rtol=0.01)
    strange = rng.normal(size=(20, size)) + rng.normal(size=size)
    assert found.knows(*takes[0]) and not found.knows(strange, strange)


def test_the_directions_in_the_box_are_at_right_angles() -> None:
    found = find_familiar(open_model(None))
    assert found is not None
    for basis in found.basis:
        assert np.allclose(basis @ basis.T, np.eye(len(basis)), atol=0.01)


def test_the_distance_is_in_units_of_the_scatter() -> None:
    rng = np.random.default_rng(1)
    takes = [(rng.normal(size=(1, 5)) * [9, 1, 1, 1, 1] + 20,) * 2 for _ in range(30)]
    made = fit_familiar("model", takes)
    means = to_units(np.concatenate([both[0] for both in takes]))
    centre = means.mean(axis=0)
    covariance = (means - centre).T @ (means - centre) / len(means)
    inverse = np.linalg.inv(covariance + np.trace(covariance) / 5 * np.eye(5))
    other = np.array([[18.0, 22.0, 20.0, 19.0, 21.0]])
    off = to_units(other)[0] - centre
    assert np.isclose(made.distance(other, 0), off @ inverse @ off, rtol=1e-3)
