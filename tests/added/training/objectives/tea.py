"""An objective for the test of extending: the contrast by another name."""

from __future__ import annotations

from actor_observer.training.objectives.contrast import Contrast


class Tea(Contrast):
    """The contrast, with a cup of tea."""
