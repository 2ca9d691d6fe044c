"""A studio that is open: its data, its database, and the processes that work for it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Pair, Take
from actor_observer.pairs.window import is_window
from actor_observer.web.cards import Cards, Known
from actor_observer.web.headers import Headers
from actor_observer.web.media.cache import Cache, key_of
from actor_observer.web.media.playable import SUFFIXES, Facts
from actor_observer.web.review.decisions import Decisions
from actor_observer.web.review.doubts import Doubts, read_doubts
from actor_observer.web.review.queue import Queue
from actor_observer.web.review.states import States
from actor_observer.web.seen import Seen
from actor_observer.web.settings import Settings
from actor_observer.web.store.database import Database
from actor_observer.web.store.hand_clocks import HandClocks
from actor_observer.web.store.holding import only_studio
from actor_observer.web.store.mark_clock import clock_of_marks
from actor_observer.web.store.marks import Marks
from actor_observer.web.store.people import People
from actor_observer.web.work.helper import Helper
from actor_observer.web.work.jobs import Job, Jobs
from actor_observer.web.work.turns import Turns

__all__ = ["Studio"]

COLLECTED = "collected"  # the data set that recordings become
HOUR = 3600.0  # seconds


class Studio:
    """Everything that the rooms of the page share."""

    def __init__(self, settings: Settings) -> None:
        self._held = ExitStack()
        self._held.enter_context(only_studio(settings.keep))
        try:
            self._open(settings)
        except BaseException:
            self._held.close()
            raise

    def _open(self, settings: Settings) -> None:
        if settings.places.data and settings.places.home.resolve() == settings.keep.resolve():
            raise UserError(
                f"{settings.keep}: an export would replace the data's own files there; choose another --keep"
            )
        self.settings = settings
        self.keep = settings.keep
        self.database = Database(settings.keep)
        self.people = People(self.database)
        self.marks = Marks(self.database)
        self.hand = HandClocks(self.database)
        self.queue = Queue(self.database)
        self.decisions = Decisions(self.database)
        self.states = States(self.marks, self.decisions)
        self.cache = Cache(self.keep / "cache", settings.limits.cache)
        self._seen = Seen(self.cache.folder / "seen")
        own = self.cache.models  # of what was collected here: it goes when somebody withdraws
        shown = None if settings.places.data else own
        offline = not (settings.model or "").startswith(("hf:", "timm:"))  # those may be fetched
        self.quick = Helper("pictures", confined=True, offline=True)  # answers while somebody waits
        self._headers = Headers(settings)
        strangers = not settings.places.data  # all that is shown was sent in by others
        held: dict[str, Any] = {"cache": shown, "confined": strangers, "offline": strangers and offline}
        self.finder = Helper("search", **held)  # a second or more, while somebody waits
        self.slow = Helper("models", patient=True, **held)  # minutes
        self._longest = HOUR if strangers else None  # that one video may take
        self.lanes = {  # strangers' recordings
            name: Helper(name, patient=True, cache=own, confined=True, offline=offline) for name in ("intake", "large")
        }
        self.jobs = Jobs()
        self.pictures = anyio.CapacityLimiter(4)  # threads that wait for pictures
        self.searches = anyio.CapacityLimiter(4)  # … and for searches
        self.turns = Turns(2)  # searches of one person at a time
        self._verdicts: tuple[int, dict[str, str]] | None = None
        self._known: tuple[tuple[int, int], Doubts, Known] | None = None
        self._lock = threading.Lock()
        self.reload()

    @property
    def collected(self) -> Path:
        """The folder of the data set that is collected here."""
        return self.keep / COLLECTED

    def reload(self) -> None:
        """Read the data anew: after a recording has come in or was withdrawn."""
        data = self.settings.places.data
        if not data and (self.collected / "pairs.csv").is_file():
            data = (self.collected,)
        manifest = self._headers.manifest(data, strangers=not self.settings.places.data)
        doubts = read_doubts(data[0] if data[0].is_dir() else data[0].parent, manifest) if data else Doubts()
        manifest = replace(manifest, pairs=(*manifest.pairs, *doubts.pairs))
        cards = Cards(manifest, doubts.findings)
        with self._lock:
            self.manifest, self.cards, self.doubts = manifest, cards, doubts
            self._headers.forget()
            self._verdicts = self._known = None
            self._at: dict[Path, Take] | None = None

    def close(self) -> None:
        """End the helpers, close the database, let another studio have the folder."""
        self.jobs.close()
        for helper in self.helpers:
            helper.close()
        self.database.close()
        self._held.close()

    @property
    def helpers(self) -> tuple[Helper, ...]:
        """The processes that work for this studio."""
        return (self.quick, self._headers.helper, self.finder, self.slow, *self.lanes.values())

    def stop(self, key: str) -> None:
        """Stop a job, and the process that works for it."""
        self.jobs.cancel(key)
        for helper in self.helpers:
            helper.stop(key)

    def pair(self, id: str) -> Pair:
        """A pair of the data; only what the manifest names can be reached."""
        card = self.cards.cards.get(id)
        if card is None:
            raise UserError("There is no such pair in this data set.")
        return card.pair

    def take(self, id: str) -> Take:
        """A take of the data."""
        take = self.manifest.takes.get(id)
        if take is None:
            raise UserError("There is no such video in this data set.")
        return take

    def take_at(self, path: Path) -> Take | None:
        """The take whose file this is, links followed; None where the manifest has none."""
        if self._at is None:
            self._at = {take.path.resolve(): take for take in self.manifest.takes.values()}
        return self._at.get(path.resolve())

    def clocks(self, pair: Pair) -> dict[str, Any]:
        """Every clock that is known for a pair: as the data has it, scaled lengths, people's marks, `align`'s."""
        scaled = Clock.scaled(*self.manifest.lengths(pair))
        clocks: dict[str, Any] = {"scaled": scaled.anchors}
        if pair.clock.anchors != scaled.anchors:
            clocks["data"] = pair.clock.anchors
        marked = clock_of_marks(self.marks.of(pair.id))
        if marked and marked.clock:
            clocks["marks"] = marked.clock.anchors
        aligned = self.seen(pair)
        if aligned and aligned["align"]["clock"]:
            clocks["align"] = Clock.parse(aligned["align"]["clock"]).anchors
        return clocks

    def seen(self, pair: Pair, model: str | None = None) -> dict[str, Any] | None:
        """What a model saw in a pair, if it has looked already."""
        return self._seen.read(*self._keys(pair), model or self.settings.model)

    def look(self, pair: Pair, model: str | None = None, owner: str = "") -> Job:
        """Let a model look at a pair, in the background."""
        third, first = self.take(pair.third), self.take(pair.first)
        model = model or self.settings.model
        out = self._seen.path(*self._keys(pair), model)
        key = f"look {pair.id} {model or ''}"
        return self.jobs.follow(
            key,
            lambda progress: self.slow.call(
                "look",
                progress,
                about=key,
                seconds=self._longest,
                third=str(third.path.absolute()),
                first=str(first.path.absolute()),
                rates=[third.frame_rate, first.frame_rate],
                model=model,
                out=str(out.absolute()),
            ),
            owner,
            out,
        )

    def known(self) -> Known:
        """What people and models have said of pairs so far; asked of the database only where something was written."""
        version, seen, doubts = self.database.version, self._seen.state, self.doubts
        known = self._known
        if known is None or known[0] != (version, seen) or known[1] is not doubts:
            marks = {pair: count for pair, (count, _) in self.marks.stamps().items()}
            said = Known(marks, self.verdicts(), self.states.all(), doubts.beside(self.decisions.tags()))
            known = self._known = ((version, seen), doubts, said)
        return known[2]

    def verdicts(self) -> dict[str, str]:
        """The verdict of `align` on each pair that was looked at."""
        with self._lock:
            known, state = self._verdicts, self._seen.state
        if known and known[0] == state:
            return known[1]
        found = {}
        for id, card in self.cards.cards.items() if state else ():
            seen = self.seen(card.pair)
            if seen:
                found[id] = str(seen["align"]["verdict"])
        self._verdicts = (state, found)
        return found

    def file_of(self, take: Take) -> Path:
        """The file that a browser can play; a `UserError` where it is still to be made (see `prepare`)."""
        for encoded in (True, False):
            if (made := self.converted_path(take, encoded)).is_file():
                self.cache.used(made)
                return made
        if holds_frames(take.path) or not self._plays(take):
            raise UserError("This video is being converted; it plays when that is done.")
        return take.path

    def prepare(self, take: Take, force: bool = False, owner: str = "") -> Job | None:
        """Convert a take in the background where browsers cannot play it; None where nothing need be done.

        `force`: a browser could not play what it was given (AV1 on an older phone); it gets H.264, and so do others.
        """
        out = self.converted_path(take, force)
        if out.is_file() or (not force and not holds_frames(take.path) and self._plays(take)):
            return None
        key = f"{'encode' if force else 'convert'} {take.id}"
        return self.jobs.follow(
            key,
            lambda progress: self.slow.call(
                "convert",
                progress,
                about=key,
                seconds=self._longest,
                path=str(take.path.absolute()),
                rate=take.frame_rate,
                out=str(out.absolute()),
                encode=force,
            ),
            owner,
            out,
        )

    def converted_path(self, take: Take, encoded: bool = False) -> Path:
        """Where the converted file of a take lies, in a new container or encoded as H.264."""
        return self.keep / "cache" / "converted" / f"{self.key(take)}{'-h264' if encoded else ''}.mp4"

    def picture(self, take: Take, kind: str, **asked: Any) -> Path:
        """A film strip or a frame of a take as a JPEG; made once."""
        name = "-".join([self.key(take), *(f"{value:g}" for value in asked.values())])
        out = self.keep / "cache" / kind / f"{name}.jpg"
        if not out.is_file():
            place: dict[str, Any] = {
                "path": str(take.path.absolute()),
                "rate": take.frame_rate,
                "out": str(out.absolute()),
            }
            if kind == "strip":
                asked = {"length": take.length}
            self.quick.call(kind, **place, **asked)
            self.cache.added()
        else:
            self.cache.used(out)
        return out

    def key(self, take: Take) -> str:
        """A name for what is kept of a take: another file or a changed one gets another name."""
        return key_of(take.path)

    def forget(self, keys: Collection[str]) -> None:
        """Delete what was made of recordings, by their keys, and the index that this studio made."""
        if not keys:
            return
        self.cache.forget(keys)
        self._seen.forget_unnamed()
        self.stop("index")
        for made in (self.keep / "index", self.cache.folder / "spread"):
            shutil.rmtree(made, ignore_errors=True)

    def _keys(self, pair: Pair) -> tuple[str, str]:
        return self.key(self.take(pair.third)), self.key(self.take(pair.first))

    def _plays(self, take: Take) -> bool:
        """Whether browsers play the file as it is; the header is read once."""
        return not is_window(take.path) and take.path.suffix.lower() in SUFFIXES and self.facts(take).plays

    def facts(self, take: Take) -> Facts:
        """What the header of a take's file says; read once."""
        return self._headers.facts(take, strangers=self.collected in take.path.parents)
