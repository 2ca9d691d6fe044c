"""Frames changed in batches on the device: random crops, flips, colours and styles for training, and resizing."""
