"""The triplet loss: the paper's quotient, without its overflow."""

import pytest
import torch

from actor_observer.model.losses.triplet import TripletKind, TripletLoss, distance


def test_it_is_the_papers_quotient() -> None:
    x, z, z_neg = torch.randn(3, 20, 8, dtype=torch.float64)
    near, far = (x - z).norm(dim=1), (x - z_neg).norm(dim=1)
    torch.testing.assert_close(TripletLoss()(x, z, z_neg), near.exp() / (near.exp() + far.exp()), rtol=1e-11, atol=0)
    soft = TripletLoss("softplus")(x, z, z_neg)
    torch.testing.assert_close(soft, torch.log(1 + (near - far).exp()), rtol=1e-11, atol=0)


@pytest.mark.parametrize("kind", ["sigmoid", "softplus"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_large_distances_do_not_overflow(kind: TripletKind, dtype: torch.dtype) -> None:
    x = torch.zeros(2, 4, dtype=dtype, requires_grad=True)
    near, far = torch.zeros(2, 4, dtype=dtype), torch.full((2, 4), 5000.0, dtype=dtype)  # 1e4 away
    for z, z_neg in ((near, far), (far, near)):
        loss = TripletLoss(kind)(x, z, z_neg)
        (gradient,) = torch.autograd.grad(loss.sum(), x)
        assert torch.isfinite(loss).all()
        assert torch.isfinite(gradient).all()


def test_the_gradient_is_finite_where_embeddings_meet() -> None:
    x = torch.ones(1, 4, requires_grad=True)
    (gradient,) = torch.autograd.grad(distance(x, torch.ones(1, 4)).sum(), x)
    assert gradient.tolist() == [[0.0] * 4]


def test_no_triplets_no_loss() -> None:
    assert TripletLoss()(*torch.zeros(3, 0, 8)).shape == (0,)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="'sigmoid' or 'softplus'"):
        TripletLoss("hinge")  # type: ignore[arg-type]
