"""A table for the test of extending: how many takes each method has."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.tables.layout import Figures


def take_table(methods: Sequence[Method]) -> Figures:
    return Figures("takes", "Takes", ("takes",), {method.label: (len(method.embeddings),) for method in methods})
