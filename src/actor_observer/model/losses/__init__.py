"""Losses, one per file, and the running statistics the selector's objective needs."""
