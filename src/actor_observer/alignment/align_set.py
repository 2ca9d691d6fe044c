"""Align every pair of a data set: one JSON line for each, in the order of the data; the same call resumes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from actor_observer.alignment.align import align
from actor_observer.alignment.asked import check_asked
from actor_observer.console import counted
from actor_observer.disk import only_writer, write_whole
from actor_observer.errors import TakeError, UserError
from actor_observer.features.identity import identify
from actor_observer.features.see import LOOK_RATE
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Fault, Manifest, Pair, Take
from actor_observer.shards import PartNote, Shard, done_before, keep_line, write_note

__all__ = ["AlignedSet", "align_pair", "align_set"]

LINES, MADE_BY = "lines.jsonl", "made_by.json"
LEFT_OUT = ("path", "moments")  # of an alignment: the clock says the same in a few numbers

OnePair = tuple[str, Take, Take]  # id, third, first
Line = dict[str, Any] | Fault
ForEach = Callable[[Callable[[OnePair], Line], Iterable[OnePair]], Iterator[Line]]


@dataclass(frozen=True)
class AlignedSet:
    """What `align_set` did.

    >>> print(AlignedSet(Path("clocks.jsonl"), pairs=12, in_step=10, resumed=0, faults=()))
    clocks.jsonl: 12 pairs, 10 of them in step
    """

    path: Path
    pairs: int
    in_step: int  # how many of the pairs are
    resumed: int  # pairs that an earlier, interrupted call had done
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        before = f" ({self.resumed} were done before)" if self.resumed else ""
        missing = f", {len(self.faults)} left out" if self.faults else ""
        return f"{self.path}: {counted(self.pairs, 'pair')}{before}, {self.in_step} of them in step{missing}"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        told = {"path": str(self.path), "pairs": self.pairs, "in_step": self.in_step, "resumed": self.resumed}
        return {**told, "faults": [str(fault) for fault in self.faults]}


def align_pair(
    network: ActorObserverNet,
    look_rate: float,
    max_offset: float | None,
    same_speed: bool,
    device: str,
    pair: OnePair,
) -> Line:
    """The alignment of one pair as plain values, or why it has none. Nothing but the pair decides it.

    >>> one = ("a", Take("a", "third", Path("no-such.mp4"), 3.0), Take("b", "first", Path("nor-this.mp4"), 3.0))
    >>> from actor_observer.model import NetworkConfig
    >>> print(align_pair(ActorObserverNet(NetworkConfig("resnet18"), pretrained=False), 6.0, None, False, "cpu", one))
    no-such.mp4: no such file (left out)
    """
    id, third, first = pair
    try:
        found = align(
            third,
            first,
            network,
            look_rate=look_rate,
            max_offset=max_offset,
            same_speed=same_speed,
            device=device,
        ).to_dict()
    except TakeError as error:
        return Fault(error.path, error.fault, left_out=True)
    except UserError as error:
        return Fault(id, str(error), left_out=True)
    return {"id": id, **{name: value for name, value in found.items() if name not in LEFT_OUT}}


def align_set(
    network: ActorObserverNet,
    manifest: Manifest,
    out: str | Path,  # .jsonl
    look_rate: float = LOOK_RATE,
    max_offset: float | None = None,  # seconds: as in `align`
    same_speed: bool = False,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,  # called once for every pair
    shard: Shard | None = None,  # only this part of the pairs, for `merge`
    for_each: ForEach = map,  # a function that does this for all items, in order
) -> AlignedSet:
    """Align the pairs of a data set in which one person acts, into a file of JSON lines.

    >>> from actor_observer.model import NetworkConfig
    >>> align_set(ActorObserverNet(NetworkConfig("resnet18"), pretrained=False), Manifest({}), "clocks.jsonl")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no pairs to align
    """
    out, pairs = Path(out), [pair for pair in manifest.pairs if pair.same_person]
    if out.suffix != ".jsonl":
        raise UserError(f"{out}: alignments of a data set are written as .jsonl")
    if not pairs:
        raise UserError("no pairs to align")
    check_asked(look_rate, max_offset, device)
    settings: dict[str, Any] = {"model": identify(network).fingerprint, "look_rate": look_rate}
    settings |= {"max_offset": max_offset, "same_speed": same_speed}
    own = _named(manifest, shard.of(pairs) if shard else pairs)
    parts = out.with_name(out.name + ".parts")
    try:
        parts.mkdir(parents=True, exist_ok=True)
        with only_writer(parts, "this output"):
            _refuse_other(parts, settings)
            work = partial(align_pair, network, look_rate, max_offset, same_speed, device)
            lines, faults, resumed = _lines(parts / LINES, own, work, for_each, each)
            if not lines and not shard:
                raise UserError(f"none of the {len(pairs)} pairs can be aligned; {faults[0]}")
            write_whole(out, b"".join(lines.values()))
            if shard:
                note = PartNote.of("align", shard, [pair.id for pair in pairs], settings, lines, faults)
                write_note(out, note, [out])
            shutil.rmtree(parts)
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from error
    in_step = sum(json.loads(line)["verdict"] == "in step" for line in lines.values())
    return AlignedSet(out, len(lines), in_step, resumed, tuple(faults))


def _named(manifest: Manifest, pairs: Sequence[Pair]) -> list[OnePair]:
    return [(pair.id, manifest.takes[pair.third], manifest.takes[pair.first]) for pair in pairs]


def _lines(
    path: Path,
    pairs: Sequence[OnePair],
    work: Callable[[OnePair], Line],
    for_each: ForEach,
    each: Callable[[], object],
) -> tuple[dict[str, bytes], list[Fault], int]:
    """Pair id to its line, for all pairs that have one; each is on disk before the next is waited for."""
    done = done_before(path)
    resumed, faults = len(done), []
    missing = [pair for pair in pairs if pair[0] not in done]
    for _ in range(resumed):
        each()
    with path.open("ab") as file:
        for (id, *_), line in zip(missing, for_each(work, missing), strict=True):
            if isinstance(line, Fault):
                faults.append(line)
            else:
                done[id] = (json.dumps(line, ensure_ascii=False) + "\n").encode()
                keep_line(file, done[id])
            each()
    return {id: done[id] for id, *_ in pairs if id in done}, faults, resumed


def _refuse_other(parts: Path, settings: dict[str, Any]) -> None:
    """Refuse to go on with what another model or look rate began."""
    note, ours = parts / MADE_BY, json.dumps(settings).encode()
    if note.exists() and note.read_bytes() != ours:
        raise UserError(f"{parts} was begun with another model or look rate: remove it, or choose another --out")
    write_whole(note, ours)
