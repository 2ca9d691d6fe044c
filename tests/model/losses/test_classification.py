"""Recognition's loss."""

import torch

from actor_observer.model.losses.classification import classification_loss


def test_it_is_the_mean_cross_entropy() -> None:
    scores, label = torch.randn(7, 5, dtype=torch.float64), torch.randint(5, (7,))
    expected = -scores.log_softmax(1)[torch.arange(7), label].mean()
    torch.testing.assert_close(classification_loss(scores, label), expected)


def test_no_labelled_frames_give_zero_with_a_gradient() -> None:
    layer = torch.nn.Linear(3, 5)
    loss = classification_loss(layer(torch.zeros(0, 3)), torch.zeros(0, dtype=torch.int64))
    loss.backward()
    assert loss.item() == 0
    assert layer.weight.grad is not None
    assert not layer.weight.grad.any()
