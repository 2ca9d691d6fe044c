"""A studio that is open: its data, its database, and the processes that work for it."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import anyio

from actor_observer.disk import only_writer
from actor_observer.errors import TakeError, UserError
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Pair, Take
from actor_observer.web.cards import Cards
from actor_observer.web.data import open_data
from actor_observer.web.media.examine_child import read_facts
from actor_observer.web.media.playable import SUFFIXES, Facts
from actor_observer.web.settings import Settings
from actor_observer.web.store.database import Database
from actor_observer.web.store.marks import Marks, clock_of_marks
from actor_observer.web.store.people import People
from actor_observer.web.work.helper import Helper
from actor_observer.web.work.jobs import Job, Jobs

__all__ = ["Studio", "only_studio"]

COLLECTED = "collected"  # the data set that recordings become


def only_studio(keep: Path) -> AbstractContextManager[None]:
    """Hold a studio's folder: two that write to it would delete each other's uploads and end each other's links."""
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{keep}: cannot be written ({error.strerror}); choose another --keep") from None
    return only_writer(keep, "this studio", instead="open the page of the one that runs, or choose another --keep")


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
        self.settings = settings
        self.keep = settings.keep
        self.database = Database(settings.keep)
        self.people = People(self.database)
        self.marks = Marks(self.database)
        self.quick = Helper("pictures")  # answers while somebody waits
        self.slow = Helper("models", patient=True)  # minutes
        self.jobs = Jobs()
        self.pictures = anyio.CapacityLimiter(4)  # threads that wait for pictures
        self._facts: dict[str, Facts] = {}
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
        manifest = open_data(data, self.settings.videos, self.settings.seed)
        cards = Cards(manifest)
        with self._lock:
            self.manifest, self.cards = manifest, cards
            self._facts.clear()
            self._at: dict[Path, Take] | None = None

    def close(self) -> None:
        """End the helpers, close the database, let another studio have the folder."""
        self.jobs.close()
        self.quick.close()
        self.slow.close()
        self.database.close()
        self._held.close()

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
        if marked:
            clocks["marks"] = marked.clock.anchors
        aligned = self.seen(pair)
        if aligned and aligned["align"]["clock"]:
            clocks["align"] = Clock.parse(aligned["align"]["clock"]).anchors
        return clocks

    def seen(self, pair: Pair, model: str | None = None) -> dict[str, Any] | None:
        """What a model saw in a pair, if it has looked already."""
        path = self._seen_path(pair, model or self.settings.model)
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found

    def look(self, pair: Pair, model: str | None = None) -> Job:
        """Let a model look at a pair, in the background."""
        third, first = self.take(pair.third), self.take(pair.first)
        model = model or self.settings.model
        out = self._seen_path(pair, model)
        return self.jobs.follow(
            f"look {pair.id} {model or ''}",
            lambda progress: self.slow.call(
                "look",
                progress,
                third=str(third.path.absolute()),
                first=str(first.path.absolute()),
                rates=[third.frame_rate, first.frame_rate],
                model=model,
                out=str(out.absolute()),
            ),
        )

    def verdicts(self) -> dict[str, str]:
        """The verdict of `align` on each pair that was looked at."""
        with self._lock:
            known = getattr(self, "_verdicts", None)
        state = (self.keep / "cache" / "seen").stat().st_mtime_ns if (self.keep / "cache" / "seen").is_dir() else 0
        if known and known[0] == state:
            found: dict[str, str] = known[1]
            return found
        found = {}
        for id, card in self.cards.cards.items() if state else ():
            seen = self.seen(card.pair)
            if seen:
                found[id] = seen["align"]["verdict"]
        self._verdicts = (state, found)
        return found

    def file_of(self, take: Take) -> Path:
        """The file that a browser can play; a `UserError` where it is still to be made (see `prepare`)."""
        for encoded in (True, False):
            if (made := self.converted_path(take, encoded)).is_file():
                return made
        if holds_frames(take.path) or not self._plays(take):
            raise UserError("This video is being converted; it plays when that is done.")
        return take.path

    def prepare(self, take: Take, force: bool = False) -> Job | None:
        """Convert a take in the background where browsers cannot play it; None where nothing need be done.

        `force`: a browser could not play what it was given (AV1 on an older phone); it gets H.264, and so do others.
        """
        out = self.converted_path(take, force)
        if out.is_file() or (not force and not holds_frames(take.path) and self._plays(take)):
            return None
        return self.jobs.follow(
            f"{'encode' if force else 'convert'} {take.id}",
            lambda progress: self.slow.call(
                "convert",
                progress,
                path=str(take.path.absolute()),
                rate=take.frame_rate,
                out=str(out.absolute()),
                encode=force,
            ),
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
        return out

    def key(self, take: Take) -> str:
        """A name for what is kept of a take: another file or a changed one gets another name."""
        try:
            state = take.path.stat()
            stamp = f"{state.st_size} {state.st_mtime_ns}"
        except OSError:
            stamp = ""
        return hashlib.blake2b(f"{take.path.absolute()} {stamp}".encode(), digest_size=12).hexdigest()

    def _seen_path(self, pair: Pair, model: str | None) -> Path:
        keys = [self.key(self.take(id)) for id in (pair.third, pair.first)]
        name = hashlib.blake2b(" ".join([*keys, model or ""]).encode(), digest_size=16).hexdigest()
        return self.keep / "cache" / "seen" / f"{name}.json"

    def _plays(self, take: Take) -> bool:
        """Whether browsers play the file as it is; the header is read once."""
        return take.path.suffix.lower() in SUFFIXES and self.facts(take).plays

    def facts(self, take: Take) -> Facts:
        """What the header of a take's file says; read once. The data set is the owner's own: no process of its own."""
        with self._lock:
            facts = self._facts.get(take.id)
        if facts is None:
            try:
                facts = read_facts(take.path)
            except TakeError as error:
                raise UserError(str(error)) from None
            with self._lock:
                self._facts[take.id] = facts
        return facts
