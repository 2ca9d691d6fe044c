"""Words in the space that a network compares moments in, where there is such a space."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.model.backbones.hugging_face.text_tower import EXAMPLE, TextTower, text_tower, vocabulary
from actor_observer.model.network import ActorObserverNet

__all__ = ["TEMPLATES", "embed_words", "name_words", "read_templates", "tower_of", "without_words", "words_of"]

TEMPLATES = ("{}", "a person: {}", "a video of a person: {}")  # a label is the mean of what these say
MOST_TEMPLATES = 1000  # far above the 80 that CLIP was published with; a file of more is something else

Vectors = NDArray[np.float32]  # (N, D), each of length 1


def without_words(network: ActorObserverNet) -> str:
    """Why a network has no words; "" where it has.

    >>> from actor_observer.model import NetworkConfig
    >>> without_words(ActorObserverNet(NetworkConfig("resnet18"), pretrained=False))
    'its backbone resnet18 knows no words'
    """
    config = network.config
    if not network.backbone.joint:
        kind = getattr(getattr(getattr(network.backbone, "model", None), "config", None), "model_type", "")
        if "clip" in kind or "siglip" in kind:  # opened as it was before words were kept, for an index of that time
            return f"its moments of {config.backbone} were kept before words were: make the index again"
        return f"its backbone {config.backbone} knows no words"
    if config.takes_needed or config.projection not in ("none", "first") or not config.unit_length:
        return "it has learned a space of its own, away from the words"
    return ""


def words_of(network: ActorObserverNet) -> tuple[bool, str]:
    """Whether texts can be asked of a network; and why not, where only its vocabulary is missing.

    >>> from actor_observer.model import NetworkConfig
    >>> words_of(ActorObserverNet(NetworkConfig("resnet18"), pretrained=False))
    (False, '')
    """
    if without_words(network):
        return False, ""
    try:
        vocabulary(network.config.backbone)
    except UserError as error:
        return False, str(error)
    return True, ""


def tower_of(network: ActorObserverNet) -> TextTower:
    """The text side that belongs to a network; one line where there is none."""
    if why := without_words(network):
        instead = (
            "" if "again" in why else f"; --backbone {EXAMPLE} does (index with it, too), or a run of the recipe words"
        )
        raise UserError(f"no words here: {why}{instead}")
    tower = text_tower(network.config.backbone)
    ours, theirs = (getattr(part, "model", part).state_dict() for part in (network.backbone, tower.pictures))
    if any(not torch.equal(ours[key].cpu(), theirs[key]) for key in ours):
        raise UserError(f"no words here: the backbone is no longer that of {network.config.backbone}")
    return tower


def embed_words(network: ActorObserverNet, texts: Sequence[str]) -> Vectors:
    """The vectors of texts, to be compared with a network's embeddings of moments of either view."""
    return np.asarray(tower_of(network).embed(texts).numpy())


def name_words(network: ActorObserverNet, labels: Sequence[str], templates: Sequence[str] = TEMPLATES) -> Vectors:
    """The vectors of labels: each the mean of what the templates make of it."""
    tower = tower_of(network)
    said = [np.asarray(tower.embed([template.replace("{}", label) for label in labels])) for template in templates]
    mean = np.mean(said, axis=0)
    return np.asarray(mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def read_templates(path: str | Path) -> tuple[str, ...]:
    """Templates from a file: one a line, each with one {} where the label goes.

    >>> read_templates("no-such.txt")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.txt: cannot be read (No such file or directory)
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file (UTF-8)") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if line.count("{}") != 1:
            raise UserError(f"{path}: '{line[:60]}' must have one {{}} where the label goes")
    if not 0 < len(lines) <= MOST_TEMPLATES:
        raise UserError(
            f"{path}: {len(lines)} templates; write 1 to {MOST_TEMPLATES}, one a line, as in: a person: {{}}"
        )
    return tuple(lines)
