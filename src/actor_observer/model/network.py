"""ActorObserverNet: one backbone for both views, a selector that knows which frames are worth comparing."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.errors import UserError
from actor_observer.model.backbones.compact import is_packed, pack, unpack
from actor_observer.model.backbones.published_weights import read_published
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.context import with_context
from actor_observer.model.heads import Projection, Role, SelectorHeads
from actor_observer.model.losses.balance import GradientBalance
from actor_observer.model.losses.running_loss import RunningLoss
from actor_observer.model.losses.video_softmax import VideoSoftmax
from actor_observer.model.placing import Placing
from actor_observer.model.pretrained import check_shapes, read_pretrained, write_pretrained
from actor_observer.pairs.manifest import View

__all__ = ["ActorObserverNet", "Embedding", "Streams"]


class Embedding(NamedTuple):
    """What the network makes of a batch of frames.

    >>> Embedding(torch.zeros(1, 2), torch.zeros(1)).features
    tensor([[0., 0.]])
    """

    features: Tensor  # (B, D) to compare with the other view by Euclidean distance
    logit: Tensor  # (B,) f: the selector's input to VideoSoftmax; a weight only among the frames of a video


class Streams(NamedTuple):
    """What one forward pass makes of triplets and labelled frames."""

    phi: Tensor  # (3·B + M, D) the backbone's output, where gradients are balanced
    third: Embedding  # of x
    positive: Embedding  # of z
    negative: Embedding  # of z'
    labelled: Tensor  # (M, D) features of the labelled third-person frames


class ActorObserverNet(nn.Module):
    """The network, and the state that training keeps with it.

    `pretrained` starts the backbone from ImageNet. Frames are uint8 (0 to 255) or float (0 to 1), `(B, 3, H, W)`;
    clips `(B, F, 3, H, W)` for a backbone that sees clips, and then the embedding is that of their middle.
    Wherever frames are taken, so is φ that was computed before (`(B, D)`, from the cache of a frozen backbone).

    >>> config = NetworkConfig(backbone="resnet18", videos=4)
    >>> network = ActorObserverNet(config, pretrained=False).eval()
    >>> embedding = network(torch.rand(2, 3, 64, 64), "first")
    >>> embedding.features.shape, embedding.logit.shape
    (torch.Size([2, 512]), torch.Size([2]))
    """

    usual: Tensor

    def __init__(
        self,
        config: NetworkConfig | None = None,
        pretrained: bool = True,
        architecture: dict[str, Any] | None = None,  # of an hf: backbone, as a saved network describes it
    ) -> None:
        super().__init__()
        self.config = config = config or NetworkConfig()
        self.source: Path | None = None  # the folder it was read from, which may hold more about it
        self.backbone = create_backbone(config.backbone, pretrained, architecture)
        own = self.backbone.feature_size
        self.heads = SelectorHeads(own, config.heads, config.selector_scale)
        size = own * config.windows
        self.projection = Projection(
            config.projection,
            size,
            config.projection_size,
            config.projection_hidden,
            config.projection_dropout,
            config.windows,
            config.context_size,
        )
        if config.takes_needed:  # for frames without a take
            self.register_buffer("usual", torch.zeros(2, self.backbone.feature_size))  # mean φ of each view
        self.classifier = nn.Linear(self.projection.size, len(config.labels)) if config.labels else None
        self.namer = self._namer(own) if config.labels and config.naming == "views" else None
        self.placing = Placing(config.placing) if config.placing else None
        for head in (self.namer, self.placing):  # fitted once the embedding stands (training/after/fit_heads.py)
            if head is not None:
                head.requires_grad_(False)
        if self.classifier is not None and config.naming == "words":  # it is what words say: training/start.py
            self.classifier.requires_grad_(False)
        self.video_softmax = VideoSoftmax(config.videos, len(self.heads), config.video_k)
        self.running_loss = RunningLoss(config.loss_k, config.loss_average, config.pairs)
        self.balance = GradientBalance()
        self.train()

    def forward(self, frames: Tensor, view: View, role: Role = "positive") -> Embedding:
        """Embed frames of one view, each by itself. `role` matters for first-person frames with separate heads only."""
        return self.embed(self.alone(self.phi(frames), view), view, role)

    def phi(self, frames: Tensor) -> Tensor:
        """The backbone's features (B, D), in the heads' precision; given features pass through."""
        features = frames if frames.ndim == 2 else self.backbone.moment(frames)
        return features.to(self.video_softmax.log_sum.dtype)

    def in_take(self, phi: Tensor, times: Tensor) -> Tensor:
        """φ of a whole take (T, D) at these times (T,) as the heads want it: without its mean, and with its context.

        >>> config = NetworkConfig(backbone="resnet18", centred=True, context=(1.0,), projection="shared")
        >>> network = ActorObserverNet(config, pretrained=False)
        >>> network.in_take(torch.rand(6, 512), torch.arange(6.0)).shape
        torch.Size([6, 1536])
        """
        return with_context(self.centre(phi), times, self.config.context)

    def centre(self, phi: Tensor) -> Tensor:
        """φ of a whole take (T, D) without its mean, and over its spread, where the configuration says so.

        A number that hardly moves is not blown up.
        """
        if self.config.centred or self.config.standardised:
            phi = phi - phi.mean(dim=0)
        if self.config.standardised:
            spread = phi.square().mean(dim=0).sqrt()
            phi = phi / torch.maximum(spread, (0.1 * spread.mean()).clamp(min=1e-6))
        return phi

    def alone(self, phi: Tensor, view: View) -> Tensor:
        """φ of single frames (B, D) as the heads want it, where there is no take around them."""
        if self.config.centred:
            phi = phi - self.usual[0 if view == "third" else 1]
        return phi.repeat(1, self.config.windows)

    def embed(self, phi: Tensor, view: View, role: Role = "positive") -> Embedding:
        """The heads alone, on features of the backbone. They are small: always in full precision."""
        with torch.autocast(phi.device.type, enabled=False):
            # the selector sees the frame alone: from its context it would learn the time instead
            own = self.projection.standardised(phi, view)[:, : self.backbone.feature_size]
            logit = self.heads(own, view, role)
            return Embedding(self.project(phi, view), logit)

    def project(self, phi: Tensor, view: View) -> Tensor:
        """The embedding of features of the backbone."""
        features: Tensor = self.projection(phi, view)
        return functional.normalize(features, dim=-1) if self.config.unit_length else features

    def classify(self, features: Tensor) -> Tensor:
        """Class scores (B, C) of embeddings of either view. The classifier learns from third-person labels alone."""
        if self.classifier is None:
            raise ValueError("this network has no classifier: it was made without labels")
        with torch.autocast(features.device.type, enabled=False):
            scores: Tensor = self.classifier(features)
        return scores

    def _namer(self, feature_size: int) -> Projection:
        """A network for each view, from φ and its context to class scores."""
        config, windows = self.config, 1 + 2 * len(self.config.naming_context)
        widths = len(config.labels), config.naming_hidden, config.naming_dropout, windows, config.naming_reduced
        return Projection("per_view", feature_size * windows, *widths)

    @property
    def names_actions(self) -> bool:
        """Whether it has learned to name actions."""
        return self.classifier is not None

    def name(self, phi: Tensor, times: Tensor, view: View, features: Tensor) -> Tensor:
        """Class scores (T, C) of a whole take, from its φ (T, D) and embeddings (T, F) at these times (T,)."""
        if self.namer is None:
            return self.classify(features)
        with torch.autocast(phi.device.type, enabled=False):
            scores: Tensor = self.namer(with_context(phi, times, self.config.naming_context), view)
        return scores

    def forward_triplets(self, x: Tensor, z: Tensor, z_neg: Tensor, labelled: Tensor | None = None) -> Streams:
        """All three streams as one pass through the backbone, with labelled third-person frames in the same pass.

        >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
        >>> streams = network.forward_triplets(*torch.rand(3, 2, 3, 32, 32), labelled=torch.rand(5, 3, 32, 32))
        >>> streams.phi.shape, streams.negative.logit.shape
        (torch.Size([11, 512]), torch.Size([2]))
        """
        if not len(x) == len(z) == len(z_neg):
            raise ValueError(f"triplets need as many x as z and z', not {len(x)}, {len(z)} and {len(z_neg)}")
        labelled = x[:0] if labelled is None else labelled
        phi = self.measurable(self.phi(torch.cat([x, z, z_neg, labelled])))
        of_x, of_z, of_z_neg, of_labelled = torch.split(phi, [len(x), len(z), len(z_neg), len(labelled)])
        with torch.autocast(phi.device.type, enabled=False):
            labelled_features = self.project(of_labelled, "third")
        return Streams(
            phi,
            self.embed(of_x, "third"),
            self.embed(of_z, "first", "positive"),
            self.embed(of_z_neg, "first", "negative"),
            labelled_features,
        )

    def measurable(self, phi: Tensor) -> Tensor:
        """φ with a gradient, so that the balance can measure it; behind a frozen backbone, the gradient ends here."""
        if self.config.balance and self.training and torch.is_grad_enabled() and not phi.requires_grad:
            phi = phi.detach().requires_grad_()
        return phi

    def train(self, mode: bool = True) -> Self:
        """Set training mode, except for a backbone with frozen batch norm, which stays in evaluation mode."""
        super().train(mode)
        if self.config.batch_norm == "frozen":
            self.backbone.eval()
        return self

    def reset_state(self, videos: int, pairs: int = 0) -> None:
        """Reset the tables and the running loss, and size them for another training set.

        >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
        >>> network.reset_state(videos=20)
        >>> network.video_softmax.log_sum.shape
        torch.Size([60])
        """
        self.config = config = replace(self.config, videos=videos, pairs=pairs)
        like = self.video_softmax.log_sum
        self.video_softmax = VideoSoftmax(videos, len(self.heads), config.video_k).to(like)
        self.running_loss = RunningLoss(config.loss_k, config.loss_average, pairs).to(like)
        self.balance = GradientBalance().to(like)
        self.train(self.training)

    def save_pretrained(self, folder: str | Path, compact: bool = False) -> None:
        """Write config.json and model.safetensors into a folder, training state included; each file complete or absent.

        `compact` keeps 8-bit differences from ImageNet's weights (loading needs those): a quarter of the size or less.

        >>> import tempfile
        >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", videos=3), pretrained=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     network.save_pretrained(folder)
        ...     ActorObserverNet.from_pretrained(folder).config == network.config
        True
        """
        if self.backbone.folded:
            raise ValueError("a network made fast for inference cannot be saved; save the one it was made from")
        description = {**asdict(self.config), "architecture": self.backbone.architecture()}
        tensors = dict(self.state_dict())
        if compact:
            tensors = pack(tensors, _imagenet(self.config.backbone), {name for name, _ in self.named_parameters()})
        write_pretrained(Path(folder), description, tensors)

    @classmethod
    def from_pretrained(cls, source: str | Path) -> Self:
        """A network that `save_pretrained` wrote: a folder, or `hf:NAME` on the hub. In evaluation mode."""
        settings, tensors = read_pretrained(source)
        architecture = settings.pop("architecture", None)
        try:
            config = NetworkConfig(**settings)
            with torch.device("meta"):  # names and shapes without memory: a file may claim to be of any size
                planned = cls(config, pretrained=False, architecture=architecture or None)
            if is_packed(tensors):
                tensors = unpack(tensors, _imagenet(config.backbone))
            check_shapes(planned.state_dict(), tensors)
            network = cls(config, pretrained=False, architecture=architecture or None)
            network.load_state_dict(tensors)
        except (TypeError, ValueError, KeyError, RuntimeError, AttributeError, OverflowError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UserError(f"{source}: configuration and weights do not fit ({reason})") from error
        network.source = Path(source) if Path(source).is_dir() else None
        return network.eval()

    @classmethod
    def from_published(cls, path: str | Path, config: NetworkConfig | None = None) -> Self:
        """A network around a published checkpoint: Charades' ResNet-152 or VGG-16, or any file of torchvision's.

        The file says which backbone; its layer of class scores becomes the classifier. `config` gives everything else
        (its `labels`, if any, must be as many as the file's). A new selector comes with it. In evaluation mode.
        """
        found = read_published(path)
        classes = len(found.head_bias)
        config = replace(config or NetworkConfig(), backbone=found.backbone)
        if config.projection != "none":
            raise UserError(f"{path}: its classifier works on φ itself; leave the projection out")
        if not config.labels:
            config = replace(config, labels=tuple(f"c{number:03}" for number in range(classes)))
        network = cls(config, pretrained=False)
        assert network.classifier is not None
        try:
            network.backbone.load_state_dict(found.weights)
            network.classifier.load_state_dict({"weight": found.head_weight, "bias": found.head_bias})
        except RuntimeError as error:
            reason = " ".join(str(error).split())[:200]
            raise UserError(f"{path}: the weights do not fit {found.backbone} ({reason})") from error
        return network.eval()


def _imagenet(backbone: str) -> dict[str, Tensor]:
    """The weights that a backbone starts from, by the names they have in a network."""
    weights = create_backbone(backbone, pretrained=True).state_dict()
    return {f"backbone.{name}": value for name, value in weights.items()}
