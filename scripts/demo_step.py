"""The demo's first part: `align` on real footage, the longest episodes of a robot that come with the package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from actor_observer.alignment.align import align
from actor_observer.alignment.result import MOST_SURE, Alignment
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import frames_in_order
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Manifest, Pair, View
from actor_observer.pictures.figures.aligned import draw_alignment
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.gallery import Plate
from actor_observer.pictures.side_by_side import side_by_side, title_of

__all__ = ["COLUMNS", "LATE", "LONGEST", "NEAR", "Episode", "InStep", "episodes_of", "join_episode", "put_in_step"]

STEPS = ("grasp", "place_on_fixture", "rotate", "regrasp", "go_to_board", "insert")  # in the order they are done
LONGEST = 8  # episodes that are tried: most others are single clips of two or three seconds, which say little
LATE = 1.5  # seconds that each wrist camera's file starts late, which nobody tells `align`
NEAR = 0.25  # seconds: an offset this near to the truth is right; the source's cameras may be 0.13 s apart
FPS = 12  # of the package's clips
COLUMNS = ("episode", "length", "found", "truth", "verdict")


@dataclass(frozen=True)
class Episode:
    """What a robot did in one go, in steps of a clip each."""

    name: str
    pairs: tuple[Pair, ...]  # in order
    length: float  # seconds


@dataclass(frozen=True)
class InStep:
    """What `align` said about each episode."""

    found: dict[str, Alignment]  # by episode, the longest first
    shown: str  # the episode it is surest of
    picture: Path
    video: Path

    @property
    def right(self) -> list[str]:
        """Episodes whose offset is as it was cut."""
        return [name for name, one in self.found.items() if abs(one.offset - LATE) <= NEAR]

    @property
    def sure(self) -> list[str]:
        """Episodes that are called in step."""
        return [name for name, one in self.found.items() if one.verdict == "in step"]

    @property
    def best(self) -> Alignment:
        """Of the episode that is shown."""
        return self.found[self.shown]

    @property
    def sentence(self) -> str:
        """What was found, on a line."""
        right = len([name for name in self.sure if name in self.right])
        return (
            f"{len(self.right)} of {len(self.found)} episodes are placed within {NEAR:g} s of the truth; "
            f"{len(self.sure)} called in step, {right} of {len(self.sure)} rightly. The others it calls guesses: "
            "these recordings are short."
        )

    @property
    def plate(self) -> Plate:
        """The picture, for a page."""
        caption = (
            f"{self.shown}, the episode that align is surest of, as the side camera and the wrist camera saw it. Lines "
            f"join moments that it takes for the same. It says: {self.best.title}; the truth is {LATE:.2f} s. Real "
            "footage; the steps of the episode were joined, and where two meet, both pictures jump at once, which "
            "makes it a little easier."
        )
        return Plate("in-step", caption, lambda: draw_alignment(self.best))

    def cells(self) -> dict[str, tuple[str, ...]]:
        """Of each episode: its length, the offset found, the truth, and the verdict with how sure it is."""
        made: dict[str, tuple[str, ...]] = {}
        for name, one in self.found.items():
            sure = "" if one.confidence is None else f" ({min(one.confidence, MOST_SURE):.0%})"
            made[name] = f"{one.lengths[0]:.1f} s", f"{one.offset:z.2f} s", f"{LATE:.2f} s", f"{one.sentence}{sure}"
        return made


def episodes_of(manifest: Manifest, count: int = LONGEST) -> list[Episode]:
    """The longest episodes.

    >>> from actor_observer.pairs import ROBOTS, read_manifest
    >>> [(one.name, len(one.pairs)) for one in episodes_of(read_manifest(ROBOTS), 2)]
    [('8_M_L_8_horizontal_y_3', 3), ('5_M_S_4_horizontal_n_5', 2)]
    """
    steps: dict[str, list[Pair]] = {}
    for pair in manifest.pairs:
        steps.setdefault(manifest.takes[pair.third].script, []).append(pair)
    made = []
    for name, pairs in steps.items():
        in_order = sorted(pairs, key=lambda pair: STEPS.index(pair.id.removeprefix(f"{name}_")))
        made.append(Episode(name, tuple(in_order), sum(manifest.takes[pair.third].length for pair in pairs)))
    return sorted(made, key=lambda one: -one.length)[:count]


def join_episode(manifest: Manifest, episode: Episode, view: View, late: float, path: Path) -> Path:
    """Write all steps of an episode, from one camera, as one video without its first `late` seconds."""
    skipped = round(late * FPS)
    with VideoWriter(path, Fraction(FPS), crf=16) as writer:
        for pair in episode.pairs:
            clip = manifest.takes[pair.third if view == "third" else pair.first].path
            for picture in frames_in_order(clip, index_video(clip).times):
                if skipped:
                    skipped -= 1
                else:
                    writer.add(picture)
    return path


def put_in_step(
    manifest: Manifest,
    out: Path,
    model: ActorObserverNet,
    each: Callable[[], object] = lambda: None,
    count: int = LONGEST,
) -> InStep:
    """Align the longest episodes; draw the one it is surest of, and write its cameras beside each other."""
    found = {}
    for episode in episodes_of(manifest, count):
        side = join_episode(manifest, episode, "third", 0.0, out / episode.name / "side.mp4")
        wrist = join_episode(manifest, episode, "first", LATE, out / episode.name / "wrist.mp4")
        found[episode.name] = align(side, wrist, model)
        each()
    shown = max(found, key=lambda name: (found[name].verdict == "in step", found[name].confidence or 0.0))
    best = found[shown]
    picture = save_picture(draw_alignment(best), out / "alignment.png")
    side_by_side(best, out / "both.mp4", title_of(best))
    return InStep(found, shown, picture, out / "both.mp4")
