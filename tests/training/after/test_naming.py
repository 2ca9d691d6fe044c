"""Names go from third-person labels to the first person through the pairs, and nowhere else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.features import Embeddings, TakeEmbedding, embed_features
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.pairs import Action, Clock, Pair, Take
from actor_observer.training.after.naming import NamingPlan, fit_namer

SIZE, LENGTH = 512, 12.0
CONFIG = NetworkConfig(
    backbone="resnet18",
    labels=("sit", "eat"),
    naming="views",
    naming_context=(1.0,),
    naming_reduced=8,
    naming_hidden=16,
    naming_dropout=0.0,
)
PLAN = NamingPlan(epochs=12, batch=32, lr=1e-2, decay=0.0, blur=0.5)


def take_of(id: str, view: str, eats_first: bool, rng: np.random.Generator) -> tuple[Take, TakeEmbedding]:
    """A take of two actions, which the two views show in numbers of φ that have nothing in common."""
    times = np.arange(0.25, LENGTH, 0.5)
    eats = (times < LENGTH / 2) == eats_first
    phi = np.zeros((len(times), SIZE), dtype=np.float32)
    phi[:, :8] = rng.normal(0, 0.1, (len(times), 8))
    phi[:, 0 if view == "third" else 1] += np.where(eats, 1.0, -1.0)
    names = ("eat", "sit") if eats_first else ("sit", "eat")
    actions = tuple(Action(name, start, start + 6) for name, start in zip(names, (0.0, 6.0), strict=True))
    return Take(id, view, Path(id), LENGTH, actions=actions), TakeEmbedding(view, times, phi)  # type: ignore[arg-type]


def world() -> tuple[list[Take], list[Pair], dict[str, TakeEmbedding]]:
    rng = np.random.default_rng(0)
    labelled, pairs, phi = [], [], {}
    for number in range(6):
        take, phi[f"l{number}"] = take_of(f"l{number}", "third", bool(number % 2), rng)
        labelled.append(take)
        for view in ("third", "first"):
            _, phi[f"{view}{number}"] = take_of(f"{view}{number}", view, bool(number % 2), rng)
        pairs.append(Pair(str(number), f"third{number}", f"first{number}", Clock.scaled(LENGTH, LENGTH)))
    return labelled, pairs, phi


def right(network: ActorObserverNet, view: str) -> float:
    _, phi = take_of("new", view, True, np.random.default_rng(9))
    scores = embed_features(network, {"new": phi})["new"].scores
    assert scores is not None
    return float((scores.argmax(axis=1) == (phi.times < LENGTH / 2)).mean())


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_first_person_learns_names_without_labels(rounds: int) -> None:
    labelled, pairs, phi = world()
    network = ActorObserverNet(CONFIG, pretrained=False).eval()
    fit_namer(network, Embeddings(phi), labelled, pairs, replace(PLAN, rounds=rounds))
    assert right(network, "third") > 0.9 and right(network, "first") > 0.9
    assert not network.training


def test_frames_without_a_counterpart_are_told_nothing() -> None:
    labelled, pairs, phi = world()
    pieces = Clock.of_pieces([[(0.0, 0.0), (2.0, 2.0)], [(8.0, 8.0), (12.0, 12.0)]])  # from 2 to 8 s: only one shows it
    network = ActorObserverNet(CONFIG, pretrained=False).eval()
    fit_namer(network, Embeddings(phi), labelled, [replace(pair, clock=pieces) for pair in pairs], PLAN)
    assert network.namer is not None
    assert all(torch.isfinite(value).all() for value in network.namer.state_dict().values())
    assert right(network, "first") > 0.8


def test_with_takes_exchanged_the_first_person_learns_nothing() -> None:
    labelled, pairs, phi = world()
    swapped = [
        replace(pair, first=pairs[(n + 1) % 6].first) for n, pair in enumerate(pairs)
    ]  # eats when the other sits
    network = ActorObserverNet(CONFIG, pretrained=False).eval()
    fit_namer(network, Embeddings(phi), labelled, swapped, replace(PLAN, rounds=1))
    assert right(network, "third") > 0.9 and right(network, "first") < 0.2


def test_the_embedding_stays_as_it_is() -> None:
    labelled, pairs, phi = world()
    network = ActorObserverNet(CONFIG, pretrained=False).eval()
    before = {name: value.clone() for name, value in network.state_dict().items() if not name.startswith("namer.")}
    fit_namer(network, Embeddings(phi), labelled, pairs, replace(PLAN, epochs=1))
    assert all(torch.equal(value, network.state_dict()[name]) for name, value in before.items())


def test_what_is_missing_is_said() -> None:
    labelled, pairs, phi = world()
    network = ActorObserverNet(CONFIG, pretrained=False)
    with pytest.raises(UserError, match="labelled takes and pairs, not 6 and 0"):
        fit_namer(network, Embeddings(phi), labelled, [])
    plain = ActorObserverNet(replace(CONFIG, naming="embedding"), pretrained=False)
    with pytest.raises(UserError, match=r"network\.naming=views"):
        fit_namer(plain, Embeddings(phi), labelled, pairs)
