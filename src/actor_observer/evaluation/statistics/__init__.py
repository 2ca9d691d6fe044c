"""Chance levels, and intervals over videos."""
