"""Learn to name actions in both views from third-person labels: the pairs carry the names across."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.model.context import with_context
from actor_observer.model.heads import Projection
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Pair, Take, View

__all__ = ["NamingPlan", "fit_namer", "label_shares"]


@dataclass(frozen=True)
class NamingPlan:
    """How the networks that name actions learn."""

    epochs: int = 8
    batch: int = 1024  # frames
    lr: float = 1e-3
    decay: float = 0.1
    rounds: int = 2  # how often each view's network is fitted; from the second time on, the two views teach each other
    blur: float = 1.5  # seconds over which a teacher's answer is spread: clocks of pairs are off by about that much
    seed: int = 0


Rows = tuple[Tensor, Tensor]  # what a network sees of frames (N, D·windows), and what it should say of them (N, C)


def fit_namer(
    network: ActorObserverNet,
    phi: Embeddings,  # of all takes below
    labelled: Sequence[Take],
    pairs: Sequence[Pair],
    plan: NamingPlan | None = None,
    device: str | torch.device = "cpu",
    say: Callable[[str], object] = lambda line: None,
) -> None:
    """Fit `network.namer`. The first person's network never sees a label; it learns what the third person's answers:

        round 1:    third ← labels,                          first ← third's answers on the other take of each pair
        round 2:    third ← labels and the mean of both views' answers on the pairs,        first ← that mean

    An answer goes from one take to the other by the pair's clock, spread over `blur` seconds.
    """
    plan, namer = plan or NamingPlan(), network.namer
    if namer is None:
        raise UserError("this network names actions from its embedding (network.naming=views gives each view its own)")
    if not labelled or not pairs:
        raise UserError(f"naming needs labelled takes and pairs, not {len(labelled)} and {len(pairs)}")
    device, home = torch.device(device), next(namer.parameters()).device
    namer.to(device)
    torch.manual_seed(plan.seed)
    seen = {id: _seen(network, phi[id], device) for id in _ids(labelled, pairs)}
    number = {label: place for place, label in enumerate(network.config.labels)}
    named = [label_shares(take, phi[take.id].times, number) for take in labelled]
    rows = [torch.from_numpy(shares.sum(axis=1) > 0).to(device) for shares in named]
    x = torch.cat([seen[take.id][some] for take, some in zip(labelled, rows, strict=True)])
    y = torch.cat([torch.from_numpy(one).to(device)[some] for one, some in zip(named, rows, strict=True)])
    namer.standardise(torch.cat([seen[take.id] for take in labelled]), "third")
    namer.standardise(torch.cat([seen[pair.first] for pair in pairs]), "first")
    across = [_across(phi[pair.third], phi[pair.first], pair, plan.blur, device) for pair in pairs]
    more: Rows = (x[:0], y[:0])
    for turn in range(plan.rounds):
        left = _learn(namer, "third", [(x, y), more], plan)
        answers = [_answer(namer, seen[pair.third], "third") for pair in pairs]
        if turn:  # the first person's network of the round before has a say
            answers = [
                (own + back @ _answer(namer, seen[pair.first], "first")) / 2
                for own, (_, back), pair in zip(answers, across, pairs, strict=True)
            ]
        taught = [forth @ own for own, (forth, _) in zip(answers, across, strict=True)]
        learned = _learn(namer, "first", [(torch.cat([seen[pair.first] for pair in pairs]), torch.cat(taught))], plan)
        say(f"naming, round {turn + 1}: cross-entropy {left:.2f} with labels, {learned:.2f} with the other view")
        both = [
            (own + back @ _answer(namer, seen[pair.first], "first")) / 2
            for own, (_, back), pair in zip(answers, across, pairs, strict=True)
        ]
        more = torch.cat([seen[pair.third] for pair in pairs]), torch.cat(both)
    namer.to(home)
    network.eval()


def label_shares(take: Take, times: np.ndarray, number: dict[str, int]) -> np.ndarray:
    """What is done at these times, as shares of the classes (T, C); a row of zeros where nothing is named.

    >>> from pathlib import Path
    >>> from actor_observer.pairs import Action
    >>> take = Take("a", "third", Path("a"), 4.0, actions=(Action("sit", 0, 2), Action("eat", 1, 2)))
    >>> label_shares(take, np.array([0.5, 1.5, 3.0]), {"sit": 0, "eat": 1}).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]]
    """
    shares = np.zeros((len(times), len(number)), dtype=np.float32)
    for action in take.actions:
        if action.label in number:
            shares[(times >= action.start) & (times <= action.end), number[action.label]] = 1
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1)


def _ids(labelled: Sequence[Take], pairs: Sequence[Pair]) -> list[str]:
    ids = [*(take.id for take in labelled), *(id for pair in pairs for id in (pair.third, pair.first))]
    return list(dict.fromkeys(ids))


def _seen(network: ActorObserverNet, take: TakeEmbedding, device: torch.device) -> Tensor:
    phi, times = torch.from_numpy(np.asarray(take.features)).float(), torch.from_numpy(take.times).float()
    return with_context(phi.to(device), times.to(device), network.config.naming_context)


def _across(
    third: TakeEmbedding, first: TakeEmbedding, pair: Pair, blur: float, device: torch.device
) -> tuple[Tensor, Tensor]:
    """What takes answers of the third-person frames to the first-person ones (T', T), and back (T, T')."""
    gap = pair.clock.apart(third.times, first.times)  # (T', T) third-person seconds
    near = torch.from_numpy(-((gap / blur) ** 2) / 2).float().to(device)
    # Frames without a counterpart are told nothing.
    return near.softmax(dim=1).nan_to_num(0.0), near.T.softmax(dim=1).nan_to_num(0.0)


@torch.no_grad()
def _answer(namer: Projection, seen: Tensor, view: View) -> Tensor:
    namer.eval()
    return namer(seen, view).softmax(dim=1)


def _learn(namer: Projection, view: View, rows: Sequence[Rows], plan: NamingPlan) -> float:
    """Fit one view's network from where a new one starts; gives the cross-entropy of the last epoch."""
    own = namer.networks[0 if view == "third" else 1]
    own.requires_grad_(True)
    for module in own.modules():
        if isinstance(module, nn.Linear):
            module.reset_parameters()
    sizes = [len(x) for x, _ in rows]
    device, total = rows[0][0].device, sum(sizes)
    # without context in torch.cat: the tables of frames are large
    steps = max(1, -(-total // plan.batch)) * plan.epochs
    optimiser = torch.optim.AdamW(own.parameters(), lr=plan.lr, weight_decay=plan.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, plan.lr, total_steps=steps, pct_start=0.1)
    namer.train()
    sums, count = 0.0, 0
    for epoch in range(plan.epochs):
        order = torch.randperm(total, device=device)
        for chosen in order.split(plan.batch):
            parts = [chosen[(chosen >= start) & (chosen < start + size)] - start for start, size in _spans(sizes)]
            x = torch.cat([table[part] for (table, _), part in zip(rows, parts, strict=True)])
            y = torch.cat([table[part] for (_, table), part in zip(rows, parts, strict=True)])
            loss = -(y * namer(x, view).log_softmax(dim=1)).sum(dim=1).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            if epoch + 1 == plan.epochs:
                sums, count = sums + float(loss.detach()) * len(x), count + len(x)
    own.requires_grad_(False)
    return sums / max(1, count)


def _spans(sizes: Sequence[int]) -> list[tuple[int, int]]:
    starts = np.cumsum([0, *sizes[:-1]])
    return [(int(start), size) for start, size in zip(starts, sizes, strict=True)]
