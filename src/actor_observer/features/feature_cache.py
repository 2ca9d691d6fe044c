"""φ on disk: one file per take, named by what made it and by the contents of the recording."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import torch

from actor_observer.errors import TakeError, UserError
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.look import Look
from actor_observer.features.on_disk.fingerprints import content_hash, weights_hash
from actor_observer.features.on_disk.kept import default_cache, read_kept, write_kept
from actor_observer.features.running import precision_of
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.pairs.manifest import Fault, Take

__all__ = ["FeatureCache"]

FORMAT = 1  # raise it when the same key would give other numbers


class FeatureCache:
    """φ of takes, computed once for each backbone, look and recording.

    The file's name depends on the backbone's name and weights, on the look, and on the recording's contents (not on
    where it is). Two processes may fill one folder: files are written whole or not at all. A damaged one is made again.

    >>> from actor_observer.model import create_backbone
    >>> import tempfile
    >>> backbone = create_backbone("resnet18", pretrained=False)
    >>> lost = Take("a", "third", Path("no-such.mp4"), 3.0)
    >>> phi, faults = FeatureCache(tempfile.mkdtemp()).features("resnet18", backbone, [lost], Look())
    >>> len(phi), str(faults["a"])
    (0, 'no-such.mp4: no such file (left out)')
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder else default_cache()

    def features(
        self,
        name: str,
        backbone: Backbone,
        takes: Iterable[Take],
        look: Look,
        device: str | torch.device = "cpu",
        each: Callable[[], object] = lambda: None,  # called once for every take
        processes: int = 1,  # that do the same on this machine, for other takes
    ) -> tuple[Embeddings, dict[str, Fault]]:
        """φ of all takes that can be read, and the faults of the others (take id -> fault)."""
        takes, made_by = list(takes), _made_by(name, backbone, look, device)
        found: dict[str, TakeEmbedding | Fault] = {}
        places: dict[str, Path] = {}

        def missing() -> Iterator[Take]:
            """The takes that are not in the cache: looked up, which means reading files, while others are embedded."""
            for take in takes:
                try:
                    places[take.id] = self.folder / _file_name(take, made_by)
                except (TakeError, OSError) as error:
                    found[take.id] = _fault(take, error)
                    each()
                    continue
                kept = _read(places[take.id], take)
                if kept is None:
                    yield take
                else:
                    found[take.id] = kept
                    each()

        for take, made in extract(backbone, missing(), look, device, each, processes):
            found[take.id] = made
            if isinstance(made, TakeEmbedding):
                _write(places[take.id], made)
        kept_takes = {take.id: item for take in takes if isinstance(item := found[take.id], TakeEmbedding)}
        faults = {take.id: item for take in takes if isinstance(item := found[take.id], Fault)}
        return Embeddings(kept_takes), faults

    def keep(
        self,
        name: str,
        backbone: Backbone,
        takes: Iterable[Take],
        look: Look,
        device: str | torch.device,
        phi: Mapping[str, TakeEmbedding],
    ) -> None:
        """Keep φ that was made elsewhere (several backbones at once, say) as if `features` had made it."""
        made_by = _made_by(name, backbone, look, device)
        for take in takes:
            _write(self.folder / _file_name(take, made_by), phi[take.id])


def _made_by(name: str, backbone: Backbone, look: Look, device: str | torch.device) -> dict[str, object]:
    return {
        "format": FORMAT,
        "backbone": name,
        "weights": weights_hash(backbone),
        "rate": look.look_rate,  # renaming these would change every file's name
        "size": look.size,
        "crop": look.crop,
        "precision": precision_of(device),
    }


def _file_name(take: Take, made_by: dict[str, object]) -> str:
    key = {**made_by, "content": content_hash(take.path), "length": take.length, "frame_rate": take.frame_rate}
    text = json.dumps(key, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest() + ".safetensors"


def _read(path: Path, take: Take) -> TakeEmbedding | None:
    """The cached entry; None if there is none, or it is damaged."""
    arrays = read_kept(path)
    return None if arrays is None else TakeEmbedding(take.view, arrays["times"], arrays["features"])


def _write(path: Path, made: TakeEmbedding) -> None:
    try:
        write_kept(path, {"times": made.times, "features": np.asarray(made.features)})
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"{path.parent}: features cannot be kept there ({reason}); name a folder: --cache DIR"
        ) from error


def _fault(take: Take, error: TakeError | OSError) -> Fault:
    if isinstance(error, TakeError):
        return Fault(error.path, error.fault, left_out=True)
    what = "no such file" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"
    return Fault(str(take.path), what, left_out=True)
