"""Find a moment in an index by words, a picture or a moment of a video, usually of the other view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.answers.limits import limits_for
from actor_observer.console import Answer, counted
from actor_observer.errors import TakeError, UserError
from actor_observer.features.identity import identify
from actor_observer.features.known import Knowledge, find_known, said_of
from actor_observer.features.words import embed_words
from actor_observer.frames.at import frames_at
from actor_observer.frames.jpegs import Tile, contact_sheet, file_name, make_folder, write_jpeg
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take, View
from actor_observer.pairs.window import stem_of
from actor_observer.searching.engines import open_engine
from actor_observer.searching.engines.engine import Engine, Filter, Near
from actor_observer.searching.engines.entries import Entry
from actor_observer.searching.engines.index_writer import refuse_other
from actor_observer.searching.index import index_head
from actor_observer.searching.made_by import frozen_backbone, network_for
from actor_observer.searching.moment_times import look_for
from actor_observer.searching.query import Query, ask_for, check_query, embed_query, is_words, phi_of_query

__all__ = ["Answers", "Hit", "search"]

APART = 2.0  # seconds between two answers from one video
FIRST_ASKED = 256  # moments asked of the engine at first: many are neighbours of a nearer one
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
        """The video's path, relative to the current folder where it is inside it."""
        here, path = Path.cwd(), Path(self.video)
        return str(path.relative_to(here)) if path.is_relative_to(here) else self.video


@dataclass(frozen=True)
class Answers(Answer):
    """Moments that look most like the query, nearest first."""

    ROWS = ("answers",)

    query: str
    view: View | None  # of the query; None: words alone
    hits: tuple[Hit, ...]
    picture: Tensor | None  # (3, H, W) the query, or the first picture in it; None: words alone
    takes: tuple[Take | None, ...]  # where the frames of each answer are; None: pixels that were never on disk
    knowledge: Knowledge | None = None  # whether the model knows footage like the query; None where nobody can say
    far: float = np.inf  # distance beyond which the nearest moment hardly ever matches

    def __repr__(self) -> str:
        nearest = f", the nearest {self.hits[0].place} at {self.hits[0].time:.2f} s" if self.hits else ""
        return f"<Answers to {self.query}: {counted(len(self.hits), 'moment')}{nearest}>"

    @property
    def nothing_matches(self) -> bool:
        """Whether the answers are probably all wrong."""
        strange = self.knowledge is not None and not self.knowledge.known
        return strange or not self.hits or self.hits[0].distance > self.far

    @property
    def warning(self) -> str:
        """Why no answer is to be believed; empty where one may be."""
        if self.knowledge and not self.knowledge.known:
            return f"nothing here matches, probably: {self.knowledge.says}"
        if self.nothing_matches:
            return f"nothing here matches, probably: 95 % of matches are nearer than {self.far:.2f}"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        verdict = {"nothing_matches": self.nothing_matches, **said_of(self.knowledge)}
        return {"query": self.query, "view": self.view, **verdict, "answers": [asdict(hit) for hit in self.hits]}

    def save(self, out: str | Path) -> list[Path]:
        """Write a JPEG of each answer, and sheet.jpg with the query and all of them."""
        folder = make_folder(Path(out))
        asked = "words" if self.view is None else f"{self.view} person"
        tiles, written = [Tile(self.picture, Path(self.query).name, f"query, {asked}", marked=True)], []
        for rank, (hit, take) in enumerate(zip(self.hits, self.takes, strict=True), start=1):
            frame, name = _frame(take, hit.time), Path(hit.video).name
            if frame is not None:
                written.append(write_jpeg(folder / file_name(rank, hit.time, stem_of(Path(hit.video))), frame))
            tiles.append(Tile(frame, f"{rank}. {name}", f"{hit.time:.2f} s   distance {hit.distance:.3f}"))
        return [*written, contact_sheet(folder / "sheet.jpg", tiles)]


