"""Moments of pairs: the time both takes show, and many pairs at no great cost."""

import time
from pathlib import Path

import numpy as np

from actor_observer.pairs import Clock, Manifest, Pair, Take
from actor_observer.sampling.pair_moments import MomentSource


def manifest_of(count: int) -> Manifest:
    takes, pairs = {}, []
    for number in range(count):
        for view in ("third", "first"):
            takes[f"{number}.{view}"] = Take(f"{number}.{view}", view, Path("v"), 20.0)  # type: ignore[arg-type]
        clock = Clock(((0.0, 50.0 if number % 10 == 9 else 0.0),))  # every tenth pair never meets
        pairs.append(Pair(str(number), f"{number}.third", f"{number}.first", clock))
    return Manifest(takes, tuple(pairs))


def test_pairs_that_never_meet_are_skipped_with_the_reason() -> None:
    manifest = manifest_of(20)
    source = MomentSource(manifest, manifest.pairs, moments=4)
    assert len(source.pairs) == 18
    assert source.skipped == {"9": "its takes have no time in common", "19": "its takes have no time in common"}
    drawn = source.draw(np.arange(18), np.random.default_rng(0))
    assert (drawn.third >= 0).all() and (drawn.third <= 20).all()


def test_twice_the_pairs_take_about_twice_the_time() -> None:
    """It was quadratic: 3.5 s for 3000 pairs."""
    seconds = []
    for count in (1500, 6000):
        manifest = manifest_of(count)
        start = time.process_time()
        MomentSource(manifest, manifest.pairs, moments=4)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 9 * seconds[0]  # four times as many pairs; quadratic would be sixteen times


def test_moments_that_one_take_shows_alone_have_no_counterpart_and_the_others_do() -> None:
    takes = {id: Take(id, view, Path(id), 30.0) for id, view in (("t", "third"), ("f", "first"))}  # type: ignore[arg-type]
    clock = Clock.parse("5:2;10:6|14:20;18:24")
    manifest = Manifest(takes, (Pair("p", "t", "f", clock),))
    drawn = MomentSource(manifest, manifest.pairs, moments=8, batch=50, alone=3).draw(
        np.arange(50), np.random.default_rng(0)
    )
    for times, known in ((drawn.third, clock.in_both), (drawn.first, clock.first_in_both)):
        assert known(times[:, :5]).all() and not known(times[:, 5:]).any()
        assert (times >= 0).all() and (times <= 30).all()
        assert len({int(time) for time in times[:, 5:].ravel()}) > 15, "they come from everywhere"
    whole = MomentSource(manifest, manifest.pairs, moments=8, batch=50).draw(np.arange(50), np.random.default_rng(0))
    assert clock.in_both(whole.third).all()
