"""Embeddings of a data set by a network: φ from the cache, then the heads, with exact weights and class scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import torch

from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.extract import extract, one_thread
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look
from actor_observer.model.losses.video_softmax import log_frame_weights
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Fault, Manifest

__all__ = ["embed_features", "embed_manifest"]


def embed_manifest(
    network: ActorObserverNet,
    manifest: Manifest,
    look: Look | None = None,
    cache: str | Path | FeatureCache | None = None,  # a folder, or None for the usual one
    device: str | torch.device = "cpu",
    each: Callable[[], object] = lambda: None,  # called once for every take
) -> tuple[Embeddings, dict[str, Fault]]:
    """Embeddings of all takes of a manifest, and the faults of those that cannot be read (take id -> fault).

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False)
    >>> embeddings, faults = embed_manifest(network, Manifest({}))
    >>> len(embeddings), faults
    (0, {})
    """
    store = cache if isinstance(cache, FeatureCache) else FeatureCache(cache)
    takes = manifest.takes.values()
    phi, faults = store.features(network.config.backbone, network.backbone, takes, look or Look(), device, each)
    return embed_features(network, phi), faults


def embed_uncached(
    network: ActorObserverNet, manifest: Manifest, look: Look, device: str | torch.device = "cpu"
) -> tuple[Embeddings, dict[str, Fault]]:
    """As `embed_manifest`, for a backbone that is still being trained: nothing is kept on disk."""
    made = [(take.id, found) for take, found in extract(network.backbone, manifest.takes.values(), look, device)]
    phi = {id: found for id, found in made if isinstance(found, TakeEmbedding)}
    return embed_features(network, phi), {id: found for id, found in made if isinstance(found, Fault)}


@one_thread()
@torch.inference_mode()
def embed_features(network: ActorObserverNet, phi: Mapping[str, TakeEmbedding]) -> Embeddings:
    """Run the heads alone, on φ: embeddings, each frame's exact weight within its take, class probabilities.

    The role of a first-person frame is that of the positive; where negatives have a head of their own, their weight
    stands beside it.

    >>> import numpy as np
    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", labels=("sit", "stand")), pretrained=False)
    >>> phi = {"a": TakeEmbedding("first", np.arange(3.0), np.ones((3, 512), dtype=np.float32))}
    >>> take = embed_features(network, phi)["a"]
    >>> take.weight.round(5).tolist(), take.scores.shape
    ([1.0, 1.0, 1.0], (3, 2))
    """
    was_training = network.training
    network.eval()
    where = network.video_softmax.log_sum
    takes = {}
    for id, take in phi.items():
        times = torch.as_tensor(take.times).to(where)
        own = torch.as_tensor(take.features).to(where)
        phi_of_take = network.in_take(own, times)
        embedding = network.embed(phi_of_take, take.view)
        scores = chance = None
        if network.names_actions:
            scores = network.name(own, times, take.view, embedding.features).softmax(dim=1).cpu().numpy()
        if network.placing is not None:
            chance = network.placing(embedding.features, times, take.view).sigmoid().cpu().numpy()
        weight = log_frame_weights(embedding.logit).exp().cpu().numpy()
        negative = None
        if take.view == "first" and network.config.heads == "separate":
            logit = network.embed(phi_of_take, take.view, "negative").logit
            negative = log_frame_weights(logit).exp().cpu().numpy()
        features = embedding.features.cpu().numpy()
        takes[id] = TakeEmbedding(take.view, take.times, features, weight, scores, negative, chance)
    network.train(was_training)
    return Embeddings(takes)
