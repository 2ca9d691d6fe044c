"""An audit on a terminal: what all takes share, then the findings, worst first."""

from __future__ import annotations

from rich.table import Table

from actor_observer.auditing.audit import Audit
from actor_observer.console import printable

__all__ = ["delay_table", "finding_table"]

MOST = 30  # findings on the screen; the files have all


def delay_table(found: Audit) -> Table:
    """The usual delay of every two recordings.

    >>> delay_table(Audit("DATA", (), {}, ())).row_count
    0
    """
    table = Table(box=None, pad_edge=False)
    table.add_column("recordings")
    for name in ("usual delay (s)", "± (95 %)", "takes"):
        table.add_column(name, justify="right")
    for (one, other), usual in found.usuals.items():
        cells = f"{usual.delay:+z.4f}", f"{usual.error:.4f}", str(usual.takes)
        table.add_row(printable(f"{one} after {other}"), *cells)
    return table


def finding_table(found: Audit) -> Table:
    """The worst findings.

    >>> finding_table(Audit("DATA", (), {}, ())).row_count
    0
    """
    table = Table(box=None, pad_edge=False)
    for name in ("", "take", "what", "finding"):
        table.add_column(name, overflow="fold")
    colours = {"wrong": "red", "check": "yellow", "note": "dim"}
    for one in found.findings[:MOST]:
        cells = (one.severity, one.take or "all takes", one.kind, one.text)
        table.add_row(*map(printable, cells), style=colours[one.severity] if one.severity == "note" else None)
    return table
