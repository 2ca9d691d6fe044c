"""Text that people typed, as a cell of a CSV file that somebody will open in a spreadsheet."""

from __future__ import annotations

from actor_observer.alignment.labels.label_csv import plain

__all__ = ["plain"]
