"""Whether homes can be drawn on this machine, for tests that need it."""

from __future__ import annotations

from functools import cache

import pytest

from actor_observer.errors import UserError
from actor_observer.playhouse.filming.render import check_drawing

__all__ = ["needs_drawing"]


@cache
def _fault() -> str:
    try:
        check_drawing()
    except UserError as error:
        return str(error)
    return ""


needs_drawing = pytest.mark.skipif(bool(_fault()), reason=f"no drawing here: {_fault()}")
