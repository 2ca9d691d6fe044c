"""The same jobs on many machines: parts put together."""
