"""What a step asks for: fixed by its number, cut the same way for ranks and parts, labelled frames mixed in."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.pairs import Clock, Fault, read_manifest
from actor_observer.training import Recipe
from actor_observer.training.objectives.samples import Asked
from actor_observer.training.planning.material import Material, choose_material
from actor_observer.training.planning.plan import Planner, skipped_pairs
from actor_observer.training.planning.ranks import Ranks
from training.small import paper, quick


def material(recipe: Recipe, data: Path) -> Material:
    return choose_material(recipe, read_manifest(data))


def planner(recipe: Recipe, data: Path, rank: int = 0, ranks: int = 1) -> Planner:
    chosen = material(recipe, data)
    return Planner(recipe, chosen, Ranks(rank, ranks), np.full(len(chosen.takes), 4 / 3))


def same(a: Asked, b: Asked) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("take", "time", "mark"))


@pytest.mark.parametrize("make", [quick, paper])
def test_a_step_is_fixed_by_its_number_alone(make, data: Path) -> None:
    first, second = planner(make(), data), planner(make(), data)
    plans = [first.plan(number)[0] for number in range(first.steps)]
    for number in reversed(range(second.steps)):  # in any order
        plan = second.plan(number)[0]
        assert same(plan.paired, plans[number].paired) and same(plan.labelled, plans[number].labelled)
        assert plan.draws is not None
        np.testing.assert_array_equal(plan.draws[0].boxes, plans[number].draws[0].boxes)
    assert not same(plans[0].paired, plans[first.steps_per_epoch].paired)  # another epoch, other frames
    assert not same(plans[0].paired, planner(make("seed=1"), data).plan(0)[0].paired)


@pytest.mark.parametrize("make", [quick, paper])
def test_ranks_and_parts_share_out_the_same_batch_in_order(make, data: Path) -> None:
    whole = planner(make(), data).plan(1)[0]
    parts = [planner(make("accumulate=2"), data, rank, 2).plan(1) for rank in range(2)]
    in_order = [parts[rank][part] for part in range(2) for rank in range(2)]
    for kind in ("paired", "labelled"):
        for column in ("take", "time", "mark"):
            joined = np.concatenate([getattr(getattr(part, kind), column) for part in in_order])
            np.testing.assert_array_equal(joined, getattr(getattr(whole, kind), column))
    joined = np.concatenate([part.draws[0].boxes for part in in_order])
    np.testing.assert_array_equal(joined, whole.draws[0].boxes)


def test_a_batch_that_cannot_be_shared_out_is_one_line(data: Path) -> None:
    with pytest.raises(UserError, match="cannot be split evenly into 1 parts on 3 processes"):
        planner(paper(), data, 0, 3)


def test_triplets_and_labelled_frames_come_in_the_share_asked_for(data: Path) -> None:
    planned = planner(paper(), data)
    plan = planned.plan(0)[0]
    assert (len(plan.paired), len(plan.labelled)) == (4, 4)
    takes = planned.material.takes
    assert {takes[take].view for take in plan.labelled.take.ravel()} == {"third"}
    assert [[takes[take].view for take in row] for row in plan.paired.take] == [["third", "first", "first"]] * 4
    alone = planner(paper("labelled_share=0"), data).plan(0)[0]
    assert (len(alone.paired), len(alone.labelled)) == (8, 0)


def test_moments_of_a_pair_correspond(data: Path) -> None:
    planned = planner(quick("near=0.25"), data)
    plan = planned.plan(0)[0]
    pairs = planned.material.pairs
    assert planned.objective.views == ("third",) * 6 + ("first",) * 6
    for row in range(len(plan.paired)):
        clock = pairs[plan.paired.mark[row]].clock
        third, first = plan.paired.time[row, :6], clock.to_third(plan.paired.time[row, 6:])
        assert (np.abs(third - first) <= 0.25 + 1e-9).all()
        assert (np.diff(third) > 0).all()  # a moment in each stretch


def test_labelled_takes_can_be_kept_apart_from_the_pairs(data: Path) -> None:
    together, apart = material(quick(), data), material(quick("labelled_apart=clip,subject,script"), data)
    assert together.labelled and together.labels
    assert together.label_names[:2] == ("take a cup", "put a cup")
    used = {id for pair in apart.pairs for id in (pair.third, pair.first)}
    assert not used & {take.id for take in apart.labelled}
    assert not apart.labelled and not apart.labels  # here every clip shares its script with a pair
    assert "no classifier" in apart.notes[0]
    by_clip = material(quick("labelled_apart=clip"), data)
    assert by_clip.labelled and not used & {take.id for take in by_clip.labelled}


def test_a_few_pairs_fill_a_batch_by_coming_again(data: Path) -> None:
    planned = planner(quick("batch=40", "labelled_share=0"), data)
    assert planned.steps_per_epoch == 1
    assert len(planned.plan(0)[0].paired) == 40


def test_validation_people_are_never_trained_on(data: Path) -> None:
    chosen = material(quick(), data)
    trained = {take.subject for take in chosen.takes}
    assert chosen.validation_takes
    assert not trained & {take.subject for take in chosen.validation_takes}


def test_pairs_that_nothing_can_be_drawn_from_are_named(data: Path) -> None:
    manifest = read_manifest(data)
    chosen = choose_material(paper(), manifest)
    short = chosen.pairs[0]
    takes = {**manifest.takes, short.first: replace(manifest.takes[short.first], length=0.5)}
    clocked = tuple(
        replace(pair, clock=Clock(((0.0, 0.0),))) if pair.id == short.id else pair for pair in manifest.pairs
    )
    cut = choose_material(paper(), replace(manifest, takes=takes, pairs=clocked))
    line = skipped_pairs(Planner(paper("batch=4"), cut, Ranks()))
    assert line == [
        f"1 of {len(cut.pairs)} training pairs are not used: {short.id}: its 0.5 s in common are not longer than 10.0 s"
    ]
    with pytest.raises(UserError, match=r"no sample can be drawn from any training pair: .* 13.0 s in .* more \("):
        Planner(paper("far=60"), chosen, Ranks())


def test_what_the_data_has_and_the_run_does_not_use_is_said(data: Path) -> None:
    manifest = read_manifest(data)
    lost = Fault("videos/x.mp4", "no such file", left_out=True)
    notes = choose_material(quick(), replace(manifest, faults=(lost,))).notes
    different = sum(not pair.same_person for pair in manifest.of("train").pairs)
    assert f"{different} training pairs of different persons not used (people=same)" in notes
    assert "1 left out of the data, e.g. videos/x.mp4: no such file (left out) (see: actor-observer inspect)" in notes
    assert not any("people=" in note for note in choose_material(quick("people=all"), manifest).notes)
