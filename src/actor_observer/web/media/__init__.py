"""Videos as browsers need them: served in ranges, converted where they cannot be played, shown as small pictures."""
