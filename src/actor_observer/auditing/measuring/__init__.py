"""Measure a take: its recordings, their stamps and pictures, and every two of them."""
