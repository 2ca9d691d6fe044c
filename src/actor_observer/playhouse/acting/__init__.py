"""Scripts, actors, and how a body performs an action."""
