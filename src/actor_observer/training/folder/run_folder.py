"""A run's folder: what identifies the run in it, and the checks before it is resumed."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from actor_observer.disk.sealed_json import read_json, sealed_json
from actor_observer.errors import TakeError, UserError
from actor_observer.model.pretrained import write_whole
from actor_observer.model.saved_recipe import LATER, RECIPE, read_recipe
from actor_observer.pairs.frame_files import frame_files, holds_frames
from actor_observer.pairs.window import file_of, is_window
from actor_observer.training.planning.material import Material
from actor_observer.training.planning.recipes import Recipe
from actor_observer.training.planning.settings import as_yaml, assignments, differences

__all__ = ["RunFolder"]

RUN, LOCK = "run.json", "run.lock"
PIECE = 16 << 10  # bytes of a recording at its start, middle and end that its fingerprint is made of
# what may change between a run and its resumption without changing a number
FREE = ("workers", "save_minutes", "log_every")


@dataclass(frozen=True)
class RunFolder:
    """The folder that holds everything about a run.

    >>> RunFolder(Path("no-such-run")).started
    False
    """

    path: Path

    @property
    def started(self) -> bool:
        """Whether a run was started here."""
        return (self.path / RUN).exists()

    def start(self, recipe: Recipe, material: Material) -> None:
        """Write down what the run is. The number of threads decides the last digits of sums, so it is kept too."""
        identity = {"threads": torch.get_num_threads(), **_takes(material), **fingerprints(material)}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(self.path / RECIPE, as_yaml(recipe).encode())
            write_whole(self.path / RUN, sealed_json(identity, indent=1))
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written ({error.strerror or error})") from error

    def threads(self) -> int:
        """How many threads the run started with."""
        return int(self._identity()["threads"])

    def check_recipe(self, recipe: Recipe) -> list[str]:
        """Refuse a recipe that differs from the run's. Gives a line about settings that the run is too old to know."""
        import yaml

        theirs = read_recipe(self.path / RECIPE)
        unknown = {name: value for name, value in LATER.items() if name not in theirs}
        theirs |= unknown
        ours = yaml.safe_load(as_yaml(recipe))  # through YAML as well, so that floats and lists compare equal
        found = [text for text in differences(ours, theirs) if text.split(" ")[0] not in FREE]
        if found:
            more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
            again = assignments(theirs, [text.split(" ")[0] for text in found])
            same = recipe.name == theirs.get("name")  # its values may have changed since; of another, all differ
            raise UserError(
                f"{self.path} holds a run of another recipe: {'; '.join(found[:3])}{more}; use another --out"
                + (f", or continue with --set {again}" if same and again else "")
            )
        if not unknown:
            return []
        meant = ", ".join(f"{name} {value}" for name, value in unknown.items())
        return [f"this run began before there were some settings; they count as what was done then: {meant}"]

    def check_takes(self, material: Material) -> None:
        """Refuse takes that differ from the run's."""
        ours, theirs = _takes(material), self._identity()
        for kind in ("train", "pairs", "validation"):
            mine, other = list(ours[kind]), list(theirs.get(kind, []))
            if mine == other:
                continue
            new, gone = sorted(set(mine) - set(other)), sorted(set(other) - set(mine))
            what = [f"{len(ids)} {word} ({ids[0]}, …)" for word, ids in (("new", new), ("gone", gone)) if ids]
            what = what or ["their order"]
            name = {"train": "training takes", "pairs": "training pairs", "validation": "validation takes"}[kind]
            raise UserError(f"{self.path} holds a run with other {name}: {' and '.join(what)}; use another --out")

    def check_contents(self, material: Material) -> None:
        """Refuse recordings, labels or clocks that were changed since the run began."""
        theirs = self._identity()
        for kind, ours in fingerprints(material).items():
            known = theirs.get(kind)
            if not isinstance(known, dict):
                continue  # a run from before they were written down
            changed = [id for id, print_of in ours.items() if known.get(id, print_of) != print_of]
            if changed:
                more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
                raise UserError(
                    f"{self.path} holds a run whose {kind} were changed since: {changed[0]}{more}; use another --out"
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other trainings out of the folder; released however the process ends."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / LOCK).open("ab")
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written ({error.strerror or error})") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UserError(
                    f"{self.path}: another training is writing to this folder; wait for it, or use another --out"
                ) from None
            yield

    def _identity(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = read_json((self.path / RUN).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"{self.path / RUN}: cannot be read; use another run folder") from error
        return found


def _takes(material: Material) -> dict[str, list[str]]:
    return {
        "train": [f"{take.id} {take.length:.3f}" for take in material.takes],
        "pairs": [pair.id for pair in material.pairs],
        "validation": [f"{take.id} {take.length:.3f}" for take in material.validation_takes],
    }


def fingerprints(material: Material) -> dict[str, dict[str, str]]:
    """Short fingerprints of what a run learns from: recordings and labels by take, clocks by pair."""
    takes = {take.id: take for take in (*material.takes, *material.validation_takes)}
    pairs = (*material.pairs, *material.validation_pairs)
    return {
        "recordings": {id: _of_recording(take.path) for id, take in takes.items()},
        "labels": {id: _short(repr(take.actions)) for id, take in takes.items() if take.actions},
        "clocks": {pair.id: _short(repr(pair.clock)) for pair in pairs},
    }


def _of_recording(path: Path) -> str:
    """The size of a file and a few pieces of it: reading all of a large set would take hours."""
    try:
        if holds_frames(path):
            return _short(repr([(file.name, file.stat().st_size) for file in frame_files(path)]))
        recording = file_of(path)
        size = recording.stat().st_size
        with recording.open("rb") as file:
            pieces = []
            for place in (0, size // 2, max(0, size - PIECE)):
                file.seek(place)
                pieces.append(file.read(PIECE))
    except (OSError, TakeError):
        return ""  # reported where it is read
    return _short(f"{size} {path.name}" if is_window(path) else str(size), *pieces)


def _short(text: str, *pieces: bytes) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=6)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
