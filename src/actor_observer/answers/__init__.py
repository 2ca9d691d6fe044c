"""Answers about one video: the actions in it, and its most informative frames."""
