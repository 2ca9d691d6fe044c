"""Whether homes can be drawn on this machine, for tests that need it."""

from __future__ import annotations

from functools import cache

import pytest

from actor_observer.errors import UserError
from actor_observer.playhouse.filming.render import check_drawing

__all__ = ["needs_drawing"]


@cache
def _can_draw() -> bool:
    try:
        check_drawing()
    except UserError:
        return False
    return True


needs_drawing = pytest.mark.skipif(not _can_draw(), reason="nothing can be drawn here")
