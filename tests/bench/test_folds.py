"""Folds by person: nobody is on both sides, every pair is judged once, and a row is pooled over all folds."""

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.evaluate import Judged
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import Fault, read_manifest
from actor_observer.playhouse import MINI
from folds import all_tested, folds_by_person, pooled


def test_every_pair_of_one_person_is_tested_once_and_nobody_is_on_both_sides() -> None:
    manifest = read_manifest(MINI)
    folds = folds_by_person(manifest, 4)
    tested = [pair.id for fold in folds for pair in fold.of("test").pairs]
    assert sorted(tested) == sorted(pair.id for pair in manifest.pairs if pair.same_person)
    for fold in folds:
        people = [{take.subject for take in fold.of(split).takes.values()} for split in ("train", "test")]
        assert people[0] and people[1] and not people[0] & people[1]
        assert not fold.of("validation").pairs
    assert [pair.id for pair in all_tested(folds).of("test").pairs] == tested


@pytest.mark.parametrize("count", [1, 1000])
def test_a_count_that_cannot_be_is_one_clear_line(count: int) -> None:
    with pytest.raises(UserError, match=f"{count} folds by person: there are .* people"):
        folds_by_person(read_manifest(MINI), count)


def test_a_row_has_the_takes_of_all_folds() -> None:
    def judged(id: str) -> Judged:
        own = Embeddings({id: TakeEmbedding("third", np.arange(2.0), np.ones((2, 1)))})
        return Judged((Method("mine", own, temporal=True),), {f"no {id}": Fault(id, "cut short", left_out=True)})

    found = pooled([judged("a"), judged("b")])
    assert [(method.name, sorted(method.embeddings), method.temporal) for method in found.methods] == [
        ("mine", ["a", "b"], True)
    ]
    assert set(found.faults) == {"no a", "no b"}
