"""Notes of ours as JSON whose first entry is the sum of all that follows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from actor_observer.disk.sums import DIGITS, sum_of

__all__ = ["is_sealed_json", "read_json", "read_sealed_json", "sealed_json"]

_START = b'{"sum":"'
_END = len(_START) + DIGITS


def sealed_json(told: Mapping[str, Any], indent: int | None = None) -> bytes:
    """A note as the content of a file.

    >>> sealed_json({"rows": 3})
    b'{"sum":"af27f0f4b4c37212","rows": 3}'
    """
    rest = ('",' + json.dumps(dict(told), indent=indent, ensure_ascii=False)[1:] + ("\n" if indent else "")).encode()
    return _START + sum_of(rest).encode() + rest


def read_sealed_json(content: bytes) -> dict[str, Any]:
    """What a note says; `ValueError` where it is not as it was written.

    >>> read_sealed_json(sealed_json({"rows": 3}))
    {'rows': 3}
    >>> read_sealed_json(sealed_json({"rows": 3}).replace(b"3}", b"4}"))
    Traceback (most recent call last):
    ValueError: not as it was written
    """
    if not content.startswith(_START) or content[len(_START) : _END] != sum_of(content[_END:]).encode():
        raise ValueError("not as it was written")
    told = json.loads(content)
    del told["sum"]
    return dict(told)


def read_json(content: bytes) -> Any:
    """What a file says that may have been written before there were sums, or by somebody else.

    >>> read_json(b'{"rows": 3}'), read_json(sealed_json({"rows": 3}))
    ({'rows': 3}, {'rows': 3})
    """
    return read_sealed_json(content) if is_sealed_json(content) else json.loads(content)


def is_sealed_json(content: bytes) -> bool:
    """Whether a note begins as ours do, whole or not.

    >>> is_sealed_json(sealed_json({})), is_sealed_json(b'{"rows": 3}')
    (True, False)
    """
    return content.startswith(_START[:4])
