"""Verdicts as they are used: what is counted, and that every stranger has a turn."""

import numpy as np
import pytest

import known_cuts
from actor_observer.frames.motion import Motion
from motion_set import Event, EventTake
from verdicts import Told, false_of, reliability, said_table, shared_table, told_in_words


def told(event: int, verdict: str, matched: bool = False, clock: float = 0.5, shared: float = 0.9) -> Told:
    return Told(event, matched, shared, 0.1 if matched else np.inf, verdict, clock, clock)


def test_false_in_step_is_counted_of_strangers_alone_and_over_events() -> None:
    some = [told(event, "cannot tell") for event in range(16) for _ in range(10)]
    some += [told(event, "in step", matched=True) for event in range(16)]
    none = false_of(some)
    assert none.value == 0 and none.high > 0.15  # sixteen recordings are not 160 independent ones
    assert false_of([*some, told(3, "in step")]).value == pytest.approx(1 / 161)


def test_tables_count_by_what_is_shared_and_by_what_was_said() -> None:
    some = [told(0, "in step", True, 0.95, 0.3), told(1, "cannot tell", True, 0.4), told(0, "cannot tell", clock=0.4)]
    rows = shared_table({"a": some}).split("\n")[2:]
    assert [row.split("|")[1:3] for row in rows] == [[" a, 20 to 40 % ", " 1 "], [" a, 80 to 100 % ", " 1 "]]
    assert "1 of 1" in rows[0] and "0 of 0" in rows[1]
    # half of what is compared belongs together: one stranger stands for two
    assert str(reliability([(0.4, True, 1.0), (0.4, False, 2.0)], 0.3, 0.5)) == "0.40 (2, 1) | 0.33"
    assert "0.40 (2, 1) | 0.33" in said_table({"a": some})
    assert told_in_words(some) == "said 0.40, was so 0.33; 0.95, 1.00"


def test_every_other_event_is_a_stranger_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(id: str, view: str) -> EventTake:
        times = np.arange(0, 20, 0.1)
        return EventTake(
            id,
            view,
            "",
            0.0,
            1.0,
            Motion(times, np.zeros((200, 9), np.float32), np.zeros((200, 6, 48), np.float16), 20.0),
        )

    monkeypatch.setattr(known_cuts, "clip_of", lambda film, start, end: film.take.id)
    monkeypatch.setattr(known_cuts, "_cut", lambda number, films, cut, truth: (films[1].take.id, truth))
    events = [
        Event(str(n), "test", "home", 1, (take(f"room{n}", "third"), take(f"head{n}", "first"))) for n in range(4)
    ]
    found = [*known_cuts.pairs_of(known_cuts.filmed(events), ("third", "first"), 1, 0, strangers=50)]
    assert len(found) == 16
    for n in range(4):
        own, *others = found[4 * n : 4 * n + 4]
        assert own[0] == f"head{n}" and own[1] is not None
        assert sorted(id for id, _ in others) == [f"head{m}" for m in range(4) if m != n]
