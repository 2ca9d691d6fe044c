"""All tables of some methods on one split, in one pass over their embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import sealed_json
from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.markers import Markers, read_markers
from actor_observer.evaluation.tables.alignment_tables import fair_alignment, published_alignment
from actor_observer.evaluation.tables.correspondence_tables import fair_correspondence, published_correspondence
from actor_observer.evaluation.tables.layout import Figures, as_latex, as_markdown
from actor_observer.evaluation.tables.phase_tables import phase_table
from actor_observer.evaluation.tables.recognition_tables import recognition_table
from actor_observer.evaluation.tables.retrieval_tables import retrieval_table
from actor_observer.evaluation.tables.selector_tables import selector_table
from actor_observer.pairs.manifest import Manifest, Pair

__all__ = ["Judgement", "fingerprint", "judge"]


@dataclass(frozen=True)
class Judgement:
    """The tables, by key, and what they are based on."""

    tables: dict[str, Figures]
    protocol: Protocol
    split: str
    exact: bool  # whether the fair tables use exact clocks
    takes: str = ""  # a fingerprint of the takes that were judged
    markers: Markers | None = None  # who has a row beside the methods

    def to_dict(self) -> dict[str, Any]:
        """What was judged and how, and every table under its key."""
        return {
            "split": self.split,
            "exact_clock": self.exact,
            "takes": self.takes,
            "markers": self.markers.to_dict() if self.markers else None,
            "protocol": asdict(self.protocol),
            "tables": {key: table.to_dict() for key, table in self.tables.items()},
        }

    def write(self, folder: Path) -> None:
        """`tables.json`, `tables.md` and `tables.tex`."""
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "tables.json", sealed_json(self.to_dict(), indent=2))
        (folder / "tables.md").write_text("\n\n".join(map(as_markdown, self.tables.values())) + "\n")
        (folder / "tables.tex").write_text("\n\n".join(map(as_latex, self.tables.values())) + "\n")


def judge(
    methods: Sequence[Method],
    manifest: Manifest,
    split: str,
    data: Path | None = None,
    protocol: Protocol | None = None,
    train: Manifest | None = None,
) -> Judgement:
    """Every table that the data allows, for the pairs of `manifest`, which holds one split.

    The truth next to `data`, if there is any, gives exact clocks to the fair tables and judges the selector; the
    people who marked it (`agreement.json`) get a row of their own. `train` knows the phases of the training takes, for
    measures that fit a model to each method's `trained` embeddings.
    """
    truth = find_truth(data) if data else None
    markers = read_markers(data) if data else None
    protocol = protocol or Protocol()
    if not methods or not manifest.pairs:
        raise UserError(f"nothing to judge: {len(methods)} methods, {len(manifest.pairs)} pairs in the {split} split")
    tables: list[Figures | None] = []
    exact_somewhere = False
    for who, same in (("same person", True), ("different persons", False)):
        known = tuple(pair for pair in manifest.pairs if pair.same_person is same and _known(pair, methods))
        if not known:
            continue
        exact = truth.exact(known) if truth else ()
        exact_somewhere |= bool(exact)
        fair = exact or known
        tables += [
            published_correspondence(methods, manifest, known, protocol, who),
            fair_correspondence(methods, manifest, fair, protocol, who),
            published_alignment(methods, known, protocol, who),
            fair_alignment(methods, fair, protocol, who, markers if same else None),
        ]
        if same:
            tables.append(retrieval_table(methods, fair, protocol))
    tables.append(recognition_table(methods, manifest))
    tables.append(phase_table(methods, manifest, train))
    tables.append(selector_table(methods, manifest, truth) if truth else None)
    found = {table.key: table for table in tables if table}
    return Judgement(found, protocol, split, exact_somewhere, fingerprint(manifest), markers)


def fingerprint(manifest: Manifest) -> str:
    """A hash of which takes and pairs were judged, wherever their files are.

    >>> fingerprint(Manifest({}))
    'cae66941d9efbd404e4d88758ea67670'
    """
    takes = [f"take {take.id} {take.view} {take.length:.3f}" for take in manifest.takes.values()]
    pairs = [f"pair {pair.third} {pair.first} {pair.clock}" for pair in manifest.pairs]
    text = "\n".join(sorted([*takes, *pairs]))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _known(pair: Pair, methods: Sequence[Method]) -> bool:
    """Whether every method has embedded both takes of a pair."""
    return all(id in method.embeddings for method in methods for id in (pair.third, pair.first))
