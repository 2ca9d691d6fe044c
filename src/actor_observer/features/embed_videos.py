"""Embed any number of videos into one file; a call that was killed is resumed by the same call."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from actor_observer.console import Answer, counted
from actor_observer.disk import only_writer, write_whole
from actor_observer.disk.sealed_arrays import is_whole
from actor_observer.errors import TakeError, UserError
from actor_observer.features.embed import embed_features
from actor_observer.features.embedding_files import load_embeddings, save_embeddings
from actor_observer.features.extract import Extract, extract
from actor_observer.features.identity import identify
from actor_observer.features.look import Look
from actor_observer.features.models import open_model
from actor_observer.features.on_disk.fingerprints import size_and_date
from actor_observer.features.on_disk.join import join_embeddings
from actor_observer.features.on_disk.kept import say_made_again
from actor_observer.features.see import LOOK_RATE, check_look_rate, open_take
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Fault, Take, View
from actor_observer.pairs.probe import FRAME_SUFFIXES, VIDEO_SUFFIXES
from actor_observer.pairs.table import is_safe_id
from actor_observer.pairs.window import stem_of
from actor_observer.shards import PartNote, Shard, write_note

__all__ = ["Embedded", "Unopened", "embed", "embed_videos", "find_videos", "unopened"]

MADE_BY = "made_by.json"


@dataclass(frozen=True)
class Embedded(Answer):
    """What `embed_videos` did."""

    path: Path
    takes: int
    frames: int
    resumed: int  # takes that an earlier, interrupted call had done
    faults: tuple[Fault, ...]  # of the videos that could not be read

    def __repr__(self) -> str:
        return f"<Embedded: {self}>"

    def __str__(self) -> str:
        before = f" ({self.resumed} of them were done before)" if self.resumed else ""
        missing = f", {len(self.faults)} left out" if self.faults else ""
        return f"{self.path}: {counted(self.takes, 'take')}, {counted(self.frames, 'frame')}{before}{missing}"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "path": str(self.path), "faults": [str(fault) for fault in self.faults]}


@dataclass(frozen=True)
class Unopened:
    """A video that is opened when it is its turn: only then is it known to be readable.

    >>> Unopened(Path("videos/AB1CD.mp4"), "third").id
    'AB1CD'
    """

    path: Path
    view: View

    @property
    def id(self) -> str:
        return stem_of(self.path)

    def open(self) -> Take:
        """The take, with its true length."""
        return open_take(self.path, self.view)


def find_videos(paths: Iterable[str | Path]) -> dict[str, Path]:
    """Take id (the file's name without its suffix) -> path, for files, folders of frames, and videos in other folders.

    >>> find_videos(["no-such.mp4"])
    {'no-such': PosixPath('no-such.mp4')}
    """
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        for video in _within(path):
            id = stem_of(video)
            if not is_safe_id(id):
                raise UserError(f"{video}: {id!r} cannot be a take's id; rename it")
            if found.setdefault(id, video) != video:
                raise UserError(f"{found[id]} and {video} would both be {id}: rename one")
    if not found:
        raise UserError("no video was named (see: actor-observer embed --help)")
    return found


def embed(
    videos: str | Path | Sequence[str | Path],
    out: str | Path,
    view: View,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    look_rate: float = LOOK_RATE,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
    part: Callable[[float], object] = lambda share: None,
) -> Embedded:
    """Embed videos into one file, which `evaluate` and `load_embeddings` read; the same call resumes after a kill.

    >>> import tempfile
    >>> from actor_observer.model import NetworkConfig
    >>> from actor_observer.pairs import ROBOTS
    >>> head = ROBOTS / "videos/1_L_S_6_horizontal_n_4_regrasp.first.mp4"
    >>> small = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)  # quick, knows nothing
    >>> found = embed(head, Path(tempfile.mkdtemp()) / "head.npz", "first", small, look_rate=2.0)
    >>> found.takes, found.frames, load_embeddings(found.path)
    (1, 6, <Embeddings of 1 take>)

    Args:
        videos: files, folders of frames, or folders of videos.
        out: a .safetensors or .npz file.
        view: of all these videos: `third` or `first`.
        look_rate: frames a second that are looked at.
        model, backbone, device: as for `align`.
        each: called once for every video.
        part: called now and then with how much of a video is done, 0 to 1.
    """
    files = find_videos([videos] if isinstance(videos, (str, Path)) else videos)
    return embed_videos(open_model(model, backbone), unopened(files, view), out, look_rate, device, each, part)


def embed_videos(
    network: ActorObserverNet,
    takes: Sequence[Take | Unopened],  # one that cannot be opened is left out
    out: str | Path,  # .safetensors or .npz
    look_rate: float = LOOK_RATE,  # frames a second
    device: str = "auto",
    each: Callable[[], object] = lambda: None,  # called once for every video
    part: Callable[[float], object] = lambda share: None,  # called now and then with how much of a video is done
    shard: Shard | None = None,  # only this part of the takes, for `merge`
    extract: Extract = extract,  # what runs the backbone, here or on a cluster
) -> Embedded:
    """Embed takes into one file that `evaluate` reads.

    Finished takes are kept in OUT.parts until all are done: after a kill, call it again. A part may be empty.

    >>> import tempfile
    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig("resnet18"), pretrained=False)
    >>> embed_videos(network, [Unopened(Path("no-such.mp4"), "third")], Path(tempfile.mkdtemp()) / "mine.npz")
    Traceback (most recent call last):
    actor_observer.errors.UserError: none of the 1 videos can be read; no-such.mp4: no such file (left out)
    """
    out = Path(out)
    if out.suffix not in (".safetensors", ".npz"):
        raise UserError(f"{out}: embeddings are written as .safetensors or .npz")
    if shard and out.suffix != ".safetensors":
        raise UserError(f"{out}: a part is written as .safetensors (`merge` can make an .npz of all parts)")
    check_look_rate(look_rate)
    where = best_device(device)
    with only_writer(_open_parts(out, network, look_rate), "this output"):
        return _embed_all(network, takes, out, look_rate, where, each, part, shard, extract)


def _embed_all(
    network: ActorObserverNet,
    takes: Sequence[Take | Unopened],
    out: Path,
    look_rate: float,
    device: str,
    each: Callable[[], object],
    part: Callable[[float], object],
    shard: Shard | None,
    extract: Extract,
) -> Embedded:
    parts = _parts_of(out)
    faults: list[Fault] = []
    done: dict[str, Path] = {}

    def missing() -> Iterator[Take]:
        for one in shard.of(takes) if shard else takes:
            try:
                take = one if isinstance(one, Take) else one.open()
                done[take.id] = _part(parts, take)
            except (TakeError, OSError) as error:
                fault = error if isinstance(error, TakeError) else TakeError(error.filename, error.strerror or "")
                faults.append(Fault(fault.path, fault.fault, left_out=True))
                each()
                continue
            if _frames(done[take.id]):
                resumed.append(take.id)
                each()
            else:
                yield take

    resumed: list[str] = []
    look = Look.of_network(network.config, look_rate)
    for take, found in extract(network.backbone, missing(), look, device, each, part=part):
        if isinstance(found, Fault):
            faults.append(found)
            del done[take.id]
        else:
            save_embeddings(embed_features(network, {take.id: found}), done[take.id])
    if not done and not shard:
        shutil.rmtree(parts, ignore_errors=True)
        raise UserError(f"none of the {len(takes)} videos can be read; {faults[0]}")
    join_embeddings([*done.values()], out)
    if shard:
        settings = {"model": identify(network).fingerprint, "look_rate": look_rate}
        write_note(out, PartNote.of("embed", shard, [take.id for take in takes], settings, done, faults))
    frames = sum(_frames(part) for part in done.values())
    shutil.rmtree(parts)
    return Embedded(out, len(done), frames, len(resumed), tuple(faults))


def unopened(videos: dict[str, Path], view: View) -> list[Unopened]:
    """Videos as takes of a view that are opened when it is their turn."""
    return [Unopened(path, view) for path in videos.values()]


def _within(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        inside = sorted(path.iterdir())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    videos = [file for file in inside if file.suffix.lower() in VIDEO_SUFFIXES]
    if videos:
        return videos
    if any(file.suffix.lower() in FRAME_SUFFIXES for file in inside):
        return [path]
    raise UserError(f"{path}: neither videos nor frames in this folder")


def _open_parts(out: Path, network: ActorObserverNet, look_rate: float) -> Path:
    """The folder beside the file for finished takes; one begun with another model or look rate is refused."""
    parts = _parts_of(out)
    made_by = {"model": identify(network).fingerprint, "backbone": network.config.backbone, "rate": look_rate}
    note = parts / MADE_BY
    try:
        if note.exists():
            theirs = json.loads(note.read_text(encoding="utf-8"))
            if theirs != made_by:
                raise UserError(
                    f"{parts} was begun with another model or look rate: remove it, or choose another --out"
                )
        parts.mkdir(parents=True, exist_ok=True)
        write_whole(note, json.dumps(made_by).encode())
    except ValueError as error:
        raise UserError(f"{note}: cannot be read; remove {parts} and start again") from error
    except OSError as error:
        raise UserError(f"{parts}: cannot be written ({error.strerror or error})") from error
    return parts


def _parts_of(out: Path) -> Path:
    return out.with_name(out.name + ".parts")


def _part(parts: Path, take: Take) -> Path:
    """Where a finished take is kept until all are done; a file that was changed since gets another name."""
    size, changed = size_and_date(take.path)
    mark = hashlib.blake2b(f"{take.view} {size} {changed}".encode(), digest_size=4).hexdigest()
    return parts / f"{take.id}.{mark}.safetensors"


def _frames(part: Path) -> int:
    """How many frames a finished take has; 0 if its file is missing or damaged."""
    try:
        if is_whole(part, needed=True):
            return sum(len(take.times) for take in load_embeddings(part).values())
    except FileNotFoundError:
        return 0
    except (OSError, UserError):
        pass
    say_made_again(part)
    return 0
