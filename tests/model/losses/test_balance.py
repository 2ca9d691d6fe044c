"""The balance: equal norms at φ's output, one pass through the backbone, and no stop without triplets."""

import pytest
import torch
from torch import Tensor, nn

from actor_observer.model.losses.balance import LARGEST, GradientBalance


def losses(phi: Tensor, head: nn.Linear, triplet: float = 0.01, other: float = 7.0) -> dict[str, Tensor]:
    return {"triplet": triplet * phi.square().sum(), "classification": other * head(phi).square().sum()}


def gradient(loss: Tensor, phi: Tensor) -> Tensor:
    return torch.autograd.grad(loss, phi, retain_graph=True)[0]


def test_the_others_get_the_first_ones_norm_and_keep_their_direction() -> None:
    phi, head = torch.randn(6, 4, dtype=torch.float64, requires_grad=True), nn.Linear(4, 3).double()
    parts = losses(phi, head)
    first, other = (gradient(part, phi) for part in parts.values())
    total = GradientBalance().double()(parts, phi)
    torch.testing.assert_close(gradient(total, phi), first + other * first.norm() / other.norm())
    (of_head,) = torch.autograd.grad(total, head.weight, retain_graph=True)
    (plain,) = torch.autograd.grad(parts["classification"], head.weight)
    torch.testing.assert_close(of_head, plain * first.norm() / other.norm())  # heads by the same factor


def test_the_backbone_is_passed_once() -> None:
    passes = []

    class Backbone(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: Tensor) -> Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: object, grad: Tensor) -> Tensor:
            passes.append(1)
            return grad

    x, head = torch.randn(6, 4, requires_grad=True), nn.Linear(4, 3)
    phi = Backbone.apply(x)
    GradientBalance()(losses(phi, head), phi).backward()
    assert passes == [1]


def test_without_triplets_the_running_mean_of_the_norm_stands_in() -> None:
    balance, head = GradientBalance(k=0.5), nn.Linear(4, 3)
    norms = []
    for scale in (1.0, 3.0):
        phi = torch.randn(6, 4, requires_grad=True)
        parts = losses(phi, head, triplet=scale)
        norms.append(gradient(parts["triplet"], phi).norm())
        balance(parts, phi)
    mean = (norms[0] + norms[1]) / 2
    torch.testing.assert_close(balance.norm, mean)
    phi = torch.randn(6, 4, requires_grad=True)
    nothing = {"triplet": phi[:0].sum(), "classification": losses(phi, head)["classification"]}
    torch.testing.assert_close(gradient(balance(nothing, phi), phi).norm(), mean)
    torch.testing.assert_close(balance.norm, mean)  # nothing learned from nothing


def test_a_saturated_sigmoid_does_not_stop_the_classifier() -> None:
    balance, head = GradientBalance(), nn.Linear(4, 3)
    phi = torch.randn(6, 4, requires_grad=True)
    balance(losses(phi, head), phi)
    usual = balance.norm.clone()
    far = torch.sigmoid(1e4 - phi.sum())  # gradient exactly zero
    total = balance({"triplet": far, "classification": losses(phi, head)["classification"]}, phi)
    torch.testing.assert_close(gradient(total, phi).norm(), usual)


def test_before_any_triplet_the_others_are_as_they_are() -> None:
    phi, head = torch.randn(6, 4, requires_grad=True), nn.Linear(4, 3)
    plain = losses(phi, head)["classification"]
    total = GradientBalance()({"triplet": phi[:0].sum(), "classification": plain}, phi)
    torch.testing.assert_close(total, plain)


def test_an_objective_without_a_gradient_does_no_harm() -> None:
    phi, head = torch.randn(6, 4, requires_grad=True), nn.Linear(4, 3)
    nn.init.zeros_(head.weight)  # no gradient at φ, but one at the head
    total = GradientBalance()({**losses(phi, head), "selector": phi[:0].sum()}, phi)
    total.backward()
    assert torch.isfinite(total)
    assert all(parameter.grad is not None and torch.isfinite(parameter.grad).all() for parameter in head.parameters())


def test_a_vanishing_gradient_at_phi_does_not_blow_up_the_heads() -> None:
    phi, scale = torch.randn(6, 4, requires_grad=True), torch.ones(1, requires_grad=True)
    saturated = scale * (24 + 1e-9 * phi.sum())  # φ's gradient is as good as gone, the scale's is not
    parts = {"triplet": phi.square().sum(), "selector": saturated}
    wanted = gradient(parts["triplet"], phi).norm() / gradient(saturated, phi).norm()
    assert wanted > 1e6  # what it would be scaled by without a limit
    (gradient_of_scale,) = torch.autograd.grad(GradientBalance()(parts, phi), scale)
    torch.testing.assert_close(gradient_of_scale, torch.tensor([24 * LARGEST]), rtol=1e-3, atol=0.0)


def test_a_sudden_drop_of_the_first_gradient_is_followed_after_a_while() -> None:
    balance, head, phi = GradientBalance(), nn.Linear(4, 3), torch.randn(6, 4, requires_grad=True)
    for _ in range(5):
        balance(losses(phi, head, triplet=1.0), phi)
    for _ in range(60):
        parts = losses(phi, head, triplet=1e-3)
        total = balance(parts, phi)
    first, other = (gradient(part, phi) for part in parts.values())
    torch.testing.assert_close(gradient(total, phi), first + other * first.norm() / other.norm())


def test_evaluation_adds_up_and_remembers_nothing() -> None:
    balance, head = GradientBalance().eval(), nn.Linear(4, 3)
    phi = torch.randn(6, 4)
    parts = losses(phi, head)
    torch.testing.assert_close(balance(parts, phi), parts["triplet"] + parts["classification"])
    assert not balance.seen


def test_a_bad_k_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        GradientBalance(k=0)
