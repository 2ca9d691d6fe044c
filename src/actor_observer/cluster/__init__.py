"""The same jobs on many machines: parts put together, items handed to a Ray cluster."""
