import json
from pathlib import Path

from actor_observer.pairs import read_manifest
from actor_observer.sampling import take_census
from tiny import write_charades_ego


def test_counts_of_a_small_charades_ego(tmp_path: Path) -> None:
    folder = write_charades_ego(tmp_path, train=6, test=2, seconds=13, fps=2)
    census = take_census(read_manifest(folder))
    total, by_split = census.total, {count.split: count for count in census.splits}
    assert (total.takes_third, total.takes_first) == (16, 8)  # 8 pairs, and 8 takes by Charades' actors
    assert (total.pairs_same_person, total.pairs_different_persons) == (8, 8)
    assert total.mean_length == 13.0 and total.hours == round(24 * 13 / 3600, 3)
    assert total.quads == 16 * 3  # 13 moments, Δ' = 10 s: (0, 11), (0, 12), (1, 12)
    assert total.triplets == 16 * 6  # the first and the last three seconds
    assert by_split["validation"].pairs_same_person == 1
    assert by_split["test"].subjects == 4
    assert sum(count.pairs_same_person for count in census.splits) == 8
    assert [count.name for count in census.classes][:2] == ["take a cup", "put a cup"]
    assert sum(count.segments for count in census.classes) == 8 * 2 + 8 + 8 * 2
    assert census.faults == ()
    assert json.loads(json.dumps(census.to_dict()))["pairs"] == 16
