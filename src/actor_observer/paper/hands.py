"""Hands among the frames of highest and of lowest weight: the paper's statistic, by truth and by a detector."""

from __future__ import annotations

from actor_observer.answers.hands.detector import PalmDetector
from actor_observer.answers.hands.statistic import hand_shares, weighed
from actor_observer.errors import UserError
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.paper.compare import Results
from actor_observer.paper.published import HANDS
from actor_observer.pictures.figures.opened_run import Run

__all__ = ["hands_table"]

COLUMNS = ("highest weight", "lowest weight", "any weight")
NAMES = ("highest 10 %", "lowest 10 %", "all")  # the same in the selector's table


def hands_table(results: Results, run: Run) -> Figures:
    """The share of first-person frames with hands: the paper's, by exact truth, and by the palm detector."""
    rows: dict[str, tuple[Cell, ...]] = {"First person · paper": (HANDS["highest"], HANDS["lowest"], None)}
    notes = ["Share of frames that show hands, among the tenth of highest and of lowest weight, and among all."]
    truth = [results.cell(run.name, "selector", f"{run.name}, first person", f"hands, {name}") for name in NAMES]
    if any(cell is not None for cell in truth):
        rows["First person · ours, by exact truth"] = tuple(truth)
    try:
        found = hand_shares(weighed(run.manifest.takes, run.embeddings), PalmDetector())
    except UserError as error:
        found = None
        notes.append(f"Not counted in the frames themselves: {error}.")
    if found is not None:
        rows["First person · ours, by the palm detector"] = (found.highest, found.lowest, found.every)
        notes.append(
            f"The detector looked at {found.frames} frames of highest and as many of lowest weight, of {found.videos} "
            "videos. It misses many hands (docs/reproduce.md): compare its shares with each other, not with the truth."
        )
    return Figures("paper-hands", "Hands in frames (%)", COLUMNS, rows, COLUMNS, tuple(notes))
