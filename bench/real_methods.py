"""The methods of bench/real.py: rivals that are fitted, rows that are trained, and what is chosen for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actor_observer.evaluation import ClockRival, Raw, RidgeMap, Rival, Standardised
from actor_observer.features import Embeddings, Look
from actor_observer.features.embeddings import Floats
from actor_observer.pairs import Pair, View
from actor_observer.training import Recipe, recipe_named, with_settings

SHORT = recipe_named("quick-short")
LOOK = Look(SHORT.look_rate, SHORT.size, SHORT.crop)

CONTRAST = ["objective=contrast"]
TRIPLET = ["objective=triplet", "anchor_rate=12", "batch=64", "network.balance=true"]
CENTRED, NOT_CENTRED = "network.centred=true", "network.centred=false"
CANDIDATES: dict[str, tuple[list[str], ...]] = {  # what is chosen on held-out clips of the training part
    "contrast": tuple(
        [f"sigma={sigma}", *size]
        for sigma in (0.15, 0.3)
        for size in (["batch=1", "moments=24", "epochs=10"], ["batch=8", "moments=12", "epochs=20"])
    ),
    "triplet": tuple(
        [f"network.unit_length={unit}", f"epochs={epochs}"] for unit in ("true", "false") for epochs in (5, 15)
    ),
}


@dataclass(frozen=True)
class Row:
    """A trained method, as changes to the recipe `quick-short`."""

    name: str
    settings: list[str]
    family: str  # whose candidates it chooses from
    selects: bool = True


CHOOSERS = {  # the row that represents its family when candidates are compared
    "contrast": Row("", [*CONTRAST, CENTRED], "contrast"),
    "triplet": Row("", [*TRIPLET, NOT_CENTRED, "network.select=false"], "triplet"),
}
ROWS = (
    Row("paper's loss, two heads", [*TRIPLET, NOT_CENTRED, "network.heads=separate"], "triplet"),
    Row("paper's loss, one shared head", [*TRIPLET, NOT_CENTRED], "triplet"),
    Row("paper's loss, no selector", [*TRIPLET, NOT_CENTRED, "network.select=false"], "triplet", False),
    Row("paper's loss, no selector, centred", [*TRIPLET, CENTRED, "network.select=false"], "triplet", False),
    Row("soft InfoNCE, not centred", [*CONTRAST, NOT_CENTRED], "contrast"),
    Row("soft InfoNCE, no selector", [*CONTRAST, CENTRED, "network.select=false"], "contrast", False),
    Row("soft InfoNCE (quick)", [*CONTRAST, CENTRED], "contrast"),
)


@dataclass(frozen=True)
class Centred:
    """A rival on features from which each take's mean is subtracted, as `quick` does."""

    rival: Rival

    def fit(self, train: Embeddings, pairs: Sequence[Pair]) -> Centred:
        self.rival.fit(train.mapped(less_mean), pairs)
        return self

    def embed(self, view: View, features: Floats) -> Floats:
        return self.rival.embed(view, less_mean(view, features))


def less_mean(view: View, features: Floats) -> Floats:
    return features - features.mean(axis=0, keepdims=True)


def rivals() -> dict[str, Rival]:
    return {
        "frozen features": Raw(),
        "frozen features, standardised": Standardised(),
        "clock": ClockRival(),
        "ridge map": RidgeMap(),
        "frozen features, centred": Centred(Standardised()),
        "ridge map, centred": Centred(RidgeMap()),
    }


def recipe_of(row: Row, candidate: Sequence[str], seed: int) -> Recipe:
    return with_settings(SHORT, [*row.settings, *candidate, f"seed={seed}"])
