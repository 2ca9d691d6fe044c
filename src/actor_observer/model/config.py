"""Every setting of the network, one commented line each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from actor_observer.model.heads import HeadSharing, ProjectionKind, ScaleStart
from actor_observer.model.losses.running_loss import LossAverage
from actor_observer.model.losses.triplet import TripletKind

__all__ = ["BatchNorm", "Crop", "Naming", "NetworkConfig"]

BatchNorm = Literal["frozen", "batch"]
Crop = Literal["whole", "centre"]
Naming = Literal["embedding", "views", "words"]


@dataclass(frozen=True)
class NetworkConfig:
    """What a network is made of. The defaults are the paper's (its Table 1).

    >>> NetworkConfig(backbone="mobilenet_v2", heads="shared").triplet
    'sigmoid'
    >>> NetworkConfig(heads="both")
    Traceback (most recent call last):
    ValueError: heads is 'separate' or 'shared', not 'both'
    """

    backbone: str = "resnet152"  # resnet18 … resnet152, vgg16, mobilenet_v2, hf:NAME, timm:NAME
    batch_norm: BatchNorm = "frozen"  # frozen: stored statistics, no dropout in the backbone; batch: the batch's own
    size: int = 224  # pixels of the short side of the frames it sees
    crop: Crop = "centre"  # whole: the frame in its own shape; centre: the square in the middle
    centred: bool = False  # True: each take's mean φ is subtracted before the heads (needs whole takes)
    standardised: bool = False  # True: centred, and each number of φ divided by its spread over the take
    context: tuple[float, ...] = ()  # seconds: heads also see φ's mean over this long before and after (needs takes)
    heads: HeadSharing = "separate"  # first-person selector heads: one per role, or one for both
    selector_scale: ScaleStart = "gaussian"  # where the selector's scale starts: |N(0, 5²)|, or a number
    select: bool = True  # False: every triplet weighs 1 and the selector learns nothing
    projection: ProjectionKind = "none"  # compare φ itself, or a projection of it; first: of first person alone
    projection_size: int = 128  # numbers in a projected embedding
    projection_hidden: int = 512  # width of the projection's middle layer; 0: a linear map
    projection_dropout: float = 0.0  # share of the projection's inputs and middle layer dropped in a step
    context_size: int = 128  # numbers that each stretch of context is reduced to first
    unit_length: bool = False  # True: embeddings are scaled to length 1
    labels: tuple[str, ...] = ()  # the classifier's classes, in order; none: no classifier
    label_names: tuple[str, ...] = ()  # their names, in the same order; none: unknown
    naming: Naming = "embedding"  # actions are named from the embedding, by a network for each view on φ, or by words
    naming_context: tuple[float, ...] = (1.0, 4.0)  # views: seconds before and after, as in context; φ is not centred
    naming_reduced: int = 128  # views: numbers that each stretch of time is reduced to
    naming_hidden: int = 256  # views: width of the middle layer
    naming_dropout: float = 0.5  # views
    placing: float = 0.0  # a frame also gets its chance of being placed within this many seconds; 0: it does not
    triplet: TripletKind = "sigmoid"  # the triplet loss
    video_k: float = 0.1  # k of VideoSoftmax
    loss_k: float = 0.1  # k of the running loss
    loss_average: LossAverage = "global"  # one running loss, or one per pair
    balance: bool = True  # scale selector and classifier gradients to the triplet gradient's norm
    videos: int = 0  # training takes that VideoSoftmax keeps a table for
    pairs: int = 0  # training pairs, for loss_average = pair

    @property
    def takes_needed(self) -> bool:
        """Whether a frame's embedding depends on the take around it."""
        return self.centred or self.standardised or bool(self.context)

    @property
    def windows(self) -> int:
        """How many means of φ the heads see of each frame: the frame itself, and its context."""
        return 1 + 2 * len(self.context)

    def __post_init__(self) -> None:
        choices = {
            "batch_norm": BatchNorm,
            "crop": Crop,
            "heads": HeadSharing,
            "projection": ProjectionKind,
            "triplet": TripletKind,
            "loss_average": LossAverage,
            "naming": Naming,
        }
        for name, choice in choices.items():
            value, options = getattr(self, name), get_args(choice)
            if value not in options:
                raise ValueError(f"{name} is {' or '.join(map(repr, options))}, not {value!r}")
        for name in ("videos", "pairs", "projection_hidden"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
        for name in ("context", "naming_context"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
            if any(not seconds > 0 for seconds in getattr(self, name)):
                raise ValueError(f"{name} is in seconds above zero, not {getattr(self, name)}")
        if not 0 <= self.placing < math.inf:
            raise ValueError(f"placing is in seconds from zero up, not {self.placing}")
        if self.context and self.projection in ("none", "first"):
            raise ValueError("context needs a projection" + (" of both views" if self.projection == "first" else ""))
        for name in ("projection_dropout", "naming_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is a share below 1, not {getattr(self, name)}")
        for name in ("size", "projection_size", "context_size", "naming_reduced", "naming_hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be above zero, not {getattr(self, name)}")
        if self.projection_hidden < 0:
            raise ValueError(f"projection_hidden must not be negative, not {self.projection_hidden}")
        for name in ("video_k", "loss_k"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")
        if not isinstance(self.selector_scale, str) and not 0 < self.selector_scale < math.inf:
            raise ValueError(f"selector_scale must be above zero, not {self.selector_scale}")
        for name in ("labels", "label_names"):
            object.__setattr__(self, name, tuple(getattr(self, name)))  # JSON gives a list
        if len(set(self.labels)) != len(self.labels):
            raise ValueError("labels must differ from each other")
        if self.label_names and len(self.label_names) != len(self.labels):
            raise ValueError(f"{len(self.label_names)} label_names for {len(self.labels)} labels")
