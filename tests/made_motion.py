"""Made-up motion of two cameras on one event: the numbers that `frames.motion` would measure, without any video."""

import numpy as np

from actor_observer.alignment.recordings.recording import Recording
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import CELLS, COLUMNS, GRID, ROWS, WHOLE
from actor_observer.pairs.manifest import View

FINE = 240  # samples a second of the event itself
BEFORE = 60  # seconds of it before its zero


def activity(seconds: float, seed: int = 0, every: float = 1.5) -> np.ndarray:
    """How much moves, from second −60 on: bursts of 0.2 to 0.8 s at random times."""
    rng = np.random.default_rng(seed)
    signal = np.full(round((seconds + 2 * BEFORE) * FINE), 0.02)
    for start in rng.uniform(0, seconds + 2 * BEFORE - 1, round((seconds + 2 * BEFORE) / every)):
        length, at = round(rng.uniform(0.2, 0.8) * FINE), round(start * FINE)
        signal[at : at + length] += rng.uniform(0.3, 1.5) * np.hanning(length)
    return signal


def made_motion(
    seconds: float,
    fps: float,
    start: float = 0.0,  # event time of the first frame
    rate: float = 1.0,  # event seconds in a second of the recording
    seed: int = 0,
    salt: int = 0,
    noise: float = 0.3,  # spread of what each camera sees alone, in logarithms
    event: np.ndarray | None = None,
) -> Motion:
    """What a camera measures: each frame's motion is the mean since the frame before, times noise of its own."""
    fine = activity(600, seed) if event is None else event
    total = np.concatenate([[0.0], np.cumsum(fine)]) / FINE
    frames = np.arange(round(seconds * fps)) / fps
    passed = np.interp(BEFORE + start + rate * frames, np.arange(len(total)) / FINE, total)
    moved = np.diff(passed) * fps
    rng = np.random.default_rng([seed, salt, 8])
    whole = moved[:, None] * np.exp(noise * rng.normal(size=(len(moved), len(WHOLE))))
    whole[:, :3] *= 20  # grey levels
    cells = moved[:, None, None] * np.exp(noise * rng.normal(size=(len(moved), len(CELLS), GRID)))
    times = (frames[1:] + frames[:-1]) / 2
    return Motion(times, whole.astype(np.float32), cells.astype(np.float16), seconds)


def room(columns: dict[int, Motion]) -> Motion:
    """Several people before a room camera, each in a column of the picture of their own."""
    first = next(iter(columns.values()))
    grid = np.full((len(first.times), len(CELLS), ROWS, COLUMNS), 0.02, np.float32)
    for column, moved in columns.items():
        cells = moved.cells.astype(np.float32).reshape(len(moved.times), len(CELLS), ROWS, COLUMNS)
        grid[:, :, 2:5, column : column + 1] += cells[:, :, 2:5, :1]
    return Motion(first.times, first.whole, grid.reshape(len(grid), len(CELLS), GRID).astype(np.float16), first.length)


def recording_of(motion: Motion, view: View) -> Recording:
    """A recording that has this motion, no pictures and no sound."""
    recording = Recording(np.zeros(0, np.uint8), view, motion.length)
    recording.__dict__["motion"] = motion  # as if it had been asked for
    return recording
