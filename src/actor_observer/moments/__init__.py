"""Answers about moments of videos."""
