"""The recipe `words`: third person and words stay where they are, and first person learns to come there."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

import actor_observer as ao
from actor_observer.features.words import name_words
from actor_observer.model.heads import Projection
from actor_observer.training import recipe_named, train, with_settings


def test_first_person_starts_where_it_is_and_third_person_stays() -> None:
    projection = Projection("first", 8, hidden=6)
    third, first = torch.rand(5, 8), torch.rand(5, 8)
    before = torch.nn.functional.normalize(first, dim=1)
    torch.testing.assert_close(projection(first, "first"), before)
    optimiser = torch.optim.Adam(projection.parameters(), lr=0.05)
    for _ in range(200):
        optimiser.zero_grad()
        loss = (projection(first, "first") - projection(third, "third")).square().sum()
        loss.backward()
        optimiser.step()
    torch.testing.assert_close(projection(third, "third"), torch.nn.functional.normalize(third, dim=1))
    assert loss.item() < 0.05 * float((before - projection(third, "third")).square().sum())


def test_a_run_names_actions_by_their_words_and_is_asked_with_words(
    data: Path, hf_networks: Any, tmp_path: Path
) -> None:
    small = ["size=32", "epochs=2", "batch=4", "moments=6", "look_rate=1", "quads_per_pair=20", "validate_every=1"]
    recipe = with_settings(recipe_named("words"), [*small, f"network.backbone=hf:{hf_networks('CLIP')}"])
    run = train(recipe, data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)
    network = ao.load(run)
    names = ("take a cup", "put a cup", "open a door", "read a book", "sit down")
    assert network.config.label_names == names
    weight = torch.nn.functional.normalize(network.classifier.weight, dim=1).detach().numpy()  # type: ignore[union-attr]
    np.testing.assert_allclose(weight, name_words(network, names), atol=1e-5)
    assert any(bool(part.any()) for part in network.projection.networks[0].parameters())  # it has learned something
    video = data / "videos" / "T0000EGO.mp4"
    found = ao.recognise(video, "first", model=run, look_rate=1.0)
    assert found.warning.startswith("uncalibrated") and found.names == names
    ao.index(video, tmp_path / "moments", "first", model=run)
    assert ao.search(tmp_path / "moments", "open the door", model=run).hits
