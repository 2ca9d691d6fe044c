"""The part of a data set that a run learns from and is validated on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from actor_observer.console import counted
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Fault, Manifest, Pair, Take
from actor_observer.sampling.labelled import Tie, apart_from
from actor_observer.training.objectives import OBJECTIVES
from actor_observer.training.planning.recipes import People, Recipe

__all__ = ["Material", "choose_material"]


@dataclass(frozen=True)
class Material:
    """Training and validation pairs, labelled takes, and a number for each take."""

    train: Manifest
    pairs: tuple[Pair, ...]  # training pairs
    labelled: tuple[Take, ...]  # training takes whose labels are used
    validation: Manifest
    validation_pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def takes(self) -> tuple[Take, ...]:
        """Every take that is trained on, in the order of its number."""
        ids = [id for pair in self.pairs for id in (pair.third, pair.first)] + [take.id for take in self.labelled]
        return tuple(self.train.takes[id] for id in dict.fromkeys(ids))

    @cached_property
    def validation_takes(self) -> tuple[Take, ...]:
        """Every take that validation looks at."""
        ids = [id for pair in self.validation_pairs for id in (pair.third, pair.first)]
        if not self.pairs:  # labels alone are learned
            ids += [take.id for take in self.validation.labelled()]
        return tuple(self.validation.takes[id] for id in dict.fromkeys(ids))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The classes that a classifier learns, in order; none if no labelled take is used."""
        return tuple(self.train.classes) if self.labelled else ()

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The names of the classes, if the data gives any besides the labels themselves."""
        names = tuple(self.train.classes[label] for label in self.labels)
        return names if names != self.labels else ()


def choose_material(recipe: Recipe, manifest: Manifest) -> Material:
    """The pairs and the labelled takes that a recipe asks for.

    >>> choose_material(Recipe(), Manifest({}))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no training pairs of the same person in the data (see: actor-observer inspect)
    """
    train, validation = manifest.of("train"), manifest.of("validation")
    notes: list[str] = []
    pairs, validation_pairs = _of_people(train.pairs, recipe.people), _of_people(validation.pairs, recipe.people)
    labelled: list[Take] = []
    objective = OBJECTIVES[recipe.objective]
    if objective.learns_from == "labels":
        labelled, left_out = apart_from(train, pairs, recipe.labelled_apart)
        pairs = validation_pairs = ()
        if not labelled:
            raise UserError("no labelled third-person takes to train on in the data (see: actor-observer inspect)")
        notes += _about_labels(labelled, left_out.total(), recipe.labelled_apart) if left_out else []
    elif not pairs:
        who = {"same": " of the same person", "different": " of different persons", "all": ""}[recipe.people]
        raise UserError(f"no training pairs{who} in the data (see: actor-observer inspect)")
    elif recipe.labelled_share > 0:
        labelled, left_out = apart_from(train, pairs, recipe.labelled_apart)
        notes += _about_labels(labelled, left_out.total(), recipe.labelled_apart)
    unused = 0 if objective.learns_from == "labels" else len(train.pairs) - len(pairs)
    notes += _about_the_rest(unused, manifest.faults, recipe.people)
    return Material(train, pairs, tuple(labelled), validation, validation_pairs, tuple(notes))


def _about_the_rest(unused: int, faults: Sequence[Fault], people: People) -> list[str]:
    """Lines on what the data has and the run does not use."""
    notes = []
    if unused:
        who = "different persons" if people == "same" else "the same person"
        notes.append(f"{counted(unused, 'training pair')} of {who} not used (people={people})")
    if lost := [fault for fault in faults if fault.left_out]:
        notes.append(f"{len(lost)} left out of the data, e.g. {lost[0]} (see: actor-observer inspect)")
    return notes


def _of_people(pairs: Sequence[Pair], people: People) -> tuple[Pair, ...]:
    if people == "all":
        return tuple(pairs)
    return tuple(pair for pair in pairs if pair.same_person == (people == "same"))


def _about_labels(labelled: list[Take], left_out: int, apart: Sequence[Tie]) -> list[str]:
    ties = " or ".join(apart).replace("subject", "person")
    if labelled:
        also = f"; {left_out} left out, which share a {ties} with the pairs" if left_out else ""
        return [f"{len(labelled)} labelled takes{also}"]
    if left_out:
        return [
            f"no classifier: all {left_out} labelled takes share a {ties} with the training pairs "
            "(--set labelled_apart= takes them all the same)"
        ]
    return ["no classifier: the data has no labelled third-person takes to train on"]
