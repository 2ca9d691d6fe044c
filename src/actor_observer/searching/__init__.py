"""Index the moments of many videos, and find those that show what a moment of yours shows."""
