"""The InfoNCE step: what it learns from, in one pass, with and without selector, labels and balance."""

from typing import Any

import pytest
import torch
from torch import Tensor

from actor_observer.model.config import NetworkConfig
from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.contrast import ContrastStep

SIZE = 512


def make(**settings: Any) -> ContrastStep:
    config = NetworkConfig(
        backbone="resnet18", **{"heads": "shared", "projection": "per_view", "labels": ("a", "b"), **settings}
    )
    return ContrastStep(ActorObserverNet(config, pretrained=False)).train()


def batch(n: int = 8) -> tuple[Tensor, ...]:
    pair = torch.arange(n) % 2
    return *torch.randn(2, n, SIZE), *torch.rand(2, n) * 5, pair, pair


def test_its_loss_is_info_nce_of_the_embeddings_weighted_by_the_selector() -> None:
    step = make(balance=False, labels=())
    third, first, *rest = batch()
    seen, saw = step.network(third, "third"), step.network(first, "first")
    expected = SoftInfoNCE(0.5, 0.1)(seen.features, saw.features, *rest, seen.logit, saw.logit)
    torch.testing.assert_close(step(third, first, *rest).loss, expected)


@pytest.mark.parametrize("select", [True, False])
@pytest.mark.parametrize("balance", [True, False])
def test_every_head_has_a_gradient(select: bool, balance: bool) -> None:
    step = make(select=select, balance=balance)
    for labels in ({}, {"labelled": torch.randn(3, SIZE), "label": torch.tensor([0, 1, 0])}):
        step.zero_grad()
        got = step(*batch(), **labels)
        got.loss.backward()
        learned = {name for name, p in step.network.named_parameters() if p.grad is not None}
        assert learned == {name for name, _ in step.network.named_parameters() if not name.startswith("backbone")}
        moved = any(p.grad.any() for p in step.network.heads.parameters() if p.grad is not None)
        assert moved == select
        assert (got.classification > 0) == bool(labels)


def test_frames_pass_the_backbone_once() -> None:
    step = make()
    passed: list[int] = []
    step.network.backbone.register_forward_hook(lambda module, given, output: passed.append(len(given[0])))
    third, first = torch.rand(2, 4, 3, 32, 32)
    _, _, *rest = batch(4)
    step(third, first, *rest, torch.rand(2, 3, 32, 32), torch.tensor([0, 1])).loss.backward()
    assert passed == [10]


def test_nothing_to_learn_from_is_a_zero_loss() -> None:
    got = make()(*batch(0))
    got.loss.backward()
    assert got.loss.item() == 0


def test_it_learns_to_place_moments() -> None:
    """Two views of the same hidden moments, through two different random maps."""
    hidden = torch.randn(120, 6)
    views = [hidden @ torch.randn(6, SIZE) / 2 + 0.1 * torch.randn(120, SIZE) for _ in range(2)]
    time, pair = (torch.arange(120) % 30).float(), torch.arange(120) // 30
    step = make(labels=(), unit_length=True, projection_size=16, projection_hidden=32, selector_scale=0.5)
    optimiser = torch.optim.Adam(step.parameters(), lr=3e-3)

    def accuracy() -> float:
        with torch.no_grad():
            third, first = (step.network(v, name).features for v, name in zip(views, ("third", "first"), strict=True))
        return (torch.cdist(third, first).argmin(dim=1) == torch.arange(120)).float().mean().item()

    assert accuracy() < 0.1
    for _ in range(120):
        optimiser.zero_grad()
        step(*views, time, time, pair, pair).loss.backward()
        optimiser.step()
    assert accuracy() > 0.9
