"""Tables from embeddings alone: protocols, rivals, chance, intervals."""

from actor_observer.evaluation.compared.rivals import ClockRival, Raw, RidgeMap, Rival, Standardised
from actor_observer.evaluation.measures.correspondence import QuadDistances, accuracy, quad_distances, score_quads
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.shares import share_interval

__all__ = [
    "ClockRival",
    "Interval",
    "QuadDistances",
    "Raw",
    "RidgeMap",
    "Rival",
    "Standardised",
    "accuracy",
    "bootstrap",
    "quad_distances",
    "score_quads",
    "share_interval",
]
