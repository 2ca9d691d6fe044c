"""The other takes of a pair's event: those that share a camera with it in another pair, each with the clock to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actor_observer.pairs.manifest import Manifest, Pair

__all__ = ["others_of"]

MOST = 14  # other takes: more than that no screen shows
Clocks = Callable[[Pair], tuple[Any, bool]]  # anchors of a pair's clock, and whether it is a guess


def others_of(manifest: Manifest, pair: Pair, pairs: Iterable[Pair], clocks: Clocks) -> list[dict[str, Any]]:
    """Takes that a pair shares its observer or its actor with.

    Another actor's video is reached from the shared observer's by its pair's clock (`by` is "third"); another
    observer's from the shared actor's, by its pair's clock backwards (`by` is "first").
    """
    found: dict[str, dict[str, Any]] = {}
    for other in pairs:
        shared = {"third": other.third == pair.third, "first": other.first == pair.first}
        if shared["third"] == shared["first"]:  # the pair itself, or no camera of it
            continue
        by, take = ("third", other.first) if shared["third"] else ("first", other.third)
        if len({manifest.takes[id].event for id in (take, pair.third)}) > 1:
            continue  # another performance of the script, not another camera on this one
        if take in found or not other.same_person:
            continue
        anchors, guess = clocks(other)
        found[take] = {"take": take, "by": by, "clock": anchors, "guess": guess, "pair": other.id}
        if len(found) == MOST:
            break
    return list(found.values())
