"""Cut recordings to the stretch that all of them show: the same length, the same frame rate, in step, with sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from actor_observer.alignment.cameras.clocked import Clocked, Stretch, recordings_of, shared_stretch
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.result import Alignment
from actor_observer.errors import UserError
from actor_observer.frames.audio.sound_clip import sound_channels, sound_clip
from actor_observer.frames.in_order import frames_in_order
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.frames.writing.write_wav import write_wav
from actor_observer.pairs.probe import only_sound
from actor_observer.pairs.window import file_of, stem_of
from actor_observer.signals import is_signal
from actor_observer.signals.cut_table import cut_table

__all__ = ["refuse_overwriting", "trim", "trim_targets"]


def refuse_overwriting(target: Path, recordings: Sequence[Path]) -> None:
    """Refuse a place that one of these recordings lies at.

    >>> refuse_overwriting(Path(__file__), [Path(__file__)])
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...: would overwrite the recording itself; choose another name
    """
    for path in recordings:
        if file_of(path).exists() and target.exists() and target.samefile(file_of(path)):
            raise UserError(f"{target}: would overwrite the recording itself; choose another name")


def trim_targets(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Where each recording's cut goes: its own name in this folder, with a number where two have the same.

    >>> trim_targets([Path("a/cam.mov"), Path("b/cam.mp4")], Path("cut"))
    [PosixPath('cut/cam.mp4'), PosixPath('cut/cam-2.mp4')]
    """
    targets: list[Path] = []
    for path in paths:
        suffix, number = ".csv" if is_signal(path) else ".wav" if only_sound(path) else ".mp4", 1
        while (target := folder / f"{stem_of(path)}{f'-{number}' if number > 1 else ''}{suffix}") in targets:
            number += 1
        targets.append(target)
    for target in targets:
        refuse_overwriting(target, paths)
    return targets


def trim(
    found: Alignment | Cameras | Sequence[Clocked],
    folder: str | Path,
    rate: float | None = None,
    each: Callable[[], object] = lambda: None,
    part: Callable[[float], object] = lambda share: None,
    anyway: bool = False,
) -> list[Path]:
    """Write every recording, cut to the shared stretch; frame n shows the same moment in all of them.

    All have the same number of frames; a sound recorder's cut is a wav file of the same length, a signal's a csv file
    whose first column is the time of the cut videos. Returns the files.

    Args:
        found: what `align` or `align_many` gave, whose recordings in step are cut; or recordings with their clocks.
        folder: where the files go, under their own names.
        rate: frames a second; None: the fastest recording's, up to 60.
        each: called once for each recording.
        part: called now and then with how much of one is done, 0 to 1.
        anyway: cut all recordings of an answer, also those that are not in step, by the best guess.
    """
    recordings = recordings_of(found, anyway)
    stretch = shared_stretch(recordings, rate)
    paths = [one.path for one in recordings if one.path is not None]
    if len(paths) < len(recordings):
        raise UserError("pixels have no file to cut; name files")
    targets = trim_targets(paths, Path(folder))
    for one, path, target in zip(recordings, paths, targets, strict=True):
        _cut(one, path, target, stretch, part)
        each()
    return targets


def _cut(one: Clocked, path: Path, target: Path, stretch: Stretch, part: Callable[[float], object]) -> None:
    if one.time:
        cut_table(path, target, one.time, one.clock.to_third, (stretch.start, stretch.end))
        return
    channels, sound = sound_channels(path), None
    if channels:
        own = one.clock.to_first(stretch.start), one.clock.to_first(stretch.end)
        sound = sound_clip(path, *own, (stretch.end - stretch.start) / (own[1] - own[0]))
    if one.recorder and sound is not None:
        write_wav(target, sound, channels)
        return
    with VideoWriter(target, stretch.fps, sound, channels, crf=18) as writer:
        for number, picture in enumerate(frames_in_order(path, one.clock.to_first(stretch.times))):
            writer.add(picture[: len(picture) // 2 * 2, : picture.shape[1] // 2 * 2])  # H.264 halves its colour planes
            part((number + 1) / len(stretch.times))
