"""What people agree to before they record anything."""

from __future__ import annotations

__all__ = ["CONSENT"]

CONSENT = """\
You will act out short everyday scripts and record each twice: once before a camera that stands in the room, once with \
the camera on your forehead.

The recordings, and whatever can be seen and heard in them, are kept by the person who runs this studio, on their \
machine, under a number instead of your name. They are meant for research on linking the two views, and may be given \
to other researchers for that purpose. The page sends nothing anywhere else.

Record only in rooms where everybody who can be seen or heard has agreed to it. Keep papers, screens and pictures out \
of sight that you do not want others to see.

You can stop at any time. You can withdraw on this page: all your recordings here are then deleted at once. Copies \
that were given to others before cannot be called back by the page; ask the person who runs it."""
