"""An event that more than two cameras saw: all its takes on one clock, and what was measured beside them."""
