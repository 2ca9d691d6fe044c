"""Every moment placed: `align` against frozen features, and against rules that do not look.

    python bench/align.py moments DATA [--together DATA] [--real DATA] [--model RUN] [--split test] [--write]

DATA is a set of loosely paired takes (each performed anew for either camera), judged by its exact clocks where it has
them; `--together` a set whose cameras recorded one performance (`actor-observer playhouse OUT --together`), of which
all pairs are taken; `--real` any other pairs, such as robots', whose cameras start and end together: *in proportion* is
the truth there, so it has no row. No take may have trained the model. Errors are in third-person seconds, with 95 %
intervals over pairs: medians by a bootstrap, shares by Clopper and Pearson on effective counts. "align as shipped"
weighs motion and sound beside the likeness of moments, and one event against two performances. `--write` puts the
tables into docs/results/alignment.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.alignment.align import align_recordings
from actor_observer.alignment.recordings.recording import open_recording
from actor_observer.alignment.result import Alignment
from actor_observer.alignment.sight import Sight
from actor_observer.alignment.two_performances import align_takes
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.features import Embeddings, FeatureCache, Look, TakeEmbedding, embed_features
from actor_observer.features.models import frozen_network, is_trained, open_model
from actor_observer.features.see import LOOK_RATE
from actor_observer.model import ActorObserverNet
from actor_observer.model.device import best_device
from actor_observer.pairs import Clock, Pair, Take, read_manifest
from figures import is_shown, keep
from page import write_section

Array = NDArray[np.float64]
Place = Callable[[Alignment, Array], Array]  # third-person times of first-person ones

PATH = "along the path"
PLACES: dict[str, Place] = {
    "each moment by itself": lambda found, first: np.array([point.third for point in found.placed]),
    PATH: lambda found, first: found.clock.to_third(first),
}
BLIND: dict[str, Place] = {
    "always the middle": lambda found, first: np.full(len(first), found.lengths[0] / 2),
    IN_PROPORTION: lambda found, first: Clock.scaled(*found.lengths).to_third(first),
}


@dataclass(frozen=True)
class Judged:
    """One method's alignments of all pairs of a set."""

    name: str
    pairs: Sequence[Pair]
    found: Sequence[Alignment]

    def moments(self) -> list[Array]:
        """The first-person moments of each pair, in seconds."""
        return [np.array([point.first for point in found.placed or found.path]) for found in self.found]

    def errors(self, place: Place, moments: Sequence[Array]) -> list[Array]:
        """For each pair, those of the moments that the third-person take shows, if any."""
        errors = []
        for pair, found, first in zip(self.pairs, self.found, moments, strict=True):
            truth = pair.clock.to_third(first)
            shown = (truth >= 0) & (truth <= found.lengths[0]) & pair.clock.first_in_both(first)
            errors.append(np.abs(place(found, first) - truth)[shown])
        return errors


def main(
    data: Positional[Path],
    together: Path | None = None,
    real: Path | None = None,
    model: str | None = None,
    split: Literal["train", "validation", "test"] = "test",
    cache: Path | None = None,
    device: str = "auto",
    write: bool = False,
) -> None:
    """Align all pairs, print the tables."""
    lines: list[str] = []
    network = open_model(model)
    # The same backbone and the same frames, as ImageNet left it.
    frozen = frozen_network(network.config.backbone)
    frozen.config = replace(frozen.config, size=network.config.size, crop=network.config.crop)
    networks = {"frozen features": frozen, "the model" if model else "the model in the box": network}
    store, where = FeatureCache(cache), best_device(device)

    def judge(folder: Path, part: str | None) -> list[Judged]:
        manifest = read_manifest(folder)
        pairs = [pair for pair in manifest.pairs if part in (None, pair.split) and pair.same_person]
        truth = find_truth(folder)
        pairs = list(truth.exact(pairs) if truth else ()) or pairs
        takes = [manifest.takes[id] for id in dict.fromkeys(id for pair in pairs for id in (pair.third, pair.first))]
        found = [align_all(name, net, pairs, takes, store, where) for name, net in networks.items()]
        return [*found, as_shipped(network, pairs, manifest.takes)]

    performances = judge(data, split)
    lines += places(f"Separate performances of one script, {split} pairs of {data.name}", performances)
    if together:
        judged = judge(together, None)
        lines += offsets("Two cameras on one performance", judged)
        lines += places("The same, every moment", judged)
    if real:
        lines += places(f"Real pairs that start and end together, {real.parent.name}", judge(real, None), ends=True)
    print("\n".join(lines))
    if write:
        given = ["--together TOGETHER"] * bool(together) + ["--real REAL"] * bool(real)
        command = " ".join(["python bench/align.py moments", data.name, *given, "--write"])
        write_section("align", "\n".join(lines), command)
        if is_shown("align.performances.path"):
            along = performances[-1].errors(PLACES[PATH], performances[0].moments())
            keep("align.performances.path", median(along), command, digits=2)


