"""The network: one pass for all streams, both modes of batch norm, and features in place of frames."""

import pytest
import torch
from torch import Tensor

from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet


def make(**settings: object) -> ActorObserverNet:
    config = NetworkConfig(backbone="resnet18", videos=6, **settings)  # type: ignore[arg-type]
    return ActorObserverNet(config, pretrained=False)


def frames(*sizes: int) -> list[Tensor]:
    return [torch.rand(size, 3, 32, 32, dtype=torch.float64) for size in sizes]


def test_one_pass_equals_three() -> None:
    network = make().double().train()
    x, z, z_neg = frames(3, 3, 3)
    streams = network.forward_triplets(x, z, z_neg)
    for got, expected in (
        (streams.third, network(x, "third")),
        (streams.positive, network(z, "first", "positive")),
        (streams.negative, network(z_neg, "first", "negative")),
    ):
        torch.testing.assert_close(got.features, expected.features, rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(got.logit, expected.logit, rtol=1e-10, atol=1e-10)


def test_labelled_frames_run_through_the_backbone_once() -> None:
    network = make(labels=("a", "b"))
    passed: list[int] = []
    network.backbone.register_forward_hook(lambda module, given, output: passed.append(len(given[0])))
    x, z, z_neg, labelled = (part.float() for part in frames(2, 2, 2, 5))
    streams = network.forward_triplets(x, z, z_neg, labelled)
    assert passed == [2 * 3 + 5]
    torch.testing.assert_close(streams.labelled, network(labelled, "third").features, rtol=1e-5, atol=1e-5)
    empty = x[:0]
    assert network.forward_triplets(empty, empty, empty, labelled).labelled.shape == (5, 512)
    assert passed[-1] == 5


def test_frozen_batch_norm_keeps_its_statistics_and_the_batchs_own_moves_them() -> None:
    for batch_norm, moves in (("frozen", False), ("batch", True)):
        network = make(batch_norm=batch_norm).train()
        before = network.backbone.bn1.running_mean.clone()
        network.forward_triplets(*(part.float() for part in frames(2, 2, 2)))
        assert torch.equal(before, network.backbone.bn1.running_mean) != moves
    assert network.train().heads.training


def test_the_embedding_is_the_backbones_feature_unless_projected() -> None:
    plain, projected = make(), make(projection="per_view", projection_size=7, unit_length=True)
    x = torch.rand(3, 3, 32, 32)
    torch.testing.assert_close(plain(x, "first").features, plain.backbone(x))
    features = projected(x, "first").features
    assert features.shape == (3, 7)
    torch.testing.assert_close(features.norm(dim=1), torch.ones(3))


def test_features_are_taken_in_place_of_frames() -> None:
    network = make(projection="shared").eval()
    x = torch.rand(3, 3, 32, 32)
    torch.testing.assert_close(network(network.backbone(x), "first"), network(x, "first"))


def test_roles_matter_with_separate_heads_only() -> None:
    phi = torch.rand(3, 512)
    for heads, same in (("separate", False), ("shared", True)):
        network = make(heads=heads)
        positive, negative = (network(phi, "first", role).logit for role in ("positive", "negative"))
        assert torch.equal(positive, negative) == same


def test_bytes_channels_last_and_bf16_are_welcome() -> None:
    network = make(labels=("a", "b")).eval()
    fast = make(labels=("a", "b")).eval()
    fast.load_state_dict(network.state_dict())
    fast.to(memory_format=torch.channels_last)
    pixels = torch.randint(256, (2, 3, 64, 64), dtype=torch.uint8).contiguous(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        embedding = fast(pixels, "third")
        scores = fast.classify(embedding.features)
    plain = network(pixels, "third")
    assert embedding.features.dtype == embedding.logit.dtype == scores.dtype == torch.float32
    torch.testing.assert_close(embedding.features, plain.features, rtol=0.05, atol=0.05 * plain.features.max().item())


def test_resetting_the_state_makes_room_and_forgets() -> None:
    network = make(loss_average="pair").double()
    network.video_softmax.count += 1
    network.reset_state(videos=9, pairs=4)
    assert network.video_softmax.log_sum.shape == (27,)
    assert network.running_loss.loss.shape == (4,)
    assert network.video_softmax.log_sum.dtype == torch.float64
    assert not network.video_softmax.count.any()
    assert network.config.videos == 9


def test_misuse_is_named() -> None:
    network = make()
    with pytest.raises(ValueError, match="view is"):
        network(torch.rand(1, 512), "second")
    with pytest.raises(ValueError, match="no classifier"):
        network.classify(torch.rand(1, 512))
    with pytest.raises(ValueError, match="as many x as z"):
        network.forward_triplets(torch.rand(2, 512), torch.rand(2, 512), torch.rand(1, 512))
