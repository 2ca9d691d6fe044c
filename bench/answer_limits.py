"""From which probability, and up to which distance, answers are right often enough: what answers/limits.py reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from actor_observer.features import Embeddings, FeatureCache, embed_features
from actor_observer.features.identity import identify
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs import Manifest, Take
from actor_observer.pairs.manifest import VIEWS
from known_sets import look_at

FALSE_ALARMS, WITHIN = 0.05, 2.0


def limits_of_answers(
    network: ActorObserverNet, data: Path, cache: FeatureCache, device: str
) -> tuple[dict[str, Any], list[str]]:
    """What answers/limits.py reads, and what it is worth, from all takes of a known set that trained nothing."""
    manifest, phi = look_at(network, data, cache, device)
    embedded, top, told = embed_features(network, phi), {}, []
    for view in VIEWS:
        takes = [take for take in manifest.takes.values() if take.view == view]
        top[view], right = least_probability(embedded, takes, network.config.labels)
        told.append(
            f"{view} person: the first action is right in {right:.0%} of {len(takes)} takes of {data.name}, at least "
            f"half from a probability of {top[view]:.2f} on"
        )
    far, line = nearest_distance(manifest, embedded)
    return {"model": identify(network).fingerprint, "far": round(far, 4), "top": top}, [*told, line]


def least_probability(embedded: Embeddings, takes: Sequence[Take], labels: Sequence[str]) -> tuple[float, float]:
    """The probability of a take's first action from which on it is right half the time, and how often it is right."""
    cases = []
    for take in takes:
        scores, shown = embedded[take.id].scores, {action.label for action in take.actions}
        if scores is not None and shown:
            whole = np.asarray(scores, dtype=float).mean(axis=0)
            cases.append((float(whole.max()), labels[int(whole.argmax())] in shown))
    if not cases:
        return 0.0, float("nan")
    cases.sort(reverse=True)
    right = np.cumsum([is_right for _, is_right in cases]) / np.arange(1, len(cases) + 1)
    good = np.flatnonzero(right >= 0.5)
    return (round(cases[good[-1]][0], 4) if len(good) else 1.0), float(right[-1])


def nearest_distance(manifest: Manifest, embedded: Embeddings) -> tuple[float, str]:
    """The distance that the nearest moment stays below where there is a match, and how often it is right."""
    pairs = [pair for pair in manifest.pairs if pair.same_person]
    moments = [(pair.first, embedded[pair.first]) for pair in pairs]
    owner = np.concatenate([np.full(len(take.times[1::3]), id) for id, take in moments])
    times = np.concatenate([take.times[1::3] for _, take in moments])
    vectors = np.concatenate([np.asarray(take.features)[1::3] for _, take in moments])
    near, absent, right = [], [], []
    for pair in pairs:
        asked = embedded[pair.third]
        expected = pair.clock.to_first(asked.times[1::6]) if pair.clock else np.full(len(asked.times[1::6]), np.nan)
        for vector, time in zip(np.asarray(asked.features)[1::6], np.ravel(expected), strict=True):
            apart = np.linalg.norm(vectors - vector, axis=1)
            best = int(apart.argmin())
            near.append(apart[best])
            absent.append(apart[owner != pair.first].min())
            right.append(owner[best] == pair.first and abs(times[best] - time) <= WITHIN)
    far = float(np.quantile(near, 1 - FALSE_ALARMS))
    told = (
        f"search among {len(vectors)} known moments of {len(pairs)} takes: the first answer is right within {WITHIN:g} "
        f"s in {np.mean(right):.0%} of {len(right)} searches; the nearest distance tells "
        f"{np.mean(np.array(absent) > far):.0%} of those whose take is not there at {FALSE_ALARMS:.0%} false alarms"
    )
    return far, told
