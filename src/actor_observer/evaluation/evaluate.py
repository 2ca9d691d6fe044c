"""Judge a run, or anybody's embeddings, on a data set: the methods of the tables, and their rivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.rivals import ClockRival, Raw, RidgeMap, Rival, Standardised
from actor_observer.evaluation.judge import Judgement, fingerprint, judge
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.used import seen_before
from actor_observer.features.embed import embed_features
from actor_observer.features.embedding_files import load_embeddings
from actor_observer.features.embeddings import Embeddings
from actor_observer.features.look import Look
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX
from actor_observer.model.saved_recipe import recipe_of
from actor_observer.pairs.manifest import Fault, Manifest, Pair, Take

__all__ = ["Judged", "embed_runs", "evaluate_runs"]

LEARN_RATE = 3.0  # frames a second that rivals are fitted on, where the run does not say at which it learned


@dataclass(frozen=True)
class Judged:
    """The rows of the tables, embedded, and the takes that could not be."""

    methods: tuple[Method, ...]
    faults: Mapping[str, Fault]

    def judge(self, on: JudgedData, protocol: Protocol | None = None) -> Judgement:
        """All tables."""
        for fault in self.faults.values():
            on.say(str(fault))
        if seen := seen_before(Path(on.data), on.part.pairs):
            on.say(seen)
        train = on.manifest.of("train")
        judged = judge(self.methods, on.part.without(self.faults), on.split, Path(on.data), protocol, train)
        return replace(judged, takes=fingerprint(on.part))


def evaluate_runs(subjects: Sequence[str | Path], on: JudgedData, protocol: Protocol | None = None) -> Judgement:
    """All tables on one split of a data set, for runs' folders (or anything `load` takes) and files of embeddings.

    Several subjects stand side by side in the same tables. The rivals are those of the first one: on frozen ImageNet
    features of a run's backbone, or on a file's own features where it also holds training takes. A take that cannot be
    read is left out for all of them.

    >>> evaluate_runs(["no-such-run"], JudgedData("no-such-data"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-run: no such file or folder
    """
    return embed_runs(subjects, on).judge(on, protocol)


def embed_runs(subjects: Sequence[str | Path], on: JudgedData, rivals_too: bool = True) -> Judged:
    """What `evaluate_runs` judges: the rivals, if they are wanted, and every subject."""
    faults = dict[str, Fault]()
    rivals: list[Method] = []
    methods: list[Method] = []
    for subject in map(Path, subjects):
        with_rivals = rivals_too and not methods
        if subject.suffix in (".npz", ".safetensors") and subject.is_file():
            own, beside = _foreign_methods(subject, on, with_rivals)
        else:
            own, beside = _run_methods(subject, on, faults, with_rivals)
        taken = {method.name for method in methods}
        methods.append(replace(own, name=f"{own.name} ({subject})") if own.name in taken else own)
        rivals += beside
    return Judged((*rivals, *methods), faults)


def _run_methods(
    subject: Path, on: JudgedData, faults: dict[str, Fault], with_rivals: bool
) -> tuple[Method, list[Method]]:
    """A run's row, and its rivals'. Takes that cannot be read are added to `faults`."""
    network = load(subject)
    settings = recipe_of(subject)
    look = Look.of_network(network.config, on.look_rate)
    tested, trained = list(on.part.takes.values()), _training_takes(on.manifest)

    def phi(net: ActorObserverNet | None, takes: list[Take], look: Look, what: str) -> Embeddings:
        name = network.config.backbone
        found, broken = on.features(name, net.backbone if net else create_backbone(name), takes, look, what)
        faults.update(broken)
        return found

    own = phi(network, tested, look, "embedding the takes")
    usual = "model in the box" if subject.resolve() == BOX.resolve() else subject.name
    name = str(settings.get("name", usual))
    embedded, labels = embed_features(network, own), network.config.labels
    if labels and not set(on.manifest.classes) <= set(labels):
        on.say(f"note: {name} does not know all actions of these data: its names for them are not judged")
        embedded = _without(embedded, "scores")
    elif labels:
        embedded = _in_order(embedded, [labels.index(label) for label in on.manifest.classes])
    if settings.get("objective") == "classification":  # its selector has learned nothing
        embedded = _without(embedded, "weight", "weight_negative")
    method = Method(name, embedded, temporal=bool(network.config.context))
    if any(take.phases for take in tested) and trained:
        seen = phi(network, trained, look, "training takes, for their phases")
        method = replace(method, trained=embed_features(network, seen))
    if not with_rivals:
        return method, []
    as_it_was = bool(settings.get("frozen")) and settings.get("init") in ("imagenet", "random")
    frozen = own if as_it_was else phi(None, tested, look, "frozen features")
    slow = replace(look, look_rate=float(settings.get("look_rate", LEARN_RATE)))
    learn = phi(network if as_it_was else None, trained, slow, "training takes")
    return method, _rivals(frozen, learn, _training_pairs(on.manifest, learn), "frozen features")


def _foreign_methods(path: Path, on: JudgedData, with_rivals: bool) -> tuple[Method, list[Method]]:
    manifest = on.manifest
    embeddings = load_embeddings(path, manifest)
    tested = Embeddings({id: embeddings[id] for id in embeddings if id in manifest.of(on.split).takes})
    if not len(tested):
        raise UserError(f"{path}: none of its takes belongs to the {on.split} split")
    named = {take.scores.shape[1] for take in tested.values() if take.scores is not None}
    if named - {len(manifest.classes)}:
        many = " or ".join(map(str, sorted(named)))
        on.say(f"note: {path.name} scores {many} actions, these data name {len(manifest.classes)}: not judged")
        tested = _without(tested, "scores")
    learn = Embeddings({id: embeddings[id] for id in embeddings if id in manifest.of("train").takes})
    pairs = _training_pairs(manifest, learn)
    rivals = _rivals(tested, learn, pairs, path.stem)[1:] if pairs and with_rivals else []
    return Method(path.stem, tested, trained=learn), rivals


def _rivals(features: Embeddings, learn: Embeddings, pairs: Sequence[Pair], name: str) -> list[Method]:
    """The simple rivals on these features, those that learn fitted on the training takes."""
    rivals: dict[str, Rival] = {name: Raw()}
    if pairs:
        rivals |= {f"{name}, standardised": Standardised(), "clock": ClockRival(), "ridge map": RidgeMap()}
    plain = _without(features, "weight", "scores")
    methods = []
    for label, rival in rivals.items():
        embed = rival.fit(learn, pairs).embed
        methods.append(Method(label, plain.mapped(embed), label == "clock", learn.mapped(embed)))
    return methods


def _in_order(embeddings: Embeddings, columns: Sequence[int]) -> Embeddings:
    """With these class scores, in this order: a network may know its classes in another, and more of them."""
    return Embeddings(
        {
            id: take if take.scores is None else replace(take, scores=take.scores[:, columns])
            for id, take in embeddings.items()
        }
    )


def _without(embeddings: Embeddings, *names: str) -> Embeddings:
    nothing: dict[str, Any] = dict.fromkeys(names)
    return Embeddings({id: replace(take, **nothing) for id, take in embeddings.items()})


def _training_takes(manifest: Manifest) -> list[Take]:
    train = manifest.of("train")
    needed = {id for pair in train.pairs if pair.same_person for id in (pair.third, pair.first)}
    return [take for id, take in train.takes.items() if id in needed]


def _training_pairs(manifest: Manifest, learn: Embeddings) -> list[Pair]:
    pairs = manifest.of("train").pairs
    return [pair for pair in pairs if pair.same_person and pair.third in learn and pair.first in learn]
