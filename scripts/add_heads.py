"""Give the model in the box heads that were fitted after it: names of actions, the chance of being placed.

    python scripts/add_heads.py RUN... [--out FOLDER]
    python scripts/add_heads.py --projection RUN             # other projections and selector, on the same backbone

RUN is a network that `bench/names.py` or `bench/selector.py` wrote: the box's own, with one more head. Everything else
of the box stays as it is, byte for byte, and so do the calibrations that belong to its embedding. Weights become 8-bit
steps.

With `--projection` the box gets the projections and the selector of a run that started from it and left the backbone as
it was. Names of actions are read from φ, so they stay; the chance of being placed and the confidence belong to the
embedding, and must be fitted anew (bench/selector_masked.py, bench/calibrate.py, bench/calibrate_known.py --heads).
"""

from __future__ import annotations

import json
from pathlib import Path

import tyro
from torch import Tensor
from tyro.conf import Positional

from actor_observer.errors import UserError
from actor_observer.features.identity import identify
from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.model.backbones.compact import pack
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX, FORMAT, WEIGHTS, read_pretrained, write_pretrained

HEADS = {"namer.": "naming", "placing.": "placing"}  # tensors -> the settings that go with them
EMBEDDING = ("projection.", "heads.", "usual")
SHAPES = ("heads", "projection", "projection_size", "projection_hidden", "context", "context_size", "centred", "size")
LIMIT = 12_000_000  # bytes of the whole folder


def main(runs: Positional[tuple[Path, ...]] = (), projection: Path | None = None, out: Path = BOX) -> None:
    settings, tensors = read_pretrained(out)
    if projection:
        tensors = with_projection(load(out), tensors, projection)
        write_pretrained(out, {key: value for key, value in settings.items() if key != "format"}, tensors)
    who = identify(load(out)).fingerprint
    for run in runs:
        network = load(run)
        if identify(network).fingerprint != who:
            raise UserError(f"{run}: its backbone or projection is not that of {out}")
        described = json.loads((run / "config.json").read_text(encoding="utf-8"))
        for prefix, name in HEADS.items():
            own = {key: value for key, value in network.state_dict().items() if key.startswith(prefix)}
            if not own:
                continue
            tensors = {key: value for key, value in tensors.items() if not key.startswith(prefix)}
            tensors |= pack(own, {}, {key for key in own if key.endswith("weight")})
            settings |= {key: value for key, value in described.items() if key.startswith(name)}
            print(f"{name} from {run}: {sum(value.numel() for value in own.values())} numbers")
    write_pretrained(out, {key: value for key, value in settings.items() if key != "format"}, tensors)
    size = sum(path.stat().st_size for path in out.iterdir())
    if size > LIMIT:
        raise UserError(f"{out}: {size} bytes are more than the {LIMIT} allowed")
    load(out)  # it must open
    print(f"{out}: {(out / WEIGHTS).stat().st_size / 1e6:.2f} MB, {size / 1e6:.2f} MB in all ({FORMAT})")


def with_projection(box: ActorObserverNet, tensors: dict[str, Tensor], run: Path) -> dict[str, Tensor]:
    """The box's tensors, as they are on disk, with a run's projections and selector in their place."""
    other = load(run)
    same = {name: getattr(other.config, name) == getattr(box.config, name) for name in SHAPES}
    if weights_hash(other.backbone) != weights_hash(box.backbone) or not all(same.values()):
        raise UserError(f"{run}: its backbone, or the shape of its heads, is not that of the box")
    own = {key: value for key, value in other.state_dict().items() if key.startswith(EMBEDDING)}
    print(f"projections and selector from {run}: {sum(value.numel() for value in own.values())} numbers")
    kept = {key: value for key, value in tensors.items() if not key.startswith(EMBEDDING)}
    return kept | pack(own, {}, {key for key in own if key.endswith("weight")})


if __name__ == "__main__":
    tyro.cli(main)
