"""`explain`: which parts of a frame the network responds to, and what makes two frames similar to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.console import Answer, printable
from actor_observer.errors import TakeError, UserError
from actor_observer.features.at_time import parse_at
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.known import Knowledge, find_known
from actor_observer.features.look import Look
from actor_observer.features.models import open_model
from actor_observer.features.running import phi_at
from actor_observer.features.see import open_take
from actor_observer.frames.at import frames_at
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import VIEWS, Fault, Take, View
from actor_observer.pictures.figures.activations import Mapped, draw_side_by_side
from actor_observer.pictures.figures.parts.maps import Around, activation_map, similarity_maps
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.figures.parts.thumbnails import as_pixels
from actor_observer.pictures.figures.similarity import draw_similarity

__all__ = ["Explained", "explain"]

LOOK_RATE = 3.0  # frames a second of the video around a frame
AROUND = 6.0  # seconds before and after it that tell whether the model knows such footage


@dataclass(frozen=True)
class Explained(Answer):
    """The pictures that `explain` drew, and whether the model knows what they show.

    >>> Explained((Path("activation.png"),), {}).warning
    ''
    """

    pictures: tuple[Path, ...]
    knowledge: Mapping[View, Knowledge]  # of each frame's surroundings; empty where nobody can say

    @property
    def warning(self) -> str:
        """Why the pictures are not to be believed; empty where they may be."""
        says = next((one.says for one in self.knowledge.values() if not one.known), "")
        return says and f"these maps may mean nothing: {says}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        known = {view: one.to_dict() for view, one in self.knowledge.items()}
        return {"pictures": [str(path) for path in self.pictures], "knowledge": known}


def explain(
    moment: str,
    out: str | Path,
    view: View = "third",
    against: str | None = None,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    device: str = "auto",
) -> Explained:
    """Draw a frame's activation map and, given a frame of the other view, the maps of their similarity.

    Args:
        moment: the frame, as "VIDEO@TIME".
        out: the folder that the pictures go to, as PNG files.
        view: the frame's.
        against: "VIDEO@TIME" of the other view.
        model, backbone, device: as for `align`.
    """
    other: View = "first" if view == "third" else "third"
    asked = [(view, *_open(moment, view))] + ([(other, *_open(against, other))] if against else [])
    where = best_device(device)
    network = open_model(model, backbone)
    look = Look.of_network(network.config, LOOK_RATE)
    frames = {name: look.of(frames_at(take, [time], size=look.decode_size))[0] for name, take, time in asked}
    notes = {name: f"{_short(printable(take.id))}, {time:g} s" for name, take, time in asked}
    maps = {name: _mapped(frames[name], activation_map(network, frames[name]), notes[name]) for name in frames}
    drawn = [save_picture(draw_side_by_side(maps), Path(out) / "activation.png")]
    if against:
        around = {name: _around(network, take, time, look, where) for name, take, time in asked}
        heats = similarity_maps(network, frames["third"], frames["first"], around["third"], around["first"])
        third, first = (_mapped(frames[name], heat, notes[name]) for name, heat in zip(VIEWS, heats, strict=True))
        drawn.append(save_picture(draw_similarity([(third, first)]), Path(out) / "similarity.png"))
    known = find_known(network)
    shown = {} if known is None else {name: known.take(_near(network, take, time, where)) for name, take, time in asked}
    return Explained(tuple(drawn), shown)


def _open(text: str, view: View) -> tuple[Take, float]:
    path, time = parse_at(text)
    take = open_take(path, view)
    if time > take.length:
        raise UserError(f"{text}: the video ends at {take.length:.1f} s; give an earlier time")
    return take, time


def _short(id: str, most: int = 14) -> str:
    return id if len(id) <= most else f"{id[: most - 5]}…{id[-4:]}"


def _around(network: ActorObserverNet, take: Take, time: float, look: Look, device: str) -> Around | None:
    """The part of the take around a frame, for networks that need it; None for the others."""
    if not network.config.takes_needed:
        return None
    [(_, found)] = extract(network.backbone, [take], look, device)
    if isinstance(found, Fault):
        raise TakeError(take.path, found.what)
    return Around(found.features, found.times, int(found.at(np.array([time]))[0]))


def _near(network: ActorObserverNet, take: Take, time: float, device: str) -> TakeEmbedding:
    """φ of the seconds around a frame."""
    look = Look.of_network(network.config, LOOK_RATE)
    times = np.arange(max(0.0, time - AROUND), min(time + AROUND, take.length), 1 / LOOK_RATE)
    read = partial(frames_at, take, size=look.decode_size)
    return TakeEmbedding(take.view, times, phi_at(network.backbone, look, read, times, take.length, device))


def _mapped(frame: Tensor, heat: NDArray[np.float32], note: str) -> Mapped:
    return Mapped(as_pixels(frame), heat, note)
