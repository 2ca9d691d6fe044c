"""What goes on around a frame: means over stretches of time, whatever the frame rate."""

import torch

from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.context import with_context


def test_every_stretch_is_the_mean_of_the_frames_in_it() -> None:
    times = torch.sort(torch.rand(40) * 20).values
    phi = torch.randn(40, 5)
    seen = with_context(phi, times, [1.0, 4.0]).unflatten(1, (5, 5))
    for i, now in enumerate(times):
        assert torch.equal(seen[i, 0], phi[i])
        for column, seconds in ((1, 1.0), (3, 4.0)):
            before = (times <= now) & (times >= now - seconds - 1e-6)
            after = (times >= now) & (times <= now + seconds + 1e-6)
            torch.testing.assert_close(seen[i, column], phi[before].mean(dim=0))
            torch.testing.assert_close(seen[i, column + 1], phi[after].mean(dim=0))


def test_twice_the_frame_rate_gives_nearly_the_same_context() -> None:
    def signal(times: torch.Tensor) -> torch.Tensor:
        return torch.stack([times.sin(), (times / 3).cos()], dim=1)

    slow, fast = torch.arange(0, 30, 1 / 4), torch.arange(0, 30, 1 / 8)
    a, b = with_context(signal(slow), slow, [4.0]), with_context(signal(fast), fast, [4.0])[::2]
    assert (a - b).abs().max() < 0.1


def test_a_take_without_its_mean_is_the_same_in_any_light() -> None:
    network = ActorObserverNet(
        NetworkConfig(backbone="resnet18", centred=True, context=(2.0,), projection="shared"), pretrained=False
    ).eval()
    phi, times = torch.randn(12, 512), torch.arange(12.0)
    seen = [network.embed(network.in_take(phi + shift, times), "first").features for shift in (0.0, 7.0)]
    torch.testing.assert_close(seen[0], seen[1], rtol=1e-3, atol=1e-4)


def test_a_frame_alone_is_seen_against_the_usual_take() -> None:
    config = NetworkConfig(backbone="resnet18", centred=True, context=(2.0,), projection="shared")
    network = ActorObserverNet(config, pretrained=False)
    network.usual[1] = 3.0
    assert torch.equal(network.alone(torch.full((2, 512), 3.0), "first"), torch.zeros(2, 3 * 512))
