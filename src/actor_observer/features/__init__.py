"""Embeddings of whole takes: the one place that runs a backbone over videos."""

from actor_observer.features.embeddings import Embeddings, TakeEmbedding

__all__ = ["Embeddings", "TakeEmbedding"]
