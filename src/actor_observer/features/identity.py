"""Which model made an index: a name for people, a fingerprint for the program."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet

__all__ = ["Identity", "identify", "model_name"]

# Settings that leave the embedding as it is: those of training, of the selector and of the classifier.
_ELSEWHERE = {
    "batch_norm",
    "heads",
    "selector_scale",
    "select",
    "labels",
    "label_names",
    "triplet",
    "video_k",
    "loss_k",
}
_ELSEWHERE |= {"loss_average", "balance", "videos", "pairs", "projection_size", "projection_hidden"}
_ELSEWHERE |= {"projection_dropout", "context_size", "placing", "naming", "naming_context", "naming_reduced"}
_ELSEWHERE |= {"naming_hidden", "naming_dropout"}


@dataclass(frozen=True)
class Identity:
    """A model by name and by content: one model may have two names, and a name may come to mean another model.

    >>> print(Identity("runs/first", "93ab12cd34ef56ab"))
    runs/first (93ab12cd)
    """

    name: str
    fingerprint: str

    def __str__(self) -> str:
        return f"{self.name} ({self.fingerprint[:8]})"


def identify(
    network: ActorObserverNet, model: str | Path | ActorObserverNet | None = None, backbone: str | None = None
) -> Identity:
    """The identity of a network opened by these names. Only what affects the embedding counts.

    >>> from dataclasses import replace
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", size=64), pretrained=False)
    >>> before = identify(network)
    >>> network.config = replace(network.config, video_k=0.5)
    >>> identify(network) == before
    True
    >>> network.config = replace(network.config, size=96)
    >>> identify(network) == before
    False
    """
    usual = asdict(NetworkConfig())
    settings = {key: value for key, value in asdict(network.config).items() if value != usual.get(key)}
    settings = {key: value for key, value in settings.items() if key not in _ELSEWHERE}
    parts = [weights_hash(network.backbone), weights_hash(network.projection), json.dumps(settings, sort_keys=True)]
    digest = hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
    return Identity(model_name(model, backbone), digest)


def model_name(model: str | Path | ActorObserverNet | None = None, backbone: str | None = None) -> str:
    """The name of a model opened like this, for people.

    >>> model_name(), model_name("runs/first"), model_name(backbone="resnet18")
    ('the model in the box', 'runs/first', 'frozen resnet18')
    """
    if backbone is not None:
        return f"frozen {backbone}"
    if isinstance(model, ActorObserverNet):
        return f"a network on {model.config.backbone}"
    return "the model in the box" if model is None else str(model)
