"""Open a network, whatever holds it: the box, a run, the hub, a published checkpoint."""

from __future__ import annotations

from pathlib import Path

from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX

__all__ = ["load"]


def load(source: str | Path | None = None) -> ActorObserverNet:
    """A network: from a folder of `save_pretrained`, `hf:NAME` on the hub, or a published checkpoint's file.

    Without a source it is the one that comes with the package (see its card, `box/README.md`).

    >>> load().config.backbone
    'mobilenet_v2'

    Args:
        source: a run's folder, `hf:NAME`, or a checkpoint's .pth file; None: the model in the box.
    """
    source = BOX if source is None else source
    path = Path(source)
    if path.is_file() and path.suffix != ".safetensors":
        return ActorObserverNet.from_published(path)
    return ActorObserverNet.from_pretrained(source)
