"""The actions in a video with their probabilities, for each second and for the whole, and whether to believe them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.answers.limits import limits_for
from actor_observer.console import Answer
from actor_observer.errors import UserError
from actor_observer.evaluation.measures.recognition import video_scores
from actor_observer.evaluation.submission import read_submission, write_submission
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import Floats
from actor_observer.features.identity import model_name
from actor_observer.features.known import Knowledge, find_known, said_of
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE, Video, check_look_rate, open_take, see_phi
from actor_observer.features.words import TEMPLATES, name_words, read_templates, tower_of
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take, View
from actor_observer.pairs.window import stem_of

__all__ = ["Recognised", "Seen", "add_to_submission", "recognise"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """An action with its probability.

    >>> str(Seen("c092", "Sitting down", 0.31))
    '31 % Sitting down (c092)'
    """

    label: str
    name: str  # empty where the model has no names
    probability: float

    def __str__(self) -> str:
        called = f"{self.name} ({self.label})" if self.name else self.label
        return f"{100 * self.probability:.0f} % {called}"


@dataclass(frozen=True, eq=False)
class Recognised(Answer):
    """Class probabilities of one video."""

    ROWS = ("actions",)

    video: str
    view: View
    labels: tuple[str, ...]
    names: tuple[str, ...]  # empty where the model has none
    seconds: NDArray[np.int64]  # (S,) the seconds that hold a frame
    scores: Array  # (S, C) of each second
    whole: Array  # (C,) of the whole video
    knowledge: Knowledge | None = None  # whether the model knows footage like this; None where nobody can say
    least: float = 0.0  # probability below which the first action is wrong more often than right
    by_words: bool = (
        False  # zero-shot: the shares are those of a softmax over these labels, which nobody has calibrated
    )

    def __repr__(self) -> str:
        best = ", ".join(map(str, self.best(self.whole, 1)))
        return f"<Recognised in {Path(self.video).name}: {self.warning or best}>"

    @property
    def unknown(self) -> bool:
        """Whether the model does not know footage like this."""
        return self.knowledge is not None and not self.knowledge.known

    @property
    def none_of_these(self) -> bool:
        """Whether the actions named are probably all wrong."""
        return self.unknown or float(self.whole.max(initial=0.0)) < self.least

    @property
    def warning(self) -> str:
        """Why none of the actions is to be believed; empty where they may be."""
        if self.knowledge and not self.knowledge.known:
            return f"none of these, probably: {self.knowledge.says}"
        if self.by_words:
            return "uncalibrated: the shares compare these labels with each other, and say nothing of other actions"
        if self.none_of_these:
            return f"none of these, probably: a first action below {self.least:.0%} is mostly wrong"
        return ""

    def best(self, scores: Array, top: int = 5) -> list[Seen]:
        """The most probable actions of some scores (C,)."""
        order = np.argsort(-scores, kind="stable")[:top]
        names = self.names or ("",) * len(self.labels)
        return [Seen(self.labels[place], names[place], float(scores[place])) for place in order]

    def to_dict(self, top: int = 5) -> dict[str, Any]:
        """Plain values: the best of the whole video and of each second, and all probabilities of the whole."""
        seconds = [
            {"second": int(second), "actions": [asdict(seen) for seen in self.best(scores, top)]}
            for second, scores in zip(self.seconds, self.scores, strict=True)
        ]
        return {
            "video": self.video,
            "view": self.view,
            "none_of_these": self.none_of_these,
            "calibrated": False,  # a share of a softmax, over classes or over words, is no chance of being right
            **said_of(self.knowledge),
            "actions": [asdict(seen) for seen in self.best(self.whole, top)],
            "seconds": seconds,
            "probabilities": dict(zip(self.labels, self.whole.tolist(), strict=True)),
        }


def recognise(
    video: Video,
    view: View = "first",
    model: str | Path | ActorObserverNet | None = None,
    look_rate: float = LOOK_RATE,
    fps: float | None = None,
    device: str = "auto",
    part: Callable[[float], object] = lambda share: None,
    labels: Sequence[str] = (),
    templates: str | Path | None = None,
    backbone: str | None = None,
) -> Recognised:
    """Name the actions in a video. Probabilities are means over frames: of each second, and of the whole video.

    >>> from actor_observer.model import NetworkConfig
    >>> config = NetworkConfig(backbone="resnet18", size=32, labels=("c000", "c001"), label_names=("sit", "stand"))
    >>> network = ActorObserverNet(config, pretrained=False)
    >>> found = recognise(np.zeros((12, 3, 32, 48), dtype=np.uint8), model=network, look_rate=3.0, fps=6.0)
    >>> found.seconds.tolist(), found.scores.shape, len(found.best(found.whole))
    ([0, 1], (2, 2), 2)

    Args:
        video: a file, a folder of frames, or pixels (T, H, W, 3).
        view: from which it was filmed: `third` or `first`.
        model, device: as for `align`; a model that was trained with labels.
        look_rate: frames a second that are looked at.
        fps: frames a second of pixels or of a folder of frames.
        part: called now and then with how much of it is done, 0 to 1.
        labels: actions in words, instead of those that the model was trained with (zero-shot); the model must know
            words (docs/search.md).
        templates: a file with what is said of a label, one a line with {} where it goes.
        backbone: with labels, frozen features of this backbone instead of a model.
    """
    check_look_rate(look_rate)
    check_labels(labels, templates, backbone)
    if not isinstance(video, (np.ndarray, Tensor)):
        video = open_take(video, view, fps)
    network = open_model(model, backbone)
    said = name_words(network, labels, read_templates(templates) if templates else TEMPLATES) if labels else None
    if network.classifier is None and said is None:
        raise UserError(f"{model_name(model)}: it has no classifier, since it was trained without labels")
    phi = see_phi(network, video, view, look_rate, fps, device, part)
    seen = embed_features(network, {"video": phi})["video"]
    frames = np.asarray(seen.scores if said is None else shares(network, seen.features, said), dtype=float)  # (T, C)
    seconds, of_second = np.unique(np.floor(seen.times).astype(np.int64), return_inverse=True)
    scores = np.stack([frames[of_second == place].mean(axis=0) for place in range(len(seconds))])
    name = str(video.path) if isinstance(video, Take) else "pixels"
    config = network.config
    if said is not None:
        return Recognised(name, view, tuple(labels), (), seconds, scores, video_scores(frames), by_words=True)
    by_words = config.naming == "words"
    names = config.labels, config.label_names
    found = Recognised(name, view, *names, seconds, scores, video_scores(frames), by_words=by_words)
    known = find_known(network)
    if known is None:
        return found
    return replace(found, knowledge=known.take(phi), least=limits_for(network, known).top[view])


def check_labels(labels: Sequence[str], templates: str | Path | None, backbone: str | None) -> None:
    """Refuse labels that say nothing, and what is of use with labels only.

    >>> check_labels(["pour water"], None, None)
    Traceback (most recent call last):
    actor_observer.errors.UserError: one label is always right: give at least two, as in --labels "pour water" ...
    """
    if not labels and (templates is not None or backbone is not None):
        raise UserError('--templates and --backbone are for actions in words: add --labels "pour water" "open door"')
    if labels and any(not label.strip() for label in labels):
        raise UserError("an empty label says nothing: write what is done, as in 'pour water'")
    if len(set(labels)) != len(labels):
        raise UserError("two labels are the same: give each once")
    if len(labels) == 1:
        raise UserError('one label is always right: give at least two, as in --labels "pour water" "open door"')


def shares(network: ActorObserverNet, features: Floats, said: NDArray[np.float32]) -> Array:  # (T, D), (C, D) -> (T, C)
    """How much of each moment each label gets: a softmax over cosines, with the scale that the text tower learned."""
    logits = tower_of(network).scale * np.asarray(features, dtype=float) @ said.T.astype(float)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def add_to_submission(path: str | Path, found: Recognised) -> None:
    r"""Put a video's line into a submission file, replacing its own if it has one.

    >>> import tempfile
    >>> one = np.array([0.25, 0.75])
    >>> found = Recognised("AB1CD.mp4", "third", ("c000", "c001"), (), np.array([0]), one[None], one)
    >>> path = Path(tempfile.mkdtemp()) / "submission.txt"
    >>> add_to_submission(path, found)
    >>> path.read_text()
    'AB1CD 0.25 0.75\n'
    """
    path, id = Path(path), stem_of(Path(found.video))
    if re.search(r"\s", id):
        raise UserError(f"{found.video}: a submission cannot hold a video's name with spaces; rename it")
    lines = read_submission(path) if path.exists() and path.stat().st_size else {}
    for other, scores in lines.items():
        if len(scores) != len(found.whole):
            raise UserError(f"{path}: {other} has {len(scores)} scores, this model gives {len(found.whole)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_submission(path, lines | {id: found.whole})
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from None
