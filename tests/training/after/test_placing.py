"""The chance of being placed: learned from pairs, told from one take alone, and as often right as it says."""

import numpy as np
import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.features import Embeddings, TakeEmbedding, embed_features
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.placing import ROWS, distinctness
from actor_observer.pairs import Clock, Pair
from actor_observer.training.after.placing import fit_placing, placed_right

LENGTH, SIZE = 30.0, 16
CONFIG = NetworkConfig(backbone="resnet18", placing=1.0)


def pair_of(number: int) -> tuple[Pair, dict[str, TakeEmbedding]]:
    """The first half of the take shows one thing all along; in the second every second looks different."""
    rng = np.random.default_rng(number)
    times = np.arange(0.25, LENGTH, 0.5)
    seconds = rng.normal(size=(int(LENGTH) + 1, SIZE))
    seconds[: int(LENGTH) // 2] = seconds[0]
    takes = {}
    for view in ("third", "first"):
        features = seconds[times.astype(int)] + rng.normal(0, 0.3, (len(times), SIZE))
        takes[f"{view}{number}"] = TakeEmbedding(view, times, features.astype(np.float32))  # type: ignore[arg-type]
    return Pair(str(number), f"third{number}", f"first{number}", Clock.scaled(LENGTH, LENGTH)), takes


def world(numbers: range) -> tuple[list[Pair], Embeddings]:
    made = [pair_of(number) for number in numbers]
    return [pair for pair, _ in made], Embeddings({id: take for _, takes in made for id, take in takes.items()})


def test_the_chance_tells_what_can_be_placed_and_how_often() -> None:
    pairs, embeddings = world(range(12))
    network = ActorObserverNet(CONFIG, pretrained=False).eval()
    shares = fit_placing(network, embeddings, pairs)
    assert network.placing is not None and 0.4 < shares["first"] < 0.8
    later, others = world(range(20, 26))
    chance = []
    for pair in later:
        take = others[pair.first]
        with torch.no_grad():
            chance.append(
                network.placing(
                    torch.from_numpy(take.features), torch.from_numpy(take.times).float(), "first"
                ).sigmoid()
            )
    found = torch.stack(chance)  # (P, T)
    half = found.shape[1] // 2
    assert found[:, :half].mean() < 0.4 and found[:, half:].mean() > 0.8


def test_it_does_not_know_where_in_the_take_a_frame_lies() -> None:
    _, embeddings = world(range(1))
    take = embeddings["first0"]
    features, times = torch.from_numpy(take.features), torch.from_numpy(take.times).float()
    mirrored = distinctness(features.flip(0), (LENGTH - times).flip(0), 1.0).flip(0)
    torch.testing.assert_close(distinctness(features, times, 1.0), mirrored)


def test_long_takes_are_compared_in_parts() -> None:
    features, times = torch.randn(ROWS + 7, 4), torch.arange(ROWS + 7) / 3
    whole = distinctness(features, times, 1.0)
    assert whole.shape == (ROWS + 7, 6)
    alike = torch.nn.functional.normalize(features, dim=-1)
    share = (alike[-1] @ alike.T / 0.1).softmax(0)
    torch.testing.assert_close(whole[-1, 0], ((share * (times[-1] - times).abs()).sum() + 0.01).log())


def test_embeddings_carry_the_chance() -> None:
    network = ActorObserverNet(CONFIG, pretrained=False)
    phi = {"a": TakeEmbedding("third", np.arange(4.0), np.random.default_rng(0).normal(size=(4, 512)))}
    found = embed_features(network, phi)["a"].chance
    assert found is not None and np.allclose(found, 0.5)  # not fitted yet


def test_what_is_missing_is_said() -> None:
    pairs, embeddings = world(range(2))
    with pytest.raises(UserError, match="no pairs"):
        fit_placing(ActorObserverNet(CONFIG, pretrained=False), embeddings, [])
    with pytest.raises(UserError, match=r"network\.placing=1"):
        fit_placing(ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False), embeddings, pairs)


def test_nearly_right_counts_for_the_chance_and_not_as_a_hit() -> None:
    seen = torch.eye(3)
    gap = torch.tensor([[1.5, 0.5, 9.0], [0.5, 0.9, 9.0], [9.0, 9.0, 1.5]])  # how far each is from where it belongs
    soft, hit = placed_right(seen, seen, gap, tolerance=1.0)
    assert soft[0] > 0.99 and hit[0] == 0  # the one it takes lies within twice the tolerance
    assert soft[1] > 0.99 and hit[1] == 1
    assert soft[2].isnan() and hit[2].isnan()  # nothing that it could be placed at
