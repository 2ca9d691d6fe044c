"""What other commands were not sure of, for people to decide: partners that `pair` found, findings of `audit`.

Both are read where the data lies: `pairing.json`, what `pair --json` printed, and `audit.json`. A doubtful partner is
shown as a pair, tagged *doubtful*; a pair that an audit found something about is tagged *audit*. Accepted, a doubtful
pair goes into the exported `pairs.csv` with its clock; until then it is not in it, and what is left out never is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest, Pair

__all__ = ["AUDIT", "DOUBTFUL", "Doubts", "read_doubts"]

PAIRING_FILE, AUDIT_FILE = "pairing.json", "audit.json"
DOUBTFUL, AUDIT = "doubtful", "audit"  # tags
LARGEST = 64 << 20  # bytes of such a file
MOST, TEXT = 20, 300  # findings of one pair, characters of one


@dataclass(frozen=True)
class Doubts:
    """Pairs that nobody is sure of yet, and what an audit says of pairs."""

    pairs: tuple[Pair, ...] = ()
    findings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by pair

    def beside(self, tags: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """People's tags, with those of the pairs that there are doubts about.

        >>> Doubts((Pair("a-b", "a", "b", Clock(((0.0, 1.0),))),), {"cup": ("late",)}).beside({"cup": ("dark",)})
        {'cup': ('audit', 'dark'), 'a-b': ('doubtful',)}
        """
        found = dict(tags)
        for name, ids in ((AUDIT, [*self.findings]), (DOUBTFUL, [pair.id for pair in self.pairs])):
            for id in ids:
                found[id] = (name, *found.get(id, ()))
        return found


def read_doubts(home: Path, manifest: Manifest) -> Doubts:
    """The doubts about a data set; a file that is not there, or not of the right shape, says nothing."""
    pairs = tuple(_pairs(_rows(home / PAIRING_FILE, "doubtful"), home, manifest))
    return Doubts(pairs, _findings(_rows(home / AUDIT_FILE, "findings"), (*manifest.pairs, *pairs), manifest))


def _rows(path: Path, name: str) -> list[dict[str, Any]]:
    try:
        if path.stat().st_size > LARGEST:
            return []
        found = json.loads(path.read_bytes())[name]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _pairs(rows: list[dict[str, Any]], home: Path, manifest: Manifest) -> list[Pair]:
    """Doubtful partners whose recordings the data set names and has no pair of yet."""
    at = {take.path.resolve(): take for take in manifest.takes.values()}
    known = {(pair.third, pair.first) for pair in manifest.pairs}
    ids = {pair.id for pair in manifest.pairs}
    found = []
    for row in rows:
        try:
            third, first = (at.get((home / str(row[view])).resolve()) for view in ("third", "first"))
            clock = Clock.parse(str(row["clock"]))
        except (KeyError, ValueError, OSError):
            continue
        if third is None or first is None or (third.id, first.id) in known or third.view == first.view:
            continue
        id = f"{third.id}-{first.id}"
        if id not in ids:
            ids.add(id)
            found.append(Pair(id, third.id, first.id, clock))
    return found


def _findings(rows: list[dict[str, Any]], pairs: tuple[Pair, ...], manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """What an audit is sure of or wants to be looked at, by the pairs that it is about."""
    by_name: dict[str, list[str]] = {}
    for pair in pairs:
        takes = [manifest.takes[id] for id in (pair.third, pair.first)]
        for name in {pair.id, *(take.id for take in takes), *(take.event for take in takes)} - {""}:
            by_name.setdefault(name, []).append(pair.id)
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        if row.get("severity") not in ("wrong", "check"):
            continue
        for id in by_name.get(str(row.get("take", "")), ()):
            found[id] = (*found.get(id, ()), f"audit: {str(row.get('text', ''))[:TEXT]}")[:MOST]
    return found
