"""What whole takes are turned into, once: φ, embeddings, motion; and the files that keep it."""

from actor_observer.features.embed import embed_features, embed_manifest
from actor_observer.features.embedding_files import load_embeddings, save_embeddings
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look

__all__ = [
    "Embeddings",
    "FeatureCache",
    "Look",
    "TakeEmbedding",
    "embed_features",
    "embed_manifest",
    "extract",
    "load_embeddings",
    "save_embeddings",
]
