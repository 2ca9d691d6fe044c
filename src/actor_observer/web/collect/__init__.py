"""Collecting: scripts handed out, consent, recordings taken in and checked, a data set in Charades-Ego's form."""
