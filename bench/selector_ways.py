"""The selectors that bench/selector.py compares: what each sees, and how it is fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.evaluation.measures.exact_truth import Truth
from actor_observer.features import Embeddings
from actor_observer.model.context import with_context
from actor_observer.model.placing import distinctness
from actor_observer.pairs import Manifest, Pair
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.training.after.placing import placed_right

TOLERANCE = 1.0  # seconds
Scores = Mapping[str, NDArray[np.float64]]  # take id -> (T,)


@dataclass(frozen=True)
class World:
    """Some pairs as the model sees them."""

    pairs: Sequence[Pair]
    phi: Embeddings
    embedded: Embeddings  # by the model
    alone: Embeddings  # by heads that see single frames
    manifest: Manifest
    truth: Truth | None

    def ids(self, view: View) -> list[str]:
        return [getattr(pair, view) for pair in self.pairs]


@dataclass(frozen=True)
class Candidate:
    """What a selector sees, whose placing it learns to foretell, and how."""

    sees: Callable[[World, str], Tensor]  # a take -> (T, D)
    frame_by_frame: bool = False  # learns from the embedding that sees single frames
    hidden: int = 0  # width of a middle layer; 0: a linear function
    bounded: bool = False  # within ± a learned scale, by tanh, as the paper's


CHOSEN = "how distinct it is in its take"


def candidates() -> dict[str, Candidate]:
    """What is tried, by name."""

    def frame(world: World, id: str) -> Tensor:
        phi = torch.from_numpy(world.phi[id].features).float()
        return phi - phi.mean(dim=0)

    def around(world: World, id: str) -> Tensor:
        return with_context(frame(world, id), times_of(world, id), (0.7,))

    def motion(world: World, id: str) -> Tensor:
        phi, times = frame(world, id), times_of(world, id)
        step = (phi[1:] - phi[:-1]).norm(dim=1)
        moved = torch.cat([step[:1], step])[:, None].clamp(min=1e-6).log()
        return with_context(moved, times, (0.7, 2.0))

    def embedding(world: World, id: str) -> Tensor:
        return torch.from_numpy(world.embedded[id].features).float()

    def distinct(world: World, id: str) -> Tensor:
        return distinctness(embedding(world, id), times_of(world, id), TOLERANCE)

    def with_motion(world: World, id: str) -> Tensor:
        return torch.cat([distinct(world, id), motion(world, id)], dim=1)

    def with_embedding(world: World, id: str) -> Tensor:
        return torch.cat([distinct(world, id), embedding(world, id)], dim=1)

    def position(world: World, id: str) -> Tensor:
        times = times_of(world, id)
        place = times / (times[-1] + times[0])
        return torch.stack([place, place.square(), torch.minimum(place, 1 - place)], dim=1)

    return {
        "the frame (φ)": Candidate(frame),
        "the frame, bounded by tanh": Candidate(frame, bounded=True),
        "the frame, by single frames' placing": Candidate(frame, frame_by_frame=True),
        "the frame, by single frames' placing, two layers": Candidate(frame, frame_by_frame=True, hidden=256),
        "0.7 s around it, by single frames' placing, two layers": Candidate(around, frame_by_frame=True, hidden=256),
        "motion": Candidate(motion),
        "the embedding": Candidate(embedding),
        "the embedding, two layers": Candidate(embedding, hidden=128),
        CHOSEN: Candidate(distinct),
        f"{CHOSEN}, two layers": Candidate(distinct, hidden=32),
        f"{CHOSEN}, and motion": Candidate(with_motion),
        f"{CHOSEN}, and the embedding": Candidate(with_embedding),
        f"{CHOSEN}, and the embedding, two layers": Candidate(with_embedding, hidden=128),
        "position alone (control)": Candidate(position, hidden=32),
    }


def times_of(world: World, id: str) -> Tensor:
    return torch.from_numpy(world.phi[id].times).float()


Function = Callable[[Tensor], NDArray[np.float64]]  # what is seen of frames (T, D) to a probability for each (T,)
Target = tuple[Tensor, Tensor]  # (T,) the probability given to right moments, and whether there are any


def targets(pairs: Sequence[Pair], placed: Embeddings) -> dict[View, list[Target]]:
    """How well the frames of every pair are placed: what all candidates learn."""
    found: dict[View, list[Target]] = {view: [] for view in VIEWS}
    for pair in pairs:
        third, first = placed[pair.third], placed[pair.first]
        gap = torch.from_numpy(pair.clock.apart(third.times, first.times))
        x, z = (torch.from_numpy(np.asarray(take.features)).float() for take in (third, first))
        for view, own, other, apart in (("third", x, z, gap.T), ("first", z, x, gap)):
            soft, _ = placed_right(own, other, apart, TOLERANCE)
            found[view].append((soft.float(), soft.isfinite()))  # type: ignore[index]
    return found


def fitted(
    candidate: Candidate, learn: World, pairs: Sequence[Pair], told: dict[View, list[Target]], where: str
) -> dict[View, Function]:
    """Fit on these pairs of a world."""
    found: dict[View, Function] = {}
    for view in VIEWS:
        x = [
            candidate.sees(learn, getattr(pair, view))[known]
            for pair, (_, known) in zip(pairs, told[view], strict=True)
        ]
        y = [soft[known] for soft, known in told[view]]
        found[view] = foretell(torch.cat(x).to(where), torch.cat(y).to(where), candidate)
    return found


def foretold(candidate: Candidate, functions: Mapping[View, Function], judge: World, where: str) -> Scores:
    """A probability for every frame of a world."""
    return {id: functions[view](candidate.sees(judge, id).to(where)) for view in VIEWS for id in judge.ids(view)}


def foretell(x: Tensor, y: Tensor, candidate: Candidate) -> Function:
    """A logistic function of x (N, D), linear or of two layers, fitted to shares y (N,)."""
    torch.manual_seed(0)
    spread, mean = torch.std_mean(x, dim=0)
    spread = spread.clamp(min=1e-6)
    layers: list[nn.Module] = [nn.Linear(x.shape[1], candidate.hidden or 1)]
    if candidate.hidden:
        layers += [nn.ReLU(), nn.Dropout(0.3), nn.Linear(candidate.hidden, 1)]
    net = nn.Sequential(*layers).to(x.device)
    scale = nn.Parameter(torch.zeros((), device=x.device))
    shift = nn.Parameter(torch.zeros((), device=x.device))

    def logit(rows: Tensor) -> Tensor:
        plain: Tensor = net((rows - mean) / spread).squeeze(-1)
        return shift + scale.exp() * torch.tanh(plain) if candidate.bounded else plain

    steps, size = 800, 4096
    decay = 0.3 if x.shape[1] > 100 else 1e-3
    optimiser = torch.optim.AdamW([*net.parameters(), scale, shift], lr=2e-3, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        rows = torch.randint(len(x), (size,), device=x.device)
        loss = functional.binary_cross_entropy_with_logits(logit(x[rows]), y[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    net.eval()

    @torch.no_grad()
    def function(rows: Tensor) -> NDArray[np.float64]:
        return logit(rows).sigmoid().double().cpu().numpy()

    return function
