"""The heads: a bounded selector, shared or not, and the projection."""

import pytest
import torch

from actor_observer.model.heads import Projection, SelectorHead, SelectorHeads


def test_f_is_a_scaled_tanh() -> None:
    head, phi = SelectorHead(6, scale=2.5).double(), torch.randn(9, 6, dtype=torch.float64)
    expected = 2.5 * torch.tanh(phi @ head.linear.weight[0] + head.linear.bias)
    torch.testing.assert_close(head(phi), expected, rtol=1e-6, atol=1e-6)


def test_the_scale_stays_positive_whatever_is_learned() -> None:
    head = SelectorHead(3, scale=0.5)
    head.log_scale.data -= 50
    assert head.log_scale.exp() > 0


def test_the_papers_scale_starts_from_gaussian_noise_of_sigma_five() -> None:
    scales = torch.stack([SelectorHead(1).log_scale.detach().exp() for _ in range(2000)])
    assert (scales > 0).all()
    assert scales.square().mean().sqrt().item() == pytest.approx(5, rel=0.1)


def test_separate_heads_tell_the_roles_apart_and_shared_ones_do_not() -> None:
    phi = torch.randn(4, 6)
    separate, shared = SelectorHeads(6, "separate"), SelectorHeads(6, "shared")
    assert not torch.equal(separate(phi, "first", "positive"), separate(phi, "first", "negative"))
    assert torch.equal(shared(phi, "first", "positive"), shared(phi, "first", "negative"))
    assert not torch.equal(shared(phi, "third"), shared(phi, "first"))
    assert (len(separate), len(shared)) == (3, 2)


def test_projections_per_view_differ_and_a_shared_one_does_not() -> None:
    phi = torch.randn(4, 6)
    for kind, same in (("none", True), ("shared", True), ("per_view", False)):
        projection = Projection(kind, 6, 3, 5)  # type: ignore[arg-type]
        assert torch.equal(projection(phi, "third"), projection(phi, "first")) == same
    assert Projection("none", 6).size == 6
    assert Projection("shared", 6, 3, hidden=0)(phi, "third").shape == (4, 3)


def test_a_view_is_standardised_by_its_own_numbers() -> None:
    projection = Projection("shared", 4, size=4, hidden=0)
    torch.nn.init.eye_(projection.networks[0].weight)  # type: ignore[arg-type]
    torch.nn.init.zeros_(projection.networks[0].bias)  # type: ignore[arg-type]
    phi = 50 + 3 * torch.randn(500, 4)
    phi[:, 3] = 7.0  # a dead feature
    projection.standardise(phi, "first")
    seen = projection(phi, "first")
    torch.testing.assert_close(seen[:, :3].mean(0), torch.zeros(3), atol=1e-4, rtol=0)
    torch.testing.assert_close(seen[:, :3].std(0, correction=0), torch.ones(3), atol=1e-4, rtol=0)
    assert (seen[:, 3] == 0).all()
    assert torch.equal(projection(phi, "third"), phi)  # the other view is as it was


def test_bad_settings_are_refused() -> None:
    for make in (
        lambda: SelectorHead(3, scale=0.0),
        lambda: SelectorHead(3, scale="uniform"),  # type: ignore[arg-type]
        lambda: SelectorHeads(3, "both"),  # type: ignore[arg-type]
        lambda: Projection("mlp"),  # type: ignore[arg-type]
        lambda: Projection("shared", 3, size=0),
        lambda: SelectorHeads(3).index("fourth"),  # type: ignore[arg-type]
        lambda: SelectorHeads(3).index("first", "anchor"),  # type: ignore[arg-type]
        lambda: Projection("none").standardise(torch.rand(2, 3), "third"),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            make()