def as_shipped(network: ActorObserverNet, pairs: Sequence[Pair], takes: Mapping[str, Take]) -> Judged:
    """The command itself, on the files."""
    found = []
    with progress("align", len(pairs)) as step:
        for pair in pairs:
            both = open_recording(takes[pair.third], "third"), open_recording(takes[pair.first], "first")
            found.append(align_recordings(*both, Sight(network)))
            step()
    return Judged("align as shipped", pairs, found)


def align_all(
    name: str, network: ActorObserverNet, pairs: Sequence[Pair], takes: Sequence[Take], store: FeatureCache, device: str
) -> Judged:
    """The likeness of moments alone, of embeddings and φ, as `align` weighs them."""
    look = Look.of_network(network.config, LOOK_RATE)
    with progress(f"{name}: features", len(takes)) as step:
        phi, faults = store.features(network.config.backbone, network.backbone, takes, look, device, step)
    for fault in faults.values():
        raise UserError(f"{fault}: mend or remove it first")
    seen, lengths = embed_features(network, phi), {take.id: take.length for take in takes}
    learned = is_trained(network)
    found = [one(seen, pair, lengths, (phi[pair.third], phi[pair.first]), learned) for pair in pairs]
    return Judged(name, pairs, found)


def one(
    seen: Embeddings,
    pair: Pair,
    lengths: dict[str, float],
    phi: tuple[TakeEmbedding, TakeEmbedding],
    learned: bool,
) -> Alignment:
    both = lengths[pair.third], lengths[pair.first]
    return align_takes(seen[pair.third], seen[pair.first], phi, lengths=both, learned=learned)


def places(title: str, judged: Sequence[Judged], ends: bool = False) -> list[str]:
    """Where every first-person moment was put; `ends`: both cameras start and end together."""
    rules = {name: place for name, place in BLIND.items() if not (ends and name == IN_PROPORTION)}
    lines = [f"**{title}** ({len(judged[0].pairs)} pairs)", ""]
    lines.append("| method | every moment placed | median error (s) | within 1 s (%) | nearer than not looking (s) |")
    lines.append("|---|---|---|---|---|")
    asked = judged[0].moments()
    for name in BLIND:
        cells = row(judged[0].errors(rules[name], asked)) if name in rules else "– | –"
        lines.append(f"| {name} | | {cells} | – |")
    for method in judged:
        for name, place in PLACES.items():
            if name != PATH and not all(found.placed for found in method.found):
                continue  # one event has no moments by themselves
            at = asked if name == PATH else method.moments()
            own, blind = method.errors(place, at), [method.errors(rule, at) for rule in rules.values()]
            lines.append(f"| {method.name} | {name} | {row(own)} | {nearer(own, blind).text(2)} |")
    return [*lines, ""]


def row(errors: list[Array]) -> str:
    counts = [len(part) for part in errors]
    middle, near = median(errors), share_interval([float((part <= 1).sum()) for part in errors], counts)
    return f"{middle.text(2 if middle.value >= 0.1 else 3)} | {near.percent()}"


def median(errors: list[Array]) -> Interval:
    return median_over(errors, lambda flat, weights: weighted_median(flat[0], weights))


def nearer(own: list[Array], blind: Sequence[list[Array]]) -> Interval:
    """By how much the median error is below that of the best rule that does not look, chosen anew in every draw."""

    def gain(flat: Array, weights: Array) -> float:
        mine, *others = (weighted_median(one, weights) for one in flat)
        return min(others) - mine

    return median_over([np.stack(some) for some in zip(own, *blind, strict=True)], gain)


def median_over(errors: list[Array], statistic: Callable[[Array, Array], float]) -> Interval:
    """A statistic of the errors of all moments, those of a pair (…, M) drawn together; it gets a weight for each."""
    flat = np.atleast_2d(np.concatenate(errors, axis=-1))
    pair = np.repeat(np.arange(len(errors)), [part.shape[-1] for part in errors])
    return bootstrap(lambda drawn: statistic(flat, drawn[pair]), len(errors), replicates=300)


def offsets(title: str, judged: Sequence[Judged]) -> list[str]:
    """How far off the offset and the rate are. The offset is that of the first-person video's first frame."""
    lines = [f"**{title}** ({len(judged[0].pairs)} pairs)", ""]
    lines += ["| method | offset error, median (s) | offset within 1 s (%) | rate error, median |", "|---|---|---|---|"]
    for method in judged:
        truth = [(pair.clock.to_third(0.0), pair.clock.to_third(10.0)) for pair in method.pairs]
        offset = np.array([abs(f.offset - start) for f, (start, _) in zip(method.found, truth, strict=True)])
        rate = np.array([abs(f.rate - (end - start) / 10) for f, (start, end) in zip(method.found, truth, strict=True)])
        count = len(offset)
        median = bootstrap(lambda counts, values=offset: weighted_median(values, counts), count)  # type: ignore[misc]
        near = share_interval((offset <= 1).astype(float), np.ones(count))
        lines.append(
            f"| {method.name} | {median.value:.2f} [{median.low:.2f}, {median.high:.2f}] | {near.percent()} | "
            f"{np.median(rate):.3f} |"
        )
    return [*lines, ""]


def weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])
