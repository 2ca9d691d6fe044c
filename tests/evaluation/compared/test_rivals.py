"""The rivals learn what they say, and nothing else."""

import numpy as np

from actor_observer.evaluation import ClockRival, Raw, RidgeMap, Standardised, score_quads
from actor_observer.sampling import quads
from tiny_embeddings import embedded_pairs


def scores(embed: object, train_videos: int = 12) -> dict[str, float]:
    train_manifest, train = embedded_pairs(train_videos, embed)
    manifest, test = embedded_pairs(8, embed)
    found, _ = quads(manifest, manifest.pairs, per_pair=60)
    result = {}
    for rival in (Raw(), Standardised(), ClockRival(), RidgeMap(components=8)):
        fitted = rival.fit(train, train_manifest.pairs)
        result[type(rival).__name__] = score_quads(test.mapped(fitted.embed), found, manifest.pairs).value
    return result


def test_a_linear_link_between_the_views_is_found_by_the_ridge_map_alone() -> None:
    """Both views show the same walk through a hidden space, each through lenses of its own."""
    rng = np.random.default_rng(0)
    lens = {"third": rng.normal(size=(4, 16)), "first": rng.normal(size=(4, 16))}

    def embed(view: str, number: int, times: np.ndarray) -> np.ndarray:
        path = np.random.default_rng(number + 100 * len(times)).normal(size=(4, len(times))).cumsum(axis=1)
        return path.T @ lens[view]

    found = scores(embed)
    assert found["RidgeMap"] > 0.9
    assert found["Raw"] < 0.75


def test_a_clock_in_the_picture_is_read_by_the_clock_rival() -> None:
    rng = np.random.default_rng(1)

    def embed(view: str, number: int, times: np.ndarray) -> np.ndarray:
        sign = 1 if view == "third" else -1  # seen the other way round: useless until each view is read for itself
        return np.hstack([sign * times[:, None] / 30, rng.normal(size=(len(times), 3)) * 0.05])

    found = scores(embed)
    assert found["ClockRival"] > 0.95
    assert found["Standardised"] < 0.4


def test_standardising_takes_away_what_makes_a_view_alike() -> None:
    rng = np.random.default_rng(2)

    def embed(view: str, number: int, times: np.ndarray) -> np.ndarray:
        offset = 100.0 if view == "third" else -100.0
        signal = np.sin(times / 3)[:, None] * np.arange(1, 4) + rng.normal(size=(len(times), 3)) * 0.05
        return np.hstack([signal * (0.01 if view == "third" else 1.0), np.full((len(times), 1), offset)])

    found = scores(embed)
    assert found["Standardised"] > found["Raw"] + 0.1
