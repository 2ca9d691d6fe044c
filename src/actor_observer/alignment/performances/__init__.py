"""Two performances of one script: likeness, a line or a path through it, and how sure."""
