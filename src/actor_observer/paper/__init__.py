"""The paper's experiments in order: trainings, judgements, its three tables beside ours, one page."""
