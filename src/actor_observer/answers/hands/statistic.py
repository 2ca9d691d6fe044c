"""The paper's statistic: the share of frames with hands among those of highest and of lowest weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.answers.hands.detector import SIDE, Detector
from actor_observer.errors import UserError
from actor_observer.evaluation.measures.markers import interval_json
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.over_videos import share_of
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.features.embeddings import Embeddings
from actor_observer.features.identity import model_name
from actor_observer.features.models import open_model
from actor_observer.features.see import open_take, see
from actor_observer.frames.at import frames_at
from actor_observer.pairs.manifest import Take, View

__all__ = ["SURE", "HandShares", "Weighed", "hand_shares", "hands_in", "weighed"]

SURE = 0.5  # a frame counts as one with a hand from here on: the detector's own rule
EXTREME = 0.1  # share of a view's frames that count as highest and as lowest weighted
MOST = 200  # frames of each kind that are looked at; of more, so many are drawn


@dataclass(frozen=True)
class Weighed:
    """The frames of some takes and their weights."""

    takes: tuple[Take, ...]
    take: NDArray[np.int64]  # (F,) number of a frame's take
    time: NDArray[np.float64]  # (F,) seconds
    weight: NDArray[np.float64]  # (F,) relative to the mean of its take

    def extreme(self, lowest: bool, seed: int = 0) -> NDArray[np.int64]:
        """Which frames are among the tenth of highest (lowest) weight, at most `MOST` of them."""
        order = np.argsort(self.weight if lowest else -self.weight, kind="stable")
        chosen = order[: max(1, round(EXTREME * len(order)))]
        return self._some(chosen, seed)

    def any(self, seed: int = 0) -> NDArray[np.int64]:
        """Frames of any weight, as many."""
        return self._some(np.arange(len(self.weight)), seed)

    def _some(self, chosen: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
        if len(chosen) > MOST:
            chosen = np.random.default_rng(seed).choice(chosen, MOST, replace=False)
        return np.sort(chosen)


@dataclass(frozen=True)
class HandShares:
    """Shares of frames in which the detector found a hand, with intervals over videos."""

    highest: Interval
    lowest: Interval
    every: Interval
    frames: int  # looked at in each of the three
    videos: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        shares = {name: interval_json(getattr(self, name)) for name in ("highest", "lowest", "every")}
        return {**asdict(self), **shares}


def weighed(takes: Mapping[str, Take], embeddings: Embeddings, view: View = "first") -> Weighed:
    """The frames of one view's takes that have weights."""
    known = [take for id, take in takes.items() if take.view == view and id in embeddings]
    known = [take for take in known if embeddings[take.id].weight is not None]
    found = [embeddings[take.id] for take in known]
    return Weighed(
        tuple(known),
        np.repeat(np.arange(len(known)), [len(one.times) for one in found]),
        np.concatenate([one.times for one in found]) if found else np.empty(0),
        np.concatenate([np.asarray(one.weight, dtype=float) for one in found]) if found else np.empty(0),
    )


def hand_shares(
    frames: Weighed, detector: Detector, each: Callable[[], object] = lambda: None
) -> HandShares | None:  # None: there are no weights
    """Look for hands in the frames of highest and of lowest weight, and in some of any weight."""
    if not len(frames.weight):
        return None
    chosen = {"highest": frames.extreme(False), "lowest": frames.extreme(True), "every": frames.any()}
    wanted = np.unique(np.concatenate(list(chosen.values())))
    sure = np.zeros(len(frames.weight))
    for number in np.unique(frames.take[wanted]):
        rows = wanted[frames.take[wanted] == number]
        sure[rows] = detector(frames_at(frames.takes[number], frames.time[rows].tolist(), size=SIDE))
        each()
    shares = {name: _share(sure[rows] >= SURE, frames.take[rows]) for name, rows in chosen.items()}
    return HandShares(**shares, frames=len(chosen["highest"]), videos=len(frames.takes))


def _share(seen: NDArray[np.bool_], take: NDArray[np.int64]) -> Interval:
    names, video = np.unique(take, return_inverse=True)
    return share_over(share_of(seen.astype(float), video), len(names))


def hands_in(
    videos: Sequence[Path],
    detector: Detector,
    view: View = "first",
    model: str | Path | None = None,
    look_rate: float = 6.0,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,  # called twice for every video
) -> HandShares:
    """The statistic for anybody's videos of one view, weighed by a model's selector."""
    network = open_model(model)
    if not network.config.select:
        raise UserError(f"{model_name(model)}: it has no selector: to it, all frames weigh the same")
    takes, seen = {}, {}
    for number, video in enumerate(videos):
        takes[str(number)] = replace(open_take(video, view), id=str(number))
        seen[str(number)] = see(network, takes[str(number)], view, look_rate, device=device)
        each()
    found = hand_shares(weighed(takes, Embeddings(seen), view), detector, each)
    if found is None:
        raise UserError("no videos to look at")
    return found
