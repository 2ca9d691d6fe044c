"""What `align` writes of recordings in step: their cuts, a video that shows them beside each other, a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from actor_observer.cli.ends.ending import warn
from actor_observer.cli.options import refuse_file
from actor_observer.console import progress
from actor_observer.errors import UserError

if TYPE_CHECKING:
    from actor_observer.alignment.cameras.clocked import Clocked
    from actor_observer.alignment.cameras.result import Cameras
    from actor_observer.alignment.result import Alignment

__all__ = ["Cuts"]


@dataclass(frozen=True)
class Cuts:
    """What to write, and of which recordings."""

    trim: Path | None = None
    side_by_side: Path | None = None
    rate: float | None = None
    anyway: bool = False
    timeline: Path | None = None
    force: bool = False
    labels: Path | None = None
    marks: Path | None = None
    rerun: Path | None = None

    @property
    def wanted(self) -> bool:
        """Whether anything is to be written."""
        return bool(self.trim or self.side_by_side or self.timeline or self.labels or self.rerun)

    def check(self, videos: Sequence[Path], given: bool) -> None:
        """Refuse what cannot be written, before any slow work; `given` is a clock that somebody knows."""
        from actor_observer.alignment.cameras.trim import trim_targets
        from actor_observer.alignment.labels.files import check_labels
        from actor_observer.alignment.timelines.tracks import stated_rates
        from actor_observer.alignment.timelines.write import check_rates, check_timeline
        from actor_observer.frames.frame_rate import meant_rate
        from actor_observer.pictures.rerun_file import check_rerun
        from actor_observer.pictures.side_by_side import check_target

        for option, said in (("--rate", self.rate is not None), ("--anyway", self.anyway), ("--offset", given)):
            if said and not self.wanted:
                hint = " (frames looked at are --look-rate)" if option == "--rate" else ""
                what = (
                    f"{option} is about what is written: give --trim, --side-by-side, --timeline or --labels, too{hint}"
                )
                raise UserError(what)
        if self.marks and not (self.timeline or self.labels):
            raise UserError("--marks go into a timeline or a file of labels: give --timeline or --labels, too")
        if self.marks and not self.marks.is_file():
            raise UserError(f"--marks {self.marks}: no such file")
        if self.timeline:
            check_timeline(self.timeline, self.force)
            check_rates(self.timeline, stated_rates(videos), meant_rate(self.rate) if self.rate else None)
            refuse_file("--timeline", self.timeline.parent)
        if self.labels:
            check_labels(self.labels, self.force)
            refuse_file("--labels", self.labels.parent)
        if self.rerun:
            if given:
                raise UserError("--rerun shows what was found; with --offset nothing is looked for")
            check_rerun(self.rerun, self.force)
            refuse_file("--rerun", self.rerun.parent)
        refuse_file("--trim", self.trim)
        refuse_file("--side-by-side", self.side_by_side and self.side_by_side.parent)
        if self.side_by_side:
            check_target(self.side_by_side, videos)
            if self.side_by_side.exists() and not self.force:
                raise UserError(f"{self.side_by_side}: there is a video already; --force writes over it")
        for target in trim_targets(videos, self.trim) if self.trim else ():
            if target.exists() and not self.force:
                raise UserError(f"{target}: there is a cut already; --force writes over it")

    def of(self, found: Alignment | Cameras) -> tuple[list[Path], str]:
        """Write what was found; gives the files, and a line on what was left out."""
        from actor_observer.alignment.cameras.clocked import believed, everything
        from actor_observer.alignment.result import Alignment
        from actor_observer.pictures.side_by_side import title_of

        if not self.wanted:
            return [], ""
        every, sure, title = everything(found), believed(found), title_of(found)
        marks = [(found.best.third, "best moment")] if isinstance(found, Alignment) else []
        seen = self._rerun(found) if self.anyway or len(sure) >= 2 else []
        if self.anyway:
            guessed = [f"not in step, by the best guess: {one.name}" for one in _without(every, sure)]
            return [*seen, *self.write(every, title, marks, guessed)], ""
        if len(sure) < 2:  # beside each other, people can see for themselves: the line below says what to think of it
            shown = Cuts(None, self.side_by_side, self.rate).write(every, title)
            asked = {"--trim": self.trim, "--timeline": self.timeline, "--labels": self.labels, "--rerun": self.rerun}
            named = " and ".join(name for name, told in asked.items() if told)
            line = f"{named}: nothing was written, as no two recordings are in step (--anyway goes by the best guess, "
            return shown, f"{line}--offset SECONDS by a clock that you know)" if named else ""
        left = ", ".join(one.name for one in _without(every, sure))
        line = f"left out, as not in step: {left} (--anyway writes all)" if left else ""
        return [*seen, *self.write(sure, title, marks)], line

    def _rerun(self, found: Alignment | Cameras) -> list[Path]:
        from actor_observer.pictures.rerun_file import write_rerun

        return [write_rerun(found, self.rerun, self.anyway)] if self.rerun else []

    def write(
        self,
        recordings: Sequence[Clocked],
        title: str,
        marks: Sequence[tuple[float, str]] = (),  # seconds of the common clock, what is there
        notes: Sequence[str] = (),
    ) -> list[Path]:
        """Write these recordings; gives the files."""
        from actor_observer.alignment.cameras.trim import trim
        from actor_observer.alignment.labels.files import labels_of, read_marks, write_labels
        from actor_observer.alignment.timelines.tracks import tracks_of
        from actor_observer.alignment.timelines.write import write_timeline
        from actor_observer.pictures.side_by_side import side_by_side

        written = []
        given = read_marks(self.marks, recordings) if self.marks else []
        if self.labels:
            written += write_labels(self.labels, [*labels_of(recordings, marks), *given], recordings, notes)
        if self.timeline:
            every = [*marks, *((one.start, one.text or one.comment or one.tier) for one in given)]
            tracks = tracks_of(recordings, self.timeline.parent, self.timeline.stem, self.rate, every, notes)
            written += write_timeline(tracks, self.timeline)
            for note in tracks.notes:
                warn(note)
        if self.side_by_side:
            for one in (one for one in recordings if one.time):
                warn(f"{one.name}: no pictures, so {self.side_by_side.name} goes without it")
            with progress("putting them side by side", 1) as step:
                side_by_side(recordings, self.side_by_side, title, self.rate, step.part)
            written.append(self.side_by_side)
        if self.trim:
            with progress("cutting the recordings", len(recordings)) as step:
                written += trim(recordings, self.trim, self.rate, step, step.part)
        return written


def _without(every: Sequence[Clocked], some: Sequence[Clocked]) -> list[Clocked]:
    return [one for one in every if one.path not in [other.path for other in some]]
