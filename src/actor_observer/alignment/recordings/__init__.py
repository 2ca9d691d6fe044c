"""What every kind of evidence works with: the recordings, the offsets between two of them, and scores at those."""
