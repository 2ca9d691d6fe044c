"""Answers about one's own videos: align, search, recognise, select."""

from actor_observer.moments.see import open_take, see

__all__ = ["open_take", "see"]