def search(
    index: str | Path | Engine,
    query: Query | list[Query],
    view: View | None = None,
    in_view: View | None = None,
    subject: str | None = None,
    video: str | None = None,
    top: int = 10,
    apart: float = APART,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    fps: float | None = None,
    device: str = "auto",
) -> Answers:
    """The moments of an index that are nearest to words, a picture or a moment of a video, or to several of them.

    >>> import tempfile
    >>> from actor_observer.model import NetworkConfig
    >>> from actor_observer.pairs import ROBOTS
    >>> from actor_observer.searching.index import index
    >>> room, head = (ROBOTS / f"videos/1_L_S_6_horizontal_n_4_regrasp.{view}.mp4" for view in ("third", "first"))
    >>> small = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)  # quick, knows nothing
    >>> place = Path(tempfile.mkdtemp()) / "moments"
    >>> index(head, place, "first", model=small).total
    3
    >>> found = search(place, f"{room}@1.5", model=small)
    >>> Path(found.hits[0].video).name
    '1_L_S_6_horizontal_n_4_regrasp.first.mp4'

    Args:
        index: the folder that `index` made, or an engine (docs/search.md).
        query: words (where the index has them: docs/search.md), a picture's file or pixels, "VIDEO@TIME", or (video,
            time); a list of these asks for what is near to all of them.
        view: the query's; None: the one that the index is not of.
        in_view, subject, video: search only moments of this view, this person, this video (its name or path; * and ?
            match anything).
        top: how many answers.
        apart: least seconds between two answers of one video, so that ten answers are ten moments.
        model, backbone, device: as for `align`; the model that made the index (a backbone's name is in the index).
        fps: frames a second of a query given as pixels or as a folder of frames.
    """
    if top < 1 or not apart >= 0:
        raise UserError(f"top {top}, apart {apart:g}: ask for at least one answer, and no negative distance in time")
    engine: Engine = open_engine(index) if isinstance(index, (str, Path)) else index
    filter = Filter(in_view, subject, video)
    videos = searched(engine, filter)
    queries = query if isinstance(query, list) else [query]
    check_queries(queries)
    shown = [one for one in queries if not is_words(one)]
    view = (view or other_view(engine, videos)) if shown else None
    if model is None and backbone is None:
        backbone = frozen_backbone(engine.head)
    network, where = network_for(engine.head, model, backbone), best_device(device)
    refuse_other(
        engine.folder, engine.head, index_head(network, identify(network, model, backbone), engine.head.moment_rate)
    )
    told = [str(one) for one in queries if is_words(one)]
    said = [*embed_words(network, told)] if told else []
    look, _ = look_for(network.config, engine.head.moment_rate)
    asked = [ask_for(one, look, fps, in_take=network.config.takes_needed) for one in shown]
    phi = [phi_of_query(network, one, look, where) for one in asked]
    seen = [embed_query(network, one, view or "third", its) for one, its in zip(asked, phi, strict=True)]
    near = different_moments(engine, together([*said, *seen], network.config.unit_length), filter, top, apart)
    hits = [Hit(one.entry.video, one.time, one.distance, one.entry.view, one.entry.subject) for one in near]
    name = " + ".join([*told, *(one.name for one in asked)])
    picture = asked[0].picture if asked else None
    found = Answers(name, view, tuple(hits), picture, tuple(_take(one.entry) for one in near))
    known = find_known(network)
    if known is None or view is None:
        return found
    seconds = 0.0 if asked[0].times is None else float(np.ptp(asked[0].times))
    return replace(found, knowledge=known.frames(phi[0], view, seconds), far=limits_for(network, known).far)


def check_queries(queries: Sequence[Query]) -> None:
    """Refuse what cannot be asked before anything slow is done.

    >>> check_queries([])
    Traceback (most recent call last):
    actor_observer.errors.UserError: nothing to look for: give words, a picture, or a moment of a video (VIDEO@TIME)
    """
    if not queries or any(isinstance(one, str) and not one.strip() for one in queries):
        raise UserError("nothing to look for: give words, a picture, or a moment of a video (VIDEO@TIME)")
    for one in queries:
        if not is_words(one):
            check_query(one)


def together(vectors: Sequence[NDArray[np.float32]], unit_length: bool) -> NDArray[np.float32]:
    """One vector for several queries: their mean, as long as a moment's.

    >>> together([np.array([3.0, 0.0]), np.array([0.0, 3.0])], unit_length=False).tolist()
    [1.5, 1.5]
    """
    if len(vectors) == 1:
        return vectors[0]
    mean = np.mean(vectors, axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12) if unit_length else mean, dtype=np.float32)


def searched(engine: Engine, filter: Filter) -> list[Entry]:
    """The videos that pass the filter; none is the user's mistake."""
    videos = engine.videos
    if not videos:
        raise UserError(f"{engine.folder}: there are no moments in this index yet")
    chosen = [entry for entry in videos if filter.matches(entry)]
    if not chosen:
        raise UserError(f"{engine.folder}: none of its {len(videos)} videos has {filter}")
    return chosen


def other_view(engine: Engine, videos: Sequence[Entry]) -> View:
    """The view that the searched videos are not of: search goes across views unless told otherwise."""
    views = {entry.view for entry in videos}
    if len(views) > 1:
        raise UserError(
            f"{engine.folder} holds both views: say which view the query is of (--view), or search --in-view one"
        )
    return "third" if views == {"first"} else "first"


def different_moments(
    engine: Engine, vector: NDArray[np.float32], filter: Filter, top: int, apart: float
) -> list[Near]:
    """The nearest moments, leaving out those within `apart` seconds of a nearer one of the same video."""
    asked = max(FIRST_ASKED, 4 * top)
    while True:
        found = engine.nearest(vector, filter, asked)
        chosen = list(islice(_spread(found, apart), top))
        if len(chosen) == top or len(found) < asked:
            return chosen
        asked *= 8


def _spread(found: Sequence[Near], apart: float) -> Iterator[Near]:
    taken: dict[str, list[float]] = {}
    for near in found:
        others = taken.setdefault(near.entry.video, [])
        if all(abs(near.time - other) >= apart for other in others):
            others.append(near.time)
            yield near


def _take(entry: Entry) -> Take | None:
    if not entry.is_file:
        return None
    return Take(entry.name, entry.view, Path(entry.video), 0.0, frame_rate=entry.frame_rate)


def _frame(take: Take | None, time: float) -> Tensor | None:
    """The frame of an answer; None where its file is gone."""
    try:
        return None if take is None else frames_at(take, [time], size=THUMBNAIL)[0]
    except TakeError:
        return None
