"""actor-observer: link third-person video (the observer) with first-person video (the actor)."""
