"""From an upload to a recording of the data set: examined, given a whole container, checked, put in step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from actor_observer.errors import TakeError, UserError
from actor_observer.web.collect.collection import Collection
from actor_observer.web.collect.dataset import write_dataset
from actor_observer.web.collect.uploads import Uploads
from actor_observer.web.export import write_export
from actor_observer.web.media.cache import key_of
from actor_observer.web.media.playable import Facts, examine, sniff
from actor_observer.web.store.database import Row
from actor_observer.web.studio import Studio
from actor_observer.web.work.helper import TooLong
from actor_observer.web.work.jobs import Elsewhere, Job

__all__ = ["Intake"]

DOUBTS = {  # what is asked before two recordings become a pair
    "unrelated": "The two recordings do not seem to show the same thing. Are both of this script?",
    "cannot tell": "Nothing in the two recordings tells which moments belong together. Are both of this script?",
    "": "Are both recordings of this script?",  # ended before `align` had looked
}


Progress = Callable[[float], object]
LARGE = 1920 * 1080 * 180.0  # pixels of a picture times seconds: more is left to the lane for large recordings
LONGEST = {"intake": 600.0, "large": 3600.0}  # seconds that a step may take


class Intake:
    """Takes recordings in, and gives them back when somebody withdraws."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.collection = Collection(studio.database)
        self.uploads = Uploads(studio.database, studio.keep / "uploads", studio.settings.limits)
        self.videos = studio.collected / "videos"
        self.collection.add_scripts(studio.settings.scripts, studio.settings.class_names)
        self.incoming = studio.keep / "uploads" / "whole"
        for folder in (self.videos, self.incoming):
            folder.mkdir(parents=True, exist_ok=True)
        self._recover()

    def finish(self, id: str, person: int) -> Job:
        """Examine an upload that is whole, and take it in; what is no use is refused in one sentence."""
        row = self.uploads.whole(id, person)
        if row["state"] == "refused":
            raise UserError(row["note"])
        return self._start(row)

    def withdraw(self, person: int) -> int:
        """Delete all of a person's recordings and whatever was made from them; returns how many there were."""
        rows = self.collection.recordings(person=person)
        uploads = self.studio.database.read("SELECT id FROM uploads WHERE person = ?", (person,))
        pairs = self._pairs(rows)
        self._forget(rows, [row["id"] for row in uploads], lambda: self.collection.withdraw(person, pairs))
        return len(rows)

    def give_up(self, assignment: int, person: int) -> None:
        """Put an open script back; what was recorded of it is deleted."""
        if self.collection.assignment(assignment, person)["state"] != "open":
            raise UserError("This script is done already.")
        rows = self.collection.recordings(assignment)
        uploads = self.studio.database.read("SELECT id FROM uploads WHERE assignment = ?", (assignment,))
        self._forget(rows, [row["id"] for row in uploads], lambda: self.collection.give_up(assignment))

    def doubt(self, assignment: int) -> str:
        """What is asked before the two recordings of an open script become a pair; "" where nothing is."""
        row = self.studio.database.one("SELECT state, verdict FROM assignments WHERE id = ?", (assignment,))
        return DOUBTS.get(row["verdict"], "") if row and row["state"] == "open" and self._whole(assignment) else ""

    def keep(self, assignment: int, person: int) -> None:
        """Take two recordings for a pair, because whoever made them says that they belong together."""
        row = self.collection.assignment(assignment, person)
        if row["state"] != "done":
            if not self._whole(assignment):
                raise UserError("Record it in both views first.")
            self.collection.settle(assignment, row["verdict"], done=True)
            self.publish()

    def _whole(self, assignment: int) -> bool:
        """Whether both views were recorded and can be used."""
        rows = self.collection.recordings(assignment)
        blocked = any(one["blocks"] for row in rows for one in json.loads(row["checks"]))
        return {row["view"] for row in rows} == {"third", "first"} and not blocked

    def _pairs(self, rows: Sequence[Row]) -> set[str]:
        """The pairs that recordings are part of, those across people too."""
        files = {row["file"] for row in rows}
        takes = {take.id for take in self.studio.manifest.takes.values() if take.path.name in files}
        shown = {pair.id for pair in self.studio.manifest.pairs if {pair.third, pair.first} & takes}
        own = {row["id"].removesuffix("EGO") for row in rows}
        return own if self.studio.settings.places.data else own | shown

    def _forget(self, rows: Sequence[Row], uploads: Sequence[str], forget_rows: Callable[[], None]) -> None:
        """Stop what works on recordings, delete them and all that was made of them, then their rows.

        Ended in between, the rows are still there and it can be done again. What was made meanwhile goes at the end.
        """
        studio, files = self.studio, [self.videos / row["file"] for row in rows]
        keys = [key_of(path) for path in files]
        for key in self._work_on(rows, uploads):
            studio.stop(key)
        studio.forget(keys)
        for path in (path for id in uploads for path in self.incoming.glob(f"{id}*")):
            path.unlink(missing_ok=True)
        forget_rows()
        self.uploads.delete(uploads)
        self._sweep()
        self.publish()
        if studio.quick.started:
            studio.quick.call("echo")  # a picture that was being made is finished now, and can be deleted
        studio.forget(keys)
        if (studio.keep / "pairs.csv").is_file():
            write_export(studio)
        studio.database.scrub()

    def _work_on(self, rows: Sequence[Row], uploads: Sequence[str]) -> list[str]:
        """The jobs that may be under way for these recordings."""
        pairs, takes = self._pairs(rows), [row["id"] for row in rows]
        models = {self.studio.settings.model, *(str(run.absolute()) for run in self.studio.settings.places.runs)}
        looks = [f"look {pair} {model or ''}" for pair in pairs for model in models]
        converted = [f"{how} {take}" for take in takes for how in ("convert", "encode", "wave")]
        return [*(f"take in {id}" for id in uploads), *looks, *converted]

    def publish(self) -> None:
        """Write the data set's tables anew, and show it."""
        write_dataset(self.studio.collected, self.collection.finished(), self.collection.class_names())
        if not self.studio.settings.places.data:
            self.studio.reload()

    def _start(self, row: Row) -> Job:
        """Take a recording in by the lane for quick ones; what turns out to be large, or slow, goes to the other."""
        upload, key = dict(row), f"take in {row['id']}"
        lanes = ["intake", "large"]

        def work(progress: Progress) -> dict[str, Any]:
            lane = lanes[0]
            try:
                return self._take_in(upload, progress, lane, key)
            except Elsewhere:
                lanes.pop(0)
                raise

        return self.studio.jobs.start(key, work, "intake", str(row["person"]))

    def _take_in(self, upload: dict[str, Any], progress: Progress, lane: str, key: str) -> dict[str, Any]:
        if self.studio.database.one("SELECT 1 FROM recordings WHERE upload = ?", (upload["id"],)):
            return {"findings": []}
        part = self.uploads.path(upload["id"])
        by = partial(self.studio.lanes[lane].call, about=key, seconds=LONGEST[lane])
        try:
            facts = self._examined(part)
            if lane != "large" and facts.width * facts.height * max(facts.length, 1.0) > LARGE:
                raise Elsewhere("large")
            made, length = self._made_whole(upload, part, facts, by, progress)
            checked = by("check", path=str(made.absolute()), view=upload["view"])
        except TooLong:
            if lane != "large":
                raise Elsewhere("large") from None
            raise self._refused(
                upload, "It takes too long to look at this video: film with fewer pixels, or less."
            ) from None
        except (TakeError, UserError) as error:
            said = str(error).replace(f"{part.name}: ", "")
            sentence = said if said.endswith((".", "?")) else f"This is not a video that can be used: {said}."
            raise self._refused(upload, sentence) from None
        findings = [*self._lengths(length), *checked["findings"]]
        recording = self._recorded(upload, made, length, findings)
        progress(0.6)
        findings += self._together(upload["assignment"], by)
        part.unlink(missing_ok=True)
        self.publish()
        return {"recording": recording, "findings": findings}

    def _refused(self, upload: dict[str, Any], sentence: str) -> UserError:
        self.uploads.refuse(upload["id"], sentence)
        return UserError(sentence)

    def _examined(self, part: Path) -> Facts:
        with part.open("rb") as file:
            head = file.read(256)
        if not sniff(head):
            raise UserError("This is not a video: choose a file that your camera recorded.")
        facts = examine(part)
        if facts.width * facts.height > self.studio.settings.limits.pixels:
            raise UserError(f"Its pictures are too large ({facts.width} × {facts.height}): film in 4K or less.")
        return facts

    def _made_whole(
        self, upload: dict[str, Any], part: Path, facts: Facts, by: Callable[..., Any], progress: Progress
    ) -> tuple[Path, float]:
        """The recording in a container that says how long it is, not yet in the data set; and its length."""
        suffix = ".webm" if facts.video in ("vp8", "vp9") and facts.fits(".webm") else ".mp4"
        out = self.incoming / f"{upload['id']}{suffix}"
        length = facts.length
        if length <= self.studio.settings.limits.longest:
            by(
                "convert",
                lambda share: progress(0.5 * share),
                path=str(part.absolute()),
                rate=None,
                out=str(out.absolute()),
            )
            length = examine(out).length
        if length > (longest := self.studio.settings.limits.longest):
            out.unlink(missing_ok=True)
            raise UserError(f"This recording is longer than {longest / 60:.0f} minutes: cut it, or record less.")
        return out, length

    def _lengths(self, length: float) -> list[dict[str, Any]]:
        if length >= self.studio.settings.limits.shortest:
            return []
        say = f"The recording is only {length:.1f} s long: act out the whole script and record it again."
        return [{"what": "short", "say": say, "blocks": True}]

    def _recorded(self, upload: dict[str, Any], made: Path, length: float, findings: list[dict[str, Any]]) -> str:
        """Move the recording into the data set under a name of ours, in place of an earlier one of the same view."""
        view, assignment = upload["view"], upload["assignment"]
        old = [row for row in self.collection.recordings(assignment) if row["view"] == view]
        keys = [key_of(self.videos / row["file"]) for row in old]
        id = old[0]["id"] if old else self.collection.new_id(view, assignment)
        place, size = self.videos / f"{id}{made.suffix}", made.stat().st_size
        with self.studio.database.write() as connection:
            if not connection.execute("SELECT 1 FROM uploads WHERE id = ?", (upload["id"],)).fetchone():
                made.unlink(missing_ok=True)
                raise UserError("This recording was withdrawn.")
            connection.execute("DELETE FROM recordings WHERE assignment = ? AND view = ?", (assignment, view))
            connection.execute(
                "INSERT INTO recordings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(id, upload["id"], assignment, upload["person"], view, place.name, length, size),
                    *(upload["facts"], json.dumps(findings), time.time()),
                ),
            )
            made.replace(place)  # the last step before the commit; killed in between, the upload is taken in again
        for row in old:
            if row["file"] != place.name:
                (self.videos / row["file"]).unlink(missing_ok=True)
        self.studio.forget(keys)
        return id

    def _together(self, assignment: int, by: Callable[..., Any]) -> list[dict[str, Any]]:
        """With both views there: does `align` believe the pair? If not, whoever recorded it is asked."""
        rows = {row["view"]: row for row in self.collection.recordings(assignment)}
        if not self._whole(assignment):
            self.collection.settle(assignment, "", done=False)
            return []
        files: dict[str, Any] = {view: str((self.videos / row["file"]).absolute()) for view, row in rows.items()}
        try:
            found = by("align", **files, rates=[None, None], model=self.studio.settings.model)
            verdict = str(found["verdict"])
        except UserError:
            verdict = "cannot tell"
        self.collection.settle(assignment, verdict, done=verdict not in DOUBTS)
        return [{"what": "step", "say": DOUBTS[verdict], "blocks": False}] if verdict in DOUBTS else []

    def _sweep(self) -> None:
        """Delete videos that nothing speaks of; nobody adds one meanwhile, as that is done while writing too."""
        with self.studio.database.write() as connection:
            known = {row["file"] for row in connection.execute("SELECT file FROM recordings")}
            for path in self.videos.iterdir():
                if path.is_file() and path.name not in known:
                    path.unlink()

    def _recover(self) -> None:
        """After a sudden end: go on with uploads that were whole, remove files that nothing speaks of."""
        for path in self.incoming.iterdir():
            path.unlink()
        self._sweep()
        self.uploads.sweep()
        for row in self.uploads.unfinished():
            if self.uploads.path(row["id"]).is_file():
                self._start(row)
            else:
                self.uploads.refuse(row["id"], "The file was lost: please record it again.")
        self.publish()
