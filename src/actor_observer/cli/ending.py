"""How the command ends when it cannot go on: one line, and a code for scripts."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["end"]


def end(message: str, code: int) -> NoReturn:
    """Say one line on stderr and stop."""
    print(f"actor-observer: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
