"""A verb for the test of extending."""

from __future__ import annotations

from actor_observer.console import say


def hello() -> None:
    """Say hello."""
    say("hello")
