"""The answer for people who label: moments and marks as ELAN's .eaf or as CSV, and marks from such files."""
