"""Hands in frames, by a palm detector, and how many the selector's favourite frames show."""
