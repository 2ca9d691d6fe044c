"""Frames decoded once and kept as JPEGs, so that training need not decode videos again and again."""
