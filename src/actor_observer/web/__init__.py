"""The studio: a local page to look at pairs, mark shared moments, study how people align, and collect recordings."""
