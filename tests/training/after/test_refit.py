"""A classifier fitted anew: it learns what the embedding shows, and the embedding stays."""

from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import Action, Take
from actor_observer.training.after.refit import refit_classifier


def test_it_names_what_it_has_seen_and_leaves_the_embedding_alone() -> None:
    torch.manual_seed(0)
    labels = ("a", "b", "c")
    network = ActorObserverNet(NetworkConfig(backbone="resnet18", labels=labels), pretrained=False)
    before = {name: value.clone() for name, value in network.state_dict().items() if "classifier" not in name}
    rng, takes, seen = np.random.default_rng(0), [], {}
    centres = rng.normal(size=(3, 512))
    for n in range(6):
        times = (np.arange(30) + 0.5) / 3
        actions = tuple(Action(label, 3.0 * k, 3.0 * (k + 1)) for k, label in enumerate(labels))
        takes.append(Take(str(n), "third", Path(str(n)), 10.0, actions=(*actions, Action("unknown", 0, 1))))
        place = np.minimum(times // 3, 2).astype(int)
        features = centres[place] + 0.3 * rng.normal(size=(30, 512))
        seen[str(n)] = TakeEmbedding("third", times, (features / 25).astype(np.float32))
    refit_classifier(network, Embeddings(seen), takes[:5])
    scores = network.classify(torch.from_numpy(seen["5"].features))
    named = seen["5"].times < 9  # the last second has no label
    expected = torch.from_numpy((seen["5"].times // 3).astype(int))
    assert (scores.argmax(dim=1) == expected)[torch.from_numpy(named)].float().mean() > 0.95
    assert all(torch.equal(value, network.state_dict()[name]) for name, value in before.items())


def test_what_two_frames_tell_apart_is_not_believed_without_end() -> None:
    take = Take("a", "third", Path("a"), 4.0, actions=(Action("sit", 0, 2), Action("eat", 2, 4)))
    seen = Embeddings({"a": TakeEmbedding("third", np.array([1.0, 3.0]), np.eye(2, 512, dtype=np.float32))})
    sizes, left = [], []
    for decay in (1e-3, 1e-1):
        network = ActorObserverNet(NetworkConfig(backbone="resnet18", labels=("sit", "eat")), pretrained=False)
        left.append(refit_classifier(network, seen, [take], decay))
        assert network.classifier is not None
        sizes.append(float(network.classifier.weight.detach().norm()))
    assert sizes[1] < 0.6 * sizes[0] < 10 and left[0] < left[1] < np.log(2)


def test_frames_without_a_label_count_for_nothing() -> None:
    left = []
    for length in (4.0, 40.0):
        take = Take("a", "third", Path("a"), length, actions=(Action("sit", 0, 2), Action("eat", 2, 4)))
        times = np.arange(0.5, length)
        features = np.random.default_rng(0).normal(size=(40, 512))[: len(times)].astype(np.float32)
        seen = Embeddings({"a": TakeEmbedding("third", times, features)})
        network = ActorObserverNet(NetworkConfig(backbone="resnet18", labels=("sit", "eat")), pretrained=False)
        left.append(refit_classifier(network, seen, [take], decay=1e-2))
    assert left[0] == pytest.approx(left[1], rel=1e-3) and left[0] > 0


def test_nothing_to_learn_from_is_one_line() -> None:
    network = ActorObserverNet(NetworkConfig(backbone="resnet18", labels=("a",)), pretrained=False)
    with pytest.raises(UserError, match="no labelled frame"):
        refit_classifier(network, Embeddings({}), [])
    with pytest.raises(UserError, match="no classifier"):
        refit_classifier(ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False), Embeddings({}), [])
