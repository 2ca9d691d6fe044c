"""The answer for editors of film: every recording as a track of a timeline, in the formats that they open."""
