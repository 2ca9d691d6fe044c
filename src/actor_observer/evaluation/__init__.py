"""Tables from embeddings alone: protocols, rivals, chance, intervals."""

from actor_observer.evaluation.bootstrap import Interval, bootstrap
from actor_observer.evaluation.correspondence import QuadDistances, accuracy, quad_distances, score_quads
from actor_observer.evaluation.rivals import ClockRival, Raw, RidgeMap, Rival, Standardised

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
]
