"""How a command ends: one line and an exit code, in time, and with all of its processes."""
