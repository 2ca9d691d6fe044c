"""Make videos searchable: every moment of each becomes a vector in an index on disk."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from actor_observer.console import Answer, counted
from actor_observer.errors import TakeError, UserError
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.extract import Extract, extract
from actor_observer.features.identity import Identity, identify
from actor_observer.features.look import Look
from actor_observer.features.on_disk.fingerprints import content_hash, size_and_date
from actor_observer.features.see import Pixels, Video, channels_first, check_look_rate, open_take, see_phi
from actor_observer.features.words import words_of
from actor_observer.model.device import best_device
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Fault, Take, View
from actor_observer.searching.engines import ENGINES, engine_kind, is_index, is_remote, open_engine, refuse_place
from actor_observer.searching.engines.engine import Writer
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.made_by import located, network_for
from actor_observer.searching.moment_times import kept, look_for
from actor_observer.searching.named import name_videos
from actor_observer.shards import PartNote, Shard, write_note

__all__ = ["Indexed", "index", "index_head"]

MOMENT_RATE = 1.0  # moments a second


@dataclass
class Indexed(Answer):
    """What `index` did with each video.

    >>> print(Indexed(Path("moments"), added=["a.mp4"], moments=12, total=12))
    moments: 1 video added (12 moments), 0 were there already, 0 left out; 12 in all
    """

    folder: Path
    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)  # of the added: those that took the place of an older entry
    skipped: list[str] = field(default_factory=list)  # were there already
    faults: list[Fault] = field(default_factory=list)
    moments: int = 0  # added now
    total: int = 0  # in the index now
    place: str = ""  # the folder, or an address in an object store
    words: bool = False  # whether it can be searched by words
    wordless: str = ""  # why not, where its backbone should know words

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "index": self.place or str(self.folder),
            "added": self.added,
            "replaced": self.replaced,
            "skipped": self.skipped,
            "faults": [{"video": fault.path, "what": fault.what} for fault in self.faults],
            "moments": self.moments,
            "total": self.total,
            "words": self.words,
        }

    def __repr__(self) -> str:
        return f"<Indexed: {self}>"

    def __str__(self) -> str:
        videos = counted(len(self.added), "video")
        if self.replaced:
            videos += (
                f" ({len(self.replaced)} replaced an older entry: changed, or another view, subject or frame rate)"
            )
        counts = f"{len(self.skipped)} were there already, {len(self.faults)} left out"
        added = f"{videos} added ({counted(self.moments, 'moment')})"
        words = "; in the space of its words: search it with words, too" if self.words else ""
        words += f"; not by words: {self.wordless}" if self.wordless else ""
        return f"{self.place or self.folder}: {added}, {counts}; {self.total} in all{words}"


def index(
    videos: Video | Sequence[Video] | Mapping[str, Video],
    out: str | Path,
    view: View,
    subject: str | None = None,
    moment_rate: float = MOMENT_RATE,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    fps: float | None = None,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
    part: Callable[[float], object] = lambda share: None,
    shard: Shard | None = None,
    extract: Extract = extract,
    engine: str = "flat",
) -> Indexed:
    """Add videos to an index, or start one. Videos already in it are skipped, so the same call resumes after a kill.

    A folder stands for the videos in it, or is one video as a folder of frames. Videos that cannot be read are listed
    among the faults; the call fails only if none can.

    Args:
        videos: files, folders of videos or of frames, or pixels by name, {"kitchen": frames}.
        out: the index's folder.
        view: of all these videos.
        subject: who acts in them; None: as the index or the take says.
        moment_rate: moments a second.
        model, backbone, device, each, part: as for `align`.
        fps: frames a second of pixels and of folders of frames.
        shard: only this part of the videos, for `merge`.
        extract: what runs the backbone, here or on a cluster.
        engine: whose files are written (docs/search.md).
    """
    refuse_place(out, engine)
    if shard and ENGINES[engine].files != "flat":
        raise UserError(f"a part is made of flat files: merge the parts, then convert them (--engine {engine})")
    wanted = name_videos(videos)
    names = [name for name, _ in wanted]
    wanted = shard.of(wanted) if shard else wanted
    check_look_rate(moment_rate)
    where = best_device(device)
    backbone = located(backbone)
    begun = open_engine(out).head if (backbone or "").startswith("hf:") and is_index(out) else None
    network = network_for(begun, model, backbone)
    look, each_frames = look_for(network.config, moment_rate)
    words, why = words_of(network)
    done = Indexed(Path(out), place=str(out), words=words, wordless=why)
    fresh = not is_remote(out) and not done.folder.exists()
    head = index_head(network, identify(network, model, backbone), moment_rate)
    with engine_kind(engine).write(out, head) as writer:
        job = _Job(network, look, each_frames, where, writer, view, subject, fps, done, each, part, extract)
        job.add_files([(name, video) for name, video in wanted if not isinstance(video, (np.ndarray, Tensor))])
        for name, video in wanted:
            if isinstance(video, (np.ndarray, Tensor)):
                job.add_pixels(name, video)
        done.total = sum(entry.rows for entry in writer.known.values())
    engine_kind(engine).finish(out)
    if shard:
        settings = {"view": view, "subject": subject, "moment_rate": moment_rate}
        read = {*done.added, *done.skipped}
        there = [name for name, _ in wanted if name in read]
        write_note(done.folder, PartNote.of("index", shard, names, settings, there, done.faults))
    elif done.faults and not done.added and not done.skipped:
        if fresh:
            shutil.rmtree(done.folder, ignore_errors=True)  # nothing is in it
        first = f"{done.faults[0].path}: {done.faults[0].what}"
        raise UserError(first if len(wanted) == 1 else f"none of {len(wanted)} videos can be read; {first}")
    return done


def index_head(network: ActorObserverNet, model: Identity, moment_rate: float) -> IndexHead:
    """The head of an index made by this network.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
    >>> index_head(network, identify(network), 1.0).dimension
    512
    """
    return IndexHead(model, network.projection.size, moment_rate)


@dataclass
class _Job:
    """One call of `index`."""

    network: ActorObserverNet
    look: Look
    each_frames: int  # frames looked at for each moment
    device: str
    writer: Writer
    view: View
    subject: str | None
    fps: float | None
    done: Indexed
    each: Callable[[], object]
    part: Callable[[float], object]
    extract: Extract

    def add_files(self, videos: Sequence[tuple[str, Any]]) -> None:
        """Add videos on disk, decoding ahead while others are embedded."""
        entries: dict[str, Entry] = {}
        takes = self._takes(videos, entries)
        for take, phi in self.extract(self.network.backbone, takes, self.look, self.device, part=self.part):
            self._add(entries.pop(take.id), phi)

    def add_pixels(self, name: str, pixels: Pixels) -> None:
        """Add frames in memory."""
        frames = channels_first(pixels)
        content = hashlib.blake2b(np.ascontiguousarray(frames.numpy()).data, digest_size=16).hexdigest()
        entry = Entry(name, self.view, 1, self._subject(name), content=f"{content} {self.fps}", is_file=False)
        if self._is_there(entry):
            self._skip(entry)
            return
        self._add(entry, see_phi(self.network, frames, self.view, self.look.look_rate, self.fps, self.device))

    def _takes(self, videos: Sequence[tuple[str, Any]], entries: dict[str, Entry]) -> Iterator[Take]:
        """The takes that are not in the index yet, found one at a time while those before are embedded."""
        for number, (name, video) in enumerate(videos):
            try:
                entry = self._entry(name, video)
                if self._is_there(entry):
                    self._skip(entry)
                    continue
                take = replace(open_take(video, self.view, self.fps), id=str(number), view=self.view)
                entries[take.id] = entry
            except TakeError as error:
                self._fault(error.path, error.fault)
                continue
            yield take

    def _entry(self, name: str, video: str | Path | Take) -> Entry:
        """The entry of a video, before its moments are counted."""
        take = video if isinstance(video, Take) else None
        path = take.path if take else Path(str(video))
        try:
            size, changed = size_and_date(path)
            rate = open_take(video, self.view, self.fps).frame_rate if holds_frames(path) else None
            entry = Entry(name, self.view, 1, self._subject(name, take), size, changed, frame_rate=rate)
            return entry if self._is_there(entry) else replace(entry, content=content_hash(path))
        except FileNotFoundError:
            raise TakeError(path, "no such file") from None
        except OSError as error:
            raise TakeError(path, f"cannot be read ({error.strerror})") from None

    def _subject(self, name: str, take: Take | None = None) -> str:
        """Who acts in a video: as the call says, or the take, or the index that has it already."""
        if self.subject is not None:
            return self.subject
        known = self.writer.known.get(name)
        return (take.subject if take else "") or (known.subject if known else "")

    def _is_there(self, entry: Entry) -> bool:
        """Whether the index holds this video as it is now: by size and date, or by what is in it."""
        known = self.writer.known.get(entry.video)
        if known is None or (known.view, known.subject) != (entry.view, entry.subject):
            return False
        if (known.frame_rate or entry.frame_rate) != entry.frame_rate:  # None: from before it was written down
            return False
        dated = known.is_file and (known.size, known.changed) == (entry.size, entry.changed)
        return dated or known.content == entry.content

    def _add(self, entry: Entry, phi: TakeEmbedding | Fault) -> None:
        if isinstance(phi, Fault):
            self._fault(phi.path, phi.what)
            return
        seen = embed_features(self.network, {"video": phi})["video"]
        places = kept(len(seen.times), self.each_frames)
        entry = replace(entry, rows=len(places))
        again = entry.video in self.writer.known
        try:
            self.writer.add(entry, seen.times[places], np.asarray(seen.features[places]))
        except TakeError as error:
            self._fault(error.path, error.fault)
            return
        self.done.added.append(entry.video)
        if again:
            self.done.replaced.append(entry.video)
        self.done.moments += entry.rows
        self.each()

    def _skip(self, entry: Entry) -> None:
        self.done.skipped.append(entry.video)
        self.each()

    def _fault(self, path: str, what: str) -> None:
        self.done.faults.append(Fault(path, what, left_out=True))
        self.each()
