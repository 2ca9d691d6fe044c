"""What `--help` says of an argument."""

from __future__ import annotations

from typing import Any

import tyro

__all__ = ["arg"]


def arg(**given: Any) -> Any:
    """Tyro's `arg`; a default is told where there is something to tell."""
    return tyro.conf.arg(**{"help_behavior_hint": _default} | given)


def _default(value: str) -> str:
    """What `--help` says of a default.

    >>> _default("6.0"), _default("None"), _default("False"), _default("")
    ('(default: 6.0)', '', '', '')
    """
    return f"(default: {value})" if value not in ("None", "False", "", "()") else ""
