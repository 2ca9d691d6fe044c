"""Embeddings that know nothing stand at chance in every table, however many distances are equal."""

from dataclasses import replace

import numpy as np
import pytest

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.judge import Judgement, judge
from actor_observer.evaluation.measures.phases import kendalls_tau, measure_phases
from actor_observer.evaluation.measures.selector_truth import score_selector
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.features import Embeddings
from actor_observer.pairs import Action, Clock
from tiny_embeddings import Embed, embedded_pairs

PAIRS = 5


def judged(embed: Embed, pairs: int = PAIRS) -> Judgement:
    manifest, embeddings = embedded_pairs(pairs, embed, length=16.0, rate=2.0)
    late = [replace(pair, clock=Clock(((0.0, -4.0),))) for pair in manifest.pairs[:2]]  # these start four seconds late
    weighted = Embeddings({id: replace(one, weight=np.full(len(one.times), 0.7)) for id, one in embeddings.items()})
    manifest = replace(manifest, pairs=(*late, *manifest.pairs[2:]))
    return judge([Method("blind", weighted)], manifest, "test", protocol=Protocol(per_pair=30))


def cells(judgement: Judgement, table: str, row: str) -> list[float]:
    """The figures of a row; the columns that a row of chance leaves open are left out by `zip`."""
    found = judgement.tables[table].rows[row]
    return [getattr(cell, "value", cell) for cell in found if not isinstance(cell, str)]


@pytest.mark.parametrize("value", [0.1, 1e6])
def test_constant_embeddings_read_chance_exactly(value: float) -> None:
    """Before: R@1 of 100 %, a published alignment of 0.007 s and a best pair of 0.04 s."""
    found = judged(lambda view, n, times: np.full((len(times), 5), value))
    for how in ("published", "fair"):
        rows = found.tables[f"correspondence-{how}-same"].rows
        for name, row in rows.items():
            if name.startswith("blind"):
                kept = [cell for cell in row if isinstance(cell, Interval)]
                assert {cell.value for cell in kept} <= {0.5, 0.0}, name  # nothing above chance, and so nothing gained
    published = found.tables["alignment-published-same"].rows
    assert published["blind"][0].value == pytest.approx(published["uniform guess"][0], abs=1 / 2)
    guess, blind = (cells(found, "alignment-fair-same", row) for row in ("uniform guess", "blind"))
    median, mean, within, half, best, spread, by_chance, nearer = blind
    assert nearer < 0  # always the middle is better, and needs no looking
    assert (mean, within) == pytest.approx((guess[1], guess[2]))
    assert (median, best) == pytest.approx((guess[0], guess[4]), abs=1 / 2)
    assert half == median  # equal weights choose nothing
    assert by_chance is None  # nobody told any
    assert spread == pytest.approx(0.29, abs=0.03)
    np.testing.assert_allclose(cells(found, "retrieval", "blind"), cells(found, "retrieval", "chance"))


def test_a_constant_for_each_take_is_chance_within_it() -> None:
    rng = np.random.default_rng(1)
    found = judged(lambda view, n, times: np.tile(rng.normal(size=16), (len(times), 1)))
    assert found.tables["correspondence-fair-same"].rows["blind, by margin"][0].value == 0.5
    guess, blind = (cells(found, "alignment-fair-same", row) for row in ("uniform guess", "blind"))
    assert blind[1:3] == pytest.approx(guess[1:3])
    recall, chance = found.tables["retrieval"].rows["blind"], found.tables["retrieval"].rows["chance"]
    assert recall[0].value < 0.2 and chance[0] < 0.05  # one take of five is nearest, all its moments are tied


@pytest.mark.parametrize("levels", [2, 3])
def test_quantised_noise_stands_at_chance(levels: int) -> None:
    rng = np.random.default_rng(levels)
    found = judged(lambda view, n, times: rng.integers(0, levels, (len(times), 2)) / 10, pairs=16)
    fair = found.tables["correspondence-fair-same"].rows["blind, by margin"][0]
    assert fair.low < 0.5 < fair.high
    rows = found.tables["alignment-fair-same"].rows
    mean = rows["blind"][1]
    assert mean.low - 0.2 < rows["uniform guess"][1] < mean.high + 0.2
    recall, chance = found.tables["retrieval"].rows["blind"], found.tables["retrieval"].rows["chance"]
    for place in range(3):
        assert recall[place].value == pytest.approx(chance[place], rel=0.5)


def test_phases_of_constant_embeddings_are_chance() -> None:
    manifest, embeddings = embedded_pairs(4, lambda view, n, times: np.ones((len(times), 3)))
    halves = (Action("begin", 0.0, 15.0), Action("end", 15.0, 30.0))
    manifest = replace(manifest, takes={id: replace(one, phases=halves) for id, one in manifest.takes.items()})
    found = measure_phases(embeddings, embeddings, manifest)
    assert found.tau == pytest.approx(0.0, abs=1e-12)
    rng = np.random.default_rng(0)
    simulated = []
    for _ in range(4000):
        hits = rng.random(10) < 0.5
        precision = np.cumsum(hits) / np.arange(1, 11)
        simulated.append(precision[hits].mean() if hits.any() else 0.0)
    assert found.retrieval_third_to_first == pytest.approx(np.mean(simulated), abs=0.02)


def test_kendalls_tau_over_tied_neighbours_is_the_mean_over_them() -> None:
    """Frames 0 and 1 of the other take are the same: a neighbour is either, each half the time."""
    one, other = np.array([[0.0], [1.0]]), np.array([[0.0], [0.0], [1.0]])
    assert kendalls_tau(one, other, stride=1) == 1.0
    assert kendalls_tau(np.zeros((2, 1)), other, stride=1) == pytest.approx(0.0)


def test_equal_weights_show_hands_as_often_as_all_frames() -> None:
    """Before, the last frames of the last take counted as those of highest weight."""
    _, embeddings = embedded_pairs(3, lambda view, n, times: times[:, None])
    weighted = Embeddings({id: replace(one, weight=np.ones(len(one.times))) for id, one in embeddings.items()})

    class HandsAtTheEnd:
        def at(self, take: str, times: np.ndarray, name: str) -> np.ndarray:
            return times > 20

    found = score_selector(weighted, HandsAtTheEnd(), weighted, "first")  # type: ignore[arg-type]
    assert found is not None
    assert found.hands_high == found.hands_low == pytest.approx(found.hands_all)
    assert found.auc.value == 0.5
