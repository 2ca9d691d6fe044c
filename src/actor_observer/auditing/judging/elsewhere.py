"""Which take does a camera show? Takes whose recordings are not in step are compared with each other's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from actor_observer.alignment.compare import Comparer
from actor_observer.auditing.judging.finding import Finding
from actor_observer.auditing.judging.offsets import MOST, Line
from actor_observer.auditing.measuring.events import Event
from actor_observer.auditing.measuring.measure import opened

__all__ = ["other_takes"]

MOST_SUSPECTS = (
    40  # takes that are compared with each other: a data set of which more are not in step has other worries
)


def other_takes(
    lines: Sequence[Line],
    events: Mapping[str, Event],
    leave: frozenset[str] = frozenset(),  # takes whose trouble is known
    each: Callable[[], object] = lambda: None,
) -> Iterator[Finding]:
    """Cameras that are in step with another take's, and not with their own's."""
    couples = sorted({(two["one"], two["other"]) for line in lines for two in line["offsets"]})
    for one, other in couples:
        both = {
            line["id"]: two["verdict"]
            for line in lines
            for two in line["offsets"]
            if (two["one"], two["other"]) == (one, other)
        }
        suspects = [id for id, verdict in both.items() if verdict != "in step" and id not in leave and id in events]
        if not 2 <= len(suspects) <= MOST_SUSPECTS or len(suspects) > (1 - MOST) * len(both):
            continue
        yield from _among([events[id] for id in suspects], one, other, each)


def _among(suspects: Sequence[Event], one: str, other: str, each: Callable[[], object]) -> Iterator[Finding]:
    """Every suspect's first camera against every other suspect's second."""
    comparer = Comparer()
    found = {event.id: opened(event)[0] for event in suspects}
    for event in suspects:
        for rival in suspects:
            if rival is event or one not in found[event.id] or other not in found[rival.id]:
                continue
            each()
            told = comparer.compare(found[event.id][one], found[rival.id][other])
            if told.verdict == "in step":
                text = f"{one} shows what {other} of {rival.id} shows, and is not in step with its own {other}"
                yield Finding(event.id, "another take", "wrong", text, (one, other), takes=(rival.id,))
                break
