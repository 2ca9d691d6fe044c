"""Find a moment in an index by a picture or a moment of a video, usually of the other view."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import TakeError, UserError
from actor_observer.features.device import best_device
from actor_observer.features.identity import identify
from actor_observer.features.models import open_model
from actor_observer.frames.at import frames_at
from actor_observer.frames.jpegs import Tile, contact_sheet, file_name, make_folder, write_jpeg
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take, View
from actor_observer.searching.index import index_head
from actor_observer.searching.index_files import TIMES, Entry, MomentIndex, open_index
from actor_observer.searching.index_writer import refuse_other
from actor_observer.searching.moment_times import look_for
from actor_observer.searching.nearest import EXACT, nearest
from actor_observer.searching.query import Query, ask_for, embed_query

__all__ = ["Answers", "Hit", "search"]

APART = 2.0  # seconds between two answers from one video
THUMBNAIL = 240  # pixels of the short side


@dataclass(frozen=True)
class Hit:
    """A moment that was found.

    >>> Hit("kitchen.mp4", 12.5, 0.7, "first").time
    12.5
    """

    video: str
    time: float  # seconds
    distance: float
    view: View
    subject: str = ""

    @property
    def place(self) -> str:
        """The video as seen from where one stands: a shorter path where there is one."""
        here, path = Path.cwd(), Path(self.video)
        return str(path.relative_to(here)) if path.is_relative_to(here) else self.video


@dataclass(frozen=True)
class Answers:
    """Moments that look most like the query, nearest first."""

    query: str
    view: View  # of the query
    hits: tuple[Hit, ...]
    picture: Tensor  # (3, H, W) the query
    takes: tuple[Take | None, ...]  # where the frames of each answer are; None: pixels that were never on disk

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"query": self.query, "view": self.view, "answers": [asdict(hit) for hit in self.hits]}

    def save(self, out: str | Path) -> list[Path]:
        """Write a JPEG of each answer, and sheet.jpg with the query and all of them."""
        folder = make_folder(Path(out))
        tiles, written = [Tile(self.picture, Path(self.query).name, f"query, {self.view} person", marked=True)], []
        for rank, (hit, take) in enumerate(zip(self.hits, self.takes, strict=True), start=1):
            frame, name = _frame(take, hit.time), Path(hit.video).name
            if frame is not None:
                written.append(write_jpeg(folder / file_name(rank, hit.time, Path(hit.video).stem), frame))
            tiles.append(Tile(frame, f"{rank}. {name}", f"{hit.time:.2f} s   distance {hit.distance:.3f}"))
        return [*written, contact_sheet(folder / "sheet.jpg", tiles)]


def search(
    index: str | Path | MomentIndex,
    query: Query,
    view: View | None = None,  # of the query; None: the other one than the index's
    in_view: View | None = None,  # only these moments are looked at
    subject: str | None = None,
    video: str | None = None,  # a file's name or path; * and ? stand for anything
    top: int = 10,
    apart: float = APART,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    fps: float | None = None,  # of pixels that stand for a video
    device: str = "auto",
    exact: int = EXACT,  # moments that are all looked at; with more, faiss is used where it is installed
) -> Answers:
    """The moments of an index that are nearest to a picture, to "VIDEO@TIME" or to (video, time).

    Answers of one video are at least `apart` seconds from each other, so that ten answers are ten moments.

    >>> search("no-such-index", "room.mp4@12.5")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    if top < 1 or not apart >= 0:
        raise UserError(f"top {top}, apart {apart:g}: ask for at least one answer, and for no negative distance")
    found = index if isinstance(index, MomentIndex) else open_index(index)
    chosen = choose(found, in_view, subject, video)
    view = view or other_view(found, chosen)
    network, where = open_model(model, backbone), best_device(device)
    refuse_other(found.folder, found.head, index_head(network, identify(network, model, backbone), found.head.rate))
    look, _ = look_for(network.config, found.head.rate)
    asked = ask_for(query, look, fps, in_take=network.config.takes_needed)
    vector = embed_query(network, asked, view, look, where)
    allowed = np.repeat(chosen, np.diff(found.starts))
    rows = nearest(found.vectors, vector, allowed, found.squares, exact)
    hits = list(_different(found, rows, top, apart))
    takes = tuple(_take(entry) for entry, _ in hits)
    return Answers(asked.name, view, tuple(hit for _, hit in hits), asked.picture, takes)


def choose(
    index: MomentIndex, in_view: View | None = None, subject: str | None = None, video: str | None = None
) -> NDArray[np.bool_]:
    """Which entries (V,) are looked at."""
    if not len(index):
        raise UserError(f"{index.folder}: there are no moments in this index yet")
    chosen = index.live.copy()
    asked = {"view": in_view, "subject": subject, "video": video}
    for number, entry in enumerate(index.entries):
        names = (entry.video, entry.name, Path(entry.name).stem)
        chosen[number] &= in_view is None or entry.view == in_view
        chosen[number] &= subject is None or entry.subject == subject
        chosen[number] &= video is None or any(
            name == video or fnmatch(name, video) or name == os.path.abspath(video)  # noqa: PTH100  # links stay links
            for name in names
        )
    if not chosen.any():
        filters = ", ".join(f"{name} {value}" for name, value in asked.items() if value is not None)
        raise UserError(f"{index.folder}: none of its {len(index.videos)} videos has {filters}")
    return chosen


def other_view(index: MomentIndex, chosen: NDArray[np.bool_]) -> View:
    """The view that the chosen moments are not of: search goes across views unless told otherwise."""
    views = {entry.view for entry, is_chosen in zip(index.entries, chosen, strict=True) if is_chosen}
    if len(views) > 1:
        raise UserError(
            f"{index.folder} holds both views: say which view the query is of (--view), or look --in-view one"
        )
    return "third" if views == {"first"} else "first"


def _different(
    index: MomentIndex, found: Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]], top: int, apart: float
) -> Iterator[tuple[Entry, Hit]]:
    """The nearest moments, less those close in time to a nearer one of the same video."""
    taken: dict[int, list[float]] = {}
    count = 0
    for rows, distances in found:
        owners = np.searchsorted(index.starts, rows, side="right") - 1
        for owner, time, distance in zip(owners.tolist(), index.times[rows].tolist(), distances.tolist(), strict=True):
            if not np.isfinite(time):
                raise UserError(f"{index.folder / TIMES}: damaged, {time} is no time; index anew")
            others = taken.setdefault(owner, [])
            if any(abs(time - other) < apart for other in others):
                continue
            others.append(time)
            entry = index.entries[owner]
            yield entry, Hit(entry.video, time, distance, entry.view, entry.subject)
            count += 1
            if count == top:
                return


def _take(entry: Entry) -> Take | None:
    if not entry.is_file:
        return None
    return Take(entry.name, entry.view, Path(entry.video), 0.0, frame_rate=entry.frame_rate)


def _frame(take: Take | None, time: float) -> Tensor | None:
    """The frame of an answer; None where its file has gone."""
    try:
        return None if take is None else frames_at(take, [time], size=THUMBNAIL)[0]
    except TakeError:
        return None
