"""Rooms, furniture and objects."""
