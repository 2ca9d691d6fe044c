"""Kinds of data sets, a reader in each file."""
