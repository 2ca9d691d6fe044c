"""Judge all takes together: what a set's takes share, and those that differ."""
