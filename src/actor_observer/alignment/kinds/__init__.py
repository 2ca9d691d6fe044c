"""Kinds of evidence that two recordings show one event."""
