"""From an upload to a recording of the data set: examined, given a whole container, checked, put in step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actor_observer.errors import TakeError, UserError
from actor_observer.web.collect.collection import Collection
from actor_observer.web.collect.dataset import write_dataset
from actor_observer.web.collect.uploads import Uploads
from actor_observer.web.media.playable import Facts, examine, sniff
from actor_observer.web.store.database import Row
from actor_observer.web.studio import Studio
from actor_observer.web.work.jobs import Job

__all__ = ["Intake"]

NOT_IN_STEP = {
    "unrelated": "The two recordings do not seem to show the same thing: was one of them of another script?",
    "cannot tell": "Nothing tells which moments belong together: move more clearly, or stand nearer to the camera.",
}


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
        """Delete all of a person's recordings; returns how many there were."""
        rows = self.collection.recordings(person=person)
        uploads = self.studio.database.read("SELECT id FROM uploads WHERE person = ?", (person,))
        takes = [take for take in self.studio.manifest.takes.values() if take.path.name in {r["file"] for r in rows}]
        keys = [self.studio.key(take) for take in takes]
        files = self.collection.withdraw(person)
        for file in files:
            (self.videos / file).unlink(missing_ok=True)
        for upload in uploads:
            self.uploads.path(upload["id"]).unlink(missing_ok=True)
        for key in keys:
            for kept in (self.studio.keep / "cache").glob(f"*/{key}*"):
                kept.unlink(missing_ok=True)
        self.publish()
        return len(files)

    def publish(self) -> None:
        """Write the data set's tables anew, and show it."""
        write_dataset(self.studio.collected, self.collection.finished(), self.collection.class_names())
        if not self.studio.settings.places.data:
            self.studio.reload()

    def _start(self, row: Row) -> Job:
        key = f"take in {row['id']}"
        upload = dict(row)
        return self.studio.jobs.start(key, lambda progress: self._take_in(upload, progress))

    def _take_in(self, upload: dict[str, Any], progress: Callable[[float], object]) -> dict[str, Any]:
        if self.studio.database.one("SELECT 1 FROM recordings WHERE upload = ?", (upload["id"],)):
            return {"findings": []}
        part = self.uploads.path(upload["id"])
        try:
            facts = self._examined(part)
            made, length = self._made_whole(upload, part, facts, progress)
            checked = self.studio.slow.call("check", path=str(made.absolute()), view=upload["view"])
        except (TakeError, UserError) as error:
            said = str(error).replace(f"{part.name}: ", "")
            sentence = said if said.endswith((".", "?")) else f"This is not a video that can be used: {said}."
            self.uploads.refuse(upload["id"], sentence)
            raise UserError(sentence) from None
        findings = [*self._lengths(length), *checked["findings"]]
        recording = self._recorded(upload, made, length, findings)
        progress(0.6)
        findings += self._together(upload["assignment"], recording)
        part.unlink(missing_ok=True)
        self.publish()
        return {"recording": recording, "findings": findings}

    def _examined(self, part: Path) -> Facts:
        with part.open("rb") as file:
            head = file.read(256)
        if not sniff(head):
            raise UserError("This is not a video: choose a file that your camera recorded.")
        return examine(part)

    def _made_whole(
        self, upload: dict[str, Any], part: Path, facts: Facts, progress: Callable[[float], object]
    ) -> tuple[Path, float]:
        """The recording in a container that says how long it is, not yet in the data set; and its length."""
        suffix = ".webm" if facts.video in ("vp8", "vp9") and facts.fits(".webm") else ".mp4"
        out = self.incoming / f"{upload['id']}{suffix}"
        length = facts.length
        if length <= self.studio.settings.limits.longest:
            self.studio.slow.call(
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
        return id

    def _together(self, assignment: int, recording: str) -> list[dict[str, Any]]:
        """With both views there: does `align` believe the pair? The script is done unless something blocks."""
        rows = {row["view"]: row for row in self.collection.recordings(assignment)}
        blocked = any(one["blocks"] for row in rows.values() for one in json.loads(row["checks"]))
        if set(rows) != {"third", "first"} or blocked:
            self.collection.settle(assignment, "", done=False)
            return []
        files: dict[str, Any] = {view: str((self.videos / row["file"]).absolute()) for view, row in rows.items()}
        try:
            found = self.studio.slow.call("align", **files, rates=[None, None], model=self.studio.settings.model)
            verdict = str(found["verdict"])
        except UserError:
            verdict = "cannot tell"
        self.collection.settle(assignment, verdict, done=True)
        return [{"what": "step", "say": NOT_IN_STEP[verdict], "blocks": False}] if verdict in NOT_IN_STEP else []

    def _recover(self) -> None:
        """After a sudden end: go on with uploads that were whole, remove files that nothing speaks of."""
        known = {row["file"] for row in self.collection.recordings()}
        for path in (*self.videos.iterdir(), *self.incoming.iterdir()):
            if path.is_file() and not (path.parent == self.videos and path.name in known):
                path.unlink()
        self.uploads.sweep()
        for row in self.uploads.unfinished():
            if self.uploads.path(row["id"]).is_file():
                self._start(row)
            else:
                self.uploads.refuse(row["id"], "The file was lost: please record it again.")
        self.publish()
