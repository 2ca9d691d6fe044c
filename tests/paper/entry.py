"""The command with small pictures and few draws for its intervals, as a file that torchrun can start."""

import sys

from actor_observer.cli import main
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.pictures.figures.parts import save


def small(arguments: list[str]) -> None:
    save.DPI = 60
    every = Resampling.draws
    Resampling.draws = lambda self, rng, count: every(self, rng, min(count, 50))  # type: ignore[method-assign]
    main(arguments)


if __name__ == "__main__":
    small(sys.argv[1:])
