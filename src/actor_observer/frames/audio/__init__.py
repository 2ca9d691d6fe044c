"""The sound of a recording: read on the time axis of its frames, and cut with them."""
